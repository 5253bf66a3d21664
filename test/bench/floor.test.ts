import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { simulateSources } from '../../src/app/analyse.ts'
import { choose } from '../../src/base/chosen.ts'
import auto from '../../src/estimators/auto.ts'
import { type References, type Run, sourced } from '../../src/model/run.ts'
import { copiesProven } from '../../src/models/copies-proven.ts'
import { policies } from '../../src/policies/index.ts'
import { openFile } from '../../src/readers/lines/source.ts'

test.each([
  ['what was copied', 'copied', [...copiesProven]],
  ['what was named', 'named', []],
])('people are shown %s of the programs for which the table of docs/truth.md bears it out', (_, measure, shown) => {
  const row = new RegExp(`^\\| \`${measure}\` \\| behind a cut \\| (.*) \\|$`, 'gm')
  const programs = [...readFileSync('docs/truth.md', 'utf8').matchAll(row)].map(([, cells = '']) => cells.split(' | '))
  expect(programs.length).toBeGreaterThan(1)
  const borneOut = programs.flatMap(([program = '', , , , , times, , flagged]) =>
    program !== 'all' && Number(times) >= 5 && Number(flagged) <= 2 ? [program] : [],
  )
  expect(borneOut).toEqual(shown)
})

test('a policy that is fitted to content alone drops names at no charge, as docs/references.md says', async () => {
  const plan = {
    policies: [choose(policies.get('clairvoyant'))],
    estimators: [choose(auto)],
    budgets: [16_000],
    references: true,
  }
  const { runs } = await simulateSources([openFile('fixtures/claude-code/refactor.jsonl')], plan)
  const [run] = runs as [Run]
  const { headline, named } = run.references as References
  expect([headline.sourceLost, named.sourceLost, sourced(named)]).toEqual([0, 23, 50])
})
