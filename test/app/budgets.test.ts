import { describe, expect, it } from 'vitest'
import { curveSources, simulateSources } from '../../src/app/analyse.ts'
import { compareSources } from '../../src/app/compare.ts'
import type { Plan } from '../../src/app/plan.ts'
import { choose } from '../../src/base/chosen.ts'
import { CtxwinError } from '../../src/base/errors.ts'
import auto from '../../src/estimators/auto.ts'
import type { Budget } from '../../src/model/budget.ts'
import dropOldest from '../../src/policies/primitives/drop-oldest.ts'
import { openFile } from '../../src/readers/lines/source.ts'

/** Their models have windows of 200,000 and 400,000 tokens. */
const files = ['fixtures/claude-code/refactor.jsonl', 'fixtures/openai-chat/tools.jsonl']
const sources = () => files.map((file) => openFile(file))
const plan = (...budgets: Budget[]): Plan => ({
  policies: [choose(dropOldest)],
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

  it('is one row of a comparison and one point of a curve, whatever the windows are', async () => {
    const { rows } = await compareSources(sources(), plan('5%', '50%'))
    expect(rows.map(({ budget, budgetAsked, transcripts }) => [budget, budgetAsked, transcripts])).toEqual([
      [20_000, '5%', 3],
      [200_000, '50%', 3],
    ])
    const { curves } = await curveSources(sources(), plan('50%', '5%', 0), { tolerance: 100 })
    const budgetsOf = ({ points }: (typeof curves)[0]) => points.map(({ budget, budgetAsked }) => [budget, budgetAsked])
    expect(curves.map(budgetsOf)).toEqual([
      [
        [20_000, '5%'],
        [200_000, '50%'],
        [0, undefined],
      ],
    ])
    // The largest window, in whatever order they come.
    const turned = await curveSources(sources().reverse(), plan('50%', '5%', 0), { tolerance: 100 })
    expect(turned.curves.map(budgetsOf)).toEqual(curves.map(budgetsOf))
    expect(curves[0]?.knee).toMatchObject({ budget: 20_000, budgetAsked: '5%' })
    expect(curves[0]?.points[0]?.sentTokens).toBe(rows[0]?.sentTokens)
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

  it('does not stand in one curve with tokens', async () => {
    await expect(curveSources(sources(), plan('5%', 20_000))).rejects.toThrow(CtxwinError)
  })
})
