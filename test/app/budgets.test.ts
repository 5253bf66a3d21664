import { describe, expect, it } from 'vitest'
import { simulateSources } from '../../src/app/analyse.ts'
import { recommendSources } from '../../src/app/answer/recommend.ts'
import type { Plan } from '../../src/app/plan.ts'
import { choose } from '../../src/base/chosen.ts'
import auto from '../../src/estimators/auto.ts'
import type { Budget } from '../../src/model/budget.ts'
import { policies } from '../../src/policies/index.ts'
import dropOldest from '../../src/policies/primitives/drop-oldest.ts'
import { openFile } from '../../src/readers/lines/source.ts'

/** Their models have windows of 200,000 and 400,000 tokens. */
const files = ['fixtures/claude-code/refactor.jsonl', 'fixtures/openai-chat/tools.jsonl']
const sources = () => files.map((file) => openFile(file))
const plan = (...budgets: Budget[]): Plan => planOf([dropOldest.name], ...budgets)
const planOf = (names: readonly string[], ...budgets: Budget[]): Plan => ({
  policies: names.map((name) => choose(policies.get(name))),
  estimators: [choose(auto)],
  budgets,
  references: true,
})
const figures = <T extends object>({
  budget: _,
  budgetAsked: __,
  ...rest
}: T & { budget?: unknown; budgetAsked?: unknown }) => rest

describe('a budget that is a share of the model’s window', () => {
  it('gives each transcript the tokens that it comes to', async () => {
    const { runs, totals } = await simulateSources(sources(), plan('5%'))
    expect(runs.map(({ budget, budgetAsked }) => [budget, budgetAsked])).toEqual([
      [10_000, '5%'],
      [20_000, '5%'],
      [20_000, '5%'],
    ])
    expect(totals.map(({ budget, budgetAsked, transcripts }) => [budget, budgetAsked, transcripts])).toEqual([
      [20_000, '5%', 3],
    ])
    const inTokens = await simulateSources(sources().slice(0, 1), plan(10_000))
    expect(figures(runs[0] as (typeof runs)[0])).toEqual(figures(inTokens.runs[0] as (typeof runs)[0]))
  })

  it('is one candidate, whatever the windows are', async () => {
    const asked = { policies: plan().policies, budgets: ['50%', '5%'] as const }
    const budgetsOf = async (all: ReturnType<typeof sources>) => {
      const { decisions } = await recommendSources(all, plan(), asked)
      const candidates = decisions.flatMap(({ candidates }) => candidates).filter(({ budget }) => budget !== null)
      return candidates.map(({ budget, budgetAsked, total }) => [budget, budgetAsked, total.transcripts])
    }
    const found = await budgetsOf(sources())
    expect(found).toEqual([[20_000, '5%', 3]])
    // The largest window, in whatever order they come.
    expect(await budgetsOf(sources().reverse())).toEqual(found)
  })

  it('is refused in one line where the model or its window is not known', async () => {
    const unknown = simulateSources([openFile('fixtures/mimir/contexts.jsonl')], plan('50%'))
    await expect(unknown).rejects.toThrow(
      'fixtures/mimir/contexts.jsonl: 50% of the context window cannot be computed: that of its model is not known. Give the budget in tokens, name a known model with --model, or give the window with --prices',
    )
    const model = simulateSources([openFile('fixtures/mimir/contexts.jsonl')], { ...plan('50%'), model: 'gpt-5' })
    expect((await model).runs[0]?.budget).toBe(200_000)
  })

  it('is a share of the window that the program says the session had, unless a model is named', async () => {
    const rollout = () => [openFile('fixtures/codex/rollback.jsonl')]
    const { runs } = await simulateSources(rollout(), plan('100%'))
    expect(runs[0]).toMatchObject({ model: 'gpt-5.5', budget: 258_400 })
    const named = await simulateSources(rollout(), { ...plan('100%'), model: 'gpt-5' })
    expect(named.runs[0]?.budget).toBe(400_000)
  })
})

describe('the budget of a policy’s own', () => {
  const own = ['mimir', 'duragent', 'claude-code-auto', 'drop-oldest']

  it('is what its program goes by, of each transcript', async () => {
    const { runs, totals } = await simulateSources(sources(), planOf(own, 'own'))
    const told = (name: string) =>
      runs.filter(({ policy }) => policy === name).map(({ budget, budgetAsked }) => [budget, budgetAsked])
    // A Claude and two sessions of GPT-5, which duragent takes for 200,000 and 400,000 tokens, as they are.
    const windows = [200_000, 400_000, 400_000].map((window) => [window, 'own'])
    expect(own.map(told)).toEqual([
      new Array(3).fill([128_000, 'own']),
      windows,
      windows,
      new Array(3).fill([100_000, undefined]),
    ])
    expect(totals.map(({ policy, budget, transcripts }) => [policy, budget, transcripts])).toEqual([
      ['mimir', 128_000, 3],
      ['duragent', 400_000, 3],
      ['claude-code-auto', 400_000, 3],
      ['drop-oldest', 100_000, 3],
    ])
    for (const run of runs) {
      const file = files.find((name) => run.transcript.endsWith(name)) as string
      const named = await simulateSources([openFile(file)], planOf([run.policy], run.budget))
      const same = named.runs.find(({ conversation }) => conversation === run.conversation)
      expect(figures(run)).toEqual(figures(same as typeof run))
    }
  })

  it('is the usual one where the window is not known, and for duragent what it guesses by the name', async () => {
    const unknown = await simulateSources([openFile('fixtures/mimir/contexts.jsonl')], planOf(own, 'own'))
    // It is some qwen3, whose window duragent knows by that name.
    expect(unknown.runs.map(({ budget }) => budget)).toEqual([128_000, 131_072, 100_000, 100_000])
    const claude = { ...planOf(own, 'own'), model: 'claude-opus-5' }
    const { runs } = await simulateSources([openFile('fixtures/mimir/contexts.jsonl')], claude)
    // What duragent knows of a name, whatever the model has.
    expect(runs.map(({ budget }) => budget)).toEqual([128_000, 200_000, 1_000_000, 100_000])
  })
})
