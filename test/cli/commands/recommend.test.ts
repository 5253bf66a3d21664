/** `ctxwin recommend` over all policies, or all budgets. */
import { expect, it } from 'vitest'
import { policies } from '../../../src/policies/index.ts'
import { publishedSchema } from '../../schema.ts'
import { runCli } from '../run.ts'

const session = 'fixtures/claude-code/refactor.jsonl'
const { violations } = publishedSchema('recommend')

async function candidatesOf(...argv: string[]) {
  const { stdout, stderr, code } = await runCli(['recommend', session, '--json', ...argv])
  expect([code, stderr]).toEqual([0, ''])
  const data = JSON.parse(stdout)
  expect(violations(data)).toEqual([])
  expect(data.decisions).toHaveLength(1)
  return data.decisions[0].candidates as {
    policy: string
    params: Record<string, unknown>
    budget: number | null
    total: { sentTokens: number }
  }[]
}

it('tries every policy that works alone at one budget', async () => {
  const tried = await candidatesOf('--policy', 'all', '--budget', '20k')
  const possible = policies.all.filter(({ part, looksAhead }) => !part && !looksAhead).map(({ name }) => name)
  const names = tried.map(({ policy }) => policy)
  expect(names.filter((name) => !possible.includes(name))).toEqual([])
  expect(names.length).toBeGreaterThan(possible.length / 2)
  expect(new Set(tried.map(({ budget }) => budget))).toEqual(new Set([20_000, null]))
})

it('has a row for every budget that makes a difference, with a bar for what it keeps', async () => {
  const tried = (await candidatesOf('--policy', 'drop-oldest', '--budget', 'all')).filter(({ budget }) => budget)
  const ordered = tried.toSorted((a, b) => (a.budget as number) - (b.budget as number))
  expect(ordered.map(({ budget }) => budget).slice(0, 4)).toEqual([1000, 1500, 2000, 3000])
  const sent = ordered.map(({ total }) => total.sentTokens)
  expect(sent).toEqual(sent.toSorted((a, b) => a - b))
  const { stdout } = await runCli(['recommend', session, '--policy', 'drop-oldest', '--budget', 'all'])
  const rows = [...stdout.matchAll(/^drop-oldest +(\S+) .*?(█*)[▉▊▋▌▍▎▏]? *$/gm)].map(([, budget, bar]) => [
    budget,
    bar,
  ])
  expect(rows.map(([budget]) => budget)).toEqual(ordered.map(({ budget }) => `${(budget as number) / 1000}k`))
  expect(rows.every(([, bar]) => bar)).toBe(true)
})

it('tries each value of a param', async () => {
  const tried = await candidatesOf('--policy', 'ikigai:target=1,0.5', '--budget', '20k')
  const targets = tried.filter(({ policy }) => policy === 'ikigai').map(({ params }) => params.target)
  expect(targets.sort()).toEqual([0.5, 1])
})
