import { isDeepStrictEqual } from 'node:util'
import { describe, expect, it } from 'vitest'
import { simulateSources } from '../../../src/app/analyse.ts'
import { readingHere } from '../../../src/app/analysis.ts'
import { recommend } from '../../../src/app/answer/recommend.ts'
import type { Plan } from '../../../src/app/plan.ts'
import { sumOf } from '../../../src/app/sum.ts'
import { choose } from '../../../src/base/chosen.ts'
import auto from '../../../src/estimators/auto.ts'
import type { Budget } from '../../../src/model/budget.ts'
import type { Decision } from '../../../src/model/recommendation.ts'
import { sourced } from '../../../src/model/run.ts'
import type { Tolerance } from '../../../src/model/tolerance.ts'
import { policies } from '../../../src/policies/index.ts'
import { openFile } from '../../../src/readers/lines/source.ts'

const files = [
  'fixtures/claude-code/refactor.jsonl',
  'fixtures/claude-code/compaction.jsonl',
  'fixtures/claude-code/split-response.jsonl',
  'fixtures/openai-chat/tools.jsonl',
]
const sources = () => files.map((file) => openFile(file))
const named = (name: string, values: Readonly<Record<string, unknown>> = {}) => choose(policies.get(name), values)
const everything = { over: 'nothing', percent: 100 } as const

function planOf(chosen: Plan['policies'], budgets: readonly Budget[]): Plan {
  return { policies: chosen, estimators: [choose(auto)], budgets, references: true }
}

/** The one decision of policies that the user named. */
async function decided({ policies, budgets, ...plan }: Plan, tolerance?: Tolerance): Promise<Decision> {
  const asked = { policies, budgets, ...(tolerance && { tolerance }) }
  const { decisions } = await recommend(readingHere(sources(), {}), { ...plan, policies: [], budgets: [] }, asked)
  expect(decisions).toMatchObject([{ scope: 'all', program: null }])
  return decisions[0] as Decision
}

describe('recommend over files', () => {
  const chosen = [
    named('drop-oldest'),
    named('drop-oldest', { target: 0.5 }),
    named('drop-messages'),
    named('summarise-oldest', { tokens: 300 }),
    named('truncate-tool-results', { max: 50 }),
    named('mask-tool-results', { scope: 'all', when: 'over' }),
  ]
  const budgets = [20_000, 5000, 10_000, 17_000, 500_000]

  it('counts for each candidate what simulate counts for it', async () => {
    const { candidates, baseline } = await decided(planOf(chosen, budgets), everything)
    const simulated = await simulateSources(sources(), planOf([...chosen, named('as-recorded')], budgets))
    const costOf = ({ plugin, values }: Plan['policies'][number], budget: number) => {
      const runs = simulated.runs.filter(
        (run) => run.policy === plugin.name && isDeepStrictEqual(run.params, values) && run.budget === budget,
      )
      return {
        // As for all sums: where a model's price is known, of those whose price is known.
        paid: runs
          .filter(({ cost }) => cost.unit === 'usd')
          .reduce((sum, { cost }) => sum + Math.round((cost.input + cost.summaries) * 1e6), 0),
        lost: runs.reduce((sum, { references }) => sum + (references?.headline.sourceLost ?? 0), 0),
        total: runs.reduce((sum, { references }) => sum + (references ? sourced(references.headline) : 0), 0),
        prunes: runs.some(({ exact }) => exact.edits > 0),
      }
    }
    const table = new Map<string, object>()
    for (const policy of chosen) {
      for (const budget of budgets) {
        const { prunes, ...figures } = costOf(policy, budget)
        const free = policy.plugin.name === 'truncate-tool-results'
        if (prunes) table.set(JSON.stringify([policy.plugin.name, policy.values, free ? null : budget]), figures)
      }
    }
    const found = new Map(
      candidates
        .filter(({ policy }) => policy !== 'keep-all')
        .map(({ policy, params, budget, paid, losses }) => [
          JSON.stringify([policy, params, budget]),
          { paid: Math.round(paid * 1e6), lost: losses.lost, total: losses.total },
        ]),
    )
    expect(found).toEqual(table)
    for (const { policy, params, budget, total } of candidates.filter(({ policy }) => policy !== 'keep-all')) {
      const runs = simulated.runs.filter(
        (run) =>
          run.policy === policy && isDeepStrictEqual(run.params, params) && run.budget === (budget ?? budgets[1]),
      )
      expect(total, `${policy} at ${budget}`).toMatchObject({ ...sumOf(runs).result() })
    }
    const today = costOf(named('as-recorded'), 5000)
    expect({ paid: Math.round(baseline.paid * 1e6), lost: baseline.losses.lost }).toEqual({
      paid: today.paid,
      lost: today.lost,
    })
  })

  it('has the unpruned history among the candidates, as the baseline too where it is asked for', async () => {
    const plan = { ...planOf([], [10_000]), baseline: { name: 'unpruned', policy: named('keep-all') } }
    const { baseline, candidates } = await decided(plan)
    expect(candidates.map(({ policy }) => policy)).toEqual(['keep-all'])
    expect(candidates[0]?.paid).toBe(baseline.paid)
    expect(baseline).toMatchObject({ setting: 'unpruned', verdict: 'baseline', losses: { lost: 0 } })
    const other = { ...plan, baseline: { name: 'drop-oldest', policy: named('drop-oldest') } }
    await expect(decided(other)).rejects.toThrow('with many budgets, --baseline is today or unpruned')
  })

  it('gives both extremes of a summary whose text is not known', async () => {
    const plan = planOf([named('summarise-oldest', { tokens: 300 }), named('drop-oldest')], [5000])
    const { candidates } = await decided(plan)
    const [summarised, dropped] = ['summarise-oldest', 'drop-oldest'].map((name) =>
      candidates.find(({ policy }) => policy === name),
    )
    expect(summarised?.losses.lost).toBeGreaterThan(0)
    expect(summarised?.losses.ifSummariesKeepAll).toBe(0)
    expect(summarised?.summaries).toBeGreaterThan(0)
    expect(summarised?.summaryTokens).toBeLessThanOrEqual(300)
    expect(dropped?.losses.ifSummariesKeepAll).toBe(dropped?.losses.lost)
    expect(dropped?.summaries).toBe(0)
  })
})
