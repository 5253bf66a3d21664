import { expect, it } from 'vitest'
import { simulateSources } from '../../../src/app/analyse.ts'
import { runShape } from '../../../src/app/files/run-shape.ts'
import { choose } from '../../../src/base/chosen.ts'
import { readExact, writeExact } from '../../../src/base/exact-json.ts'
import { estimators } from '../../../src/estimators/index.ts'
import { policies } from '../../../src/policies/index.ts'
import { openFile } from '../../../src/readers/lines/source.ts'
import { runColumns } from '../../../src/reports/columns/run.ts'

it('every figure of a run is held to its type and range', async () => {
  const plan = {
    policies: ['ikigai', 'clairvoyant'].map((name) => choose(policies.get(name))),
    estimators: [choose(estimators.get('auto'))],
    budgets: [2000],
    references: true,
    native: true,
  }
  const files = ['claude-code/refactor.jsonl', 'codex/compaction.jsonl'].map((name) => openFile(`fixtures/${name}`))
  const { runs } = await simulateSources(files, plan, { by: 'request', witness: true })
  const held = new Set<string>()
  for (const run of runs.map((one) => readExact(writeExact(one)))) {
    expect(runShape(run)).toBeNull()
    for (const { key, unit } of runColumns) {
      const way = key.split('.')
      const changed = structuredClone(run) as Record<string, unknown>
      const parent = way
        .slice(0, -1)
        .reduce<unknown>((inner, part) => (inner as Record<string, unknown> | null)?.[part], changed)
      const last = way.at(-1) as string
      // The lines of a file are counted when all its transcripts are read.
      if (typeof parent !== 'object' || parent === null || !(last in parent) || key === 'damagedLines') continue
      const values =
        unit === 'text' ? [5, {}] : ['<script>', '5', { length: 1e300 }, ...(unit === 'percent' ? [] : [-1e300])]
      for (const value of values) {
        ;(parent as Record<string, unknown>)[last] = value
        expect(runShape(changed), `${key} = ${JSON.stringify(value)}`).not.toBeNull()
      }
      held.add(key)
    }
  }
  expect([...held]).toEqual(
    expect.arrayContaining(['cost.input', 'references.headline.sourceLost', 'cuts', 'rows', 'bounds.paid']),
  )
})
