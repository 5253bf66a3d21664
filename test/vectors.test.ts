/** Runs the test vectors: those of the repository, and those in the folder given by CTXWIN_VECTORS. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { duragent } from './vectors/duragent.ts'
import { forge } from './vectors/forge.ts'
import { ikigaiExchange, ikigaiWindow } from './vectors/ikigai.ts'
import { mimir } from './vectors/mimir.ts'
import type { Json } from './vectors/window.ts'

interface Case {
  readonly id: string
  readonly fn: string
  readonly input: never
  readonly expect: Json
}

interface VectorFile {
  readonly schema: string
  readonly system: string
  readonly cases: readonly Case[]
}

const systems: Readonly<Record<string, Readonly<Record<string, (input: never) => Json>>>> = {
  forge,
  duragent,
  mimir,
  'ikigai-window': ikigaiWindow,
  'ikigai-exchange': ikigaiExchange,
}

/** Keys of an expectation that are comments. */
const remarks = new Set(['note', 'upstream_asserts', 'turn_note'])

/** The expected values of the case, in the order of its keys, and the actual ones. */
function outcome({ expect: expected }: Case, actual: Json): { expected: Json; actual: Json } {
  const wanted: Json = {}
  const got: Json = {}
  for (const [key, value] of Object.entries(expected)) {
    if (remarks.has(key)) continue
    const bound = /^(.*)_(lt|lte|gt|gte)$/.exec(key)
    if (bound) {
      const [, name, relation] = bound as unknown as [string, string, string]
      const number = Number(actual[name])
      const limit = Number(value)
      const holds = { lt: number < limit, lte: number <= limit, gt: number > limit, gte: number >= limit }
      wanted[key] = true
      got[key] = holds[relation as keyof typeof holds]
    } else {
      wanted[key] = value
      got[key] = actual[key]
    }
  }
  return { expected: wanted, actual: got }
}

const folders = [fileURLToPath(new URL('../fixtures/vectors', import.meta.url))]
if (process.env.CTXWIN_VECTORS) folders.push(process.env.CTXWIN_VECTORS)

for (const folder of folders) {
  for (const file of readdirSync(folder).filter((name) => name.endsWith('.json'))) {
    const { schema, system, cases } = JSON.parse(readFileSync(join(folder, file), 'utf8')) as VectorFile
    describe(`${folder === folders[0] ? '' : 'CTXWIN_VECTORS: '}${file}`, () => {
      it('has a schema, a system and functions that are known', () => {
        expect(schema).toBe('prune-vectors/1')
        expect(Object.keys(systems)).toContain(system)
        const known = new Set(Object.keys(systems[system] ?? {}))
        expect(cases.filter(({ fn }) => !known.has(fn)).map(({ id, fn }) => `${id} ${fn}`)).toEqual([])
        expect(new Set(cases.map(({ id }) => id)).size).toBe(cases.length)
      })

      for (const example of cases) {
        it(`${example.id} ${example.fn}`, () => {
          const run = systems[system]?.[example.fn]
          if (!run) throw new Error(`no function ${example.fn} of ${system}`)
          const { expected, actual } = outcome(example, run(example.input))
          expect(actual).toEqual(expected)
        })
      }
    })
  }
}
