import { isDeepStrictEqual } from 'node:util'
import { expect } from 'vitest'
import { simulateSources } from '../../../src/app/analyse.ts'
import { convertSources, nothingYet } from '../../../src/app/export/convert.ts'
import { forms } from '../../../src/app/export/forms/index.ts'
import type { Plan } from '../../../src/app/plan.ts'
import { choose } from '../../../src/base/chosen.ts'
import { estimators } from '../../../src/estimators/index.ts'
import { policies } from '../../../src/policies/index.ts'
import { openFile, type Source } from '../../../src/readers/lines/source.ts'
import { publishedSchema } from '../../schema.ts'

export const planOf = (names: readonly string[], budgets: readonly number[], references = false): Plan => ({
  policies: names.map((name) => choose(policies.get(name))),
  estimators: [choose(estimators.get('auto'))],
  budgets,
  references,
})

export async function linesOf(source: Source, form: string, plan: Plan): Promise<string> {
  const lines: string[] = []
  for await (const one of convertSources([source], plan, {}, forms().get(form), nothingYet())) lines.push(...one.lines)
  return lines.join('')
}

export const textSource = (name: string, text: string): Source => ({ name, chunks: [Buffer.from(text)] })

/** Runs without what is told of the file: its name, its lines, what of it is damaged. */
function withoutFile(value: unknown): unknown {
  return JSON.parse(
    JSON.stringify(value, (key, inner: unknown) => {
      if (['line', 'damagedLines', 'transcript', 'firstFaults'].includes(key)) return undefined
      return key === 'cuts' ? [...(inner as Iterable<unknown>)] : inner
    }),
  )
}

const { violations } = publishedSchema('transcript')

/** A file that is converted is read back to the same runs, and each line is as the schema says. */
export async function isReadBack(file: string): Promise<void> {
  const plan = planOf(['ikigai', 'as-recorded', 'mask-tool-results'], [2_000], true)
  const unread = () => {}
  const once = await simulateSources([openFile(file)], plan, {}, unread)
  if (once.runs.length === 0) return
  const text = await linesOf(openFile(file), 'ctxwin', plan)
  const again = await simulateSources([textSource(file, text)], plan)
  const [before, after] = [once, again].map(({ runs }) => withoutFile(runs))
  // Matchers are slow on whole runs: they show what differs.
  if (!isDeepStrictEqual(after, before)) expect(after).toEqual(before)
  const wrong = text
    .trimEnd()
    .split('\n')
    .flatMap((line) => violations(JSON.parse(line)).map((violation) => ({ line, violation })))
  expect(wrong).toEqual([])
}
