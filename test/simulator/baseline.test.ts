/** What runs are held against: the very figures of the runs that they are held against. */
import { describe, expect, it } from 'vitest'
import { choose, definePolicy, estimators, openFile, policies, type Run, simulateSources } from '../../src/app/index.ts'
import type { Plan } from '../../src/app/plan.ts'
import type { Chosen } from '../../src/base/chosen.ts'
import { percent, sourced } from '../../src/model/run.ts'

const files = [
  'fixtures/claude-code/refactor.jsonl',
  'fixtures/claude-code/compaction.jsonl',
  'fixtures/codex/compaction.jsonl',
]
const chosen = (name: string) => choose(policies.get(name))
const plan: Plan = {
  policies: [],
  estimators: [choose(estimators.get('bytes'))],
  budgets: [2000, 20_000],
  references: true,
}
const simulated = async (of: Partial<Plan>): Promise<readonly Run[]> =>
  (await simulateSources(files.map(openFile), { ...plan, ...of })).runs

/** A run held against another, from what both of them print. */
function held(run: Run, standard: Run) {
  const paid = ({ cost }: Run) => cost.input + cost.summaries
  const [headline, before] = [run.references!.headline, standard.references!.headline]
  return {
    sentTokens: standard.sentTokens,
    costInput: standard.cost.input,
    summaries: standard.cost.summaries,
    headlineLost: before.sourceLost,
    headlineTotal: sourced(before),
    headlineLostOver: headline.sourceLost - before.sourceLost,
    overWindowRequests: standard.exact.overWindowSent,
    lostLatestUser: standard.validity.lostLatestUser,
    savedTokens: standard.sentTokens - run.sentTokens,
    savedPercent: percent(standard.sentTokens - run.sentTokens, standard.sentTokens),
    costSaved: Math.round((paid(standard) - paid(run)) * 1e6) / 1e6,
    costSavedPercent: percent(paid(standard) - paid(run), paid(standard)),
  }
}

describe('a run', () => {
  it.each([
    ['today', 'as-recorded', {}],
    ['unpruned', 'keep-all', { baseline: { name: 'unpruned', policy: chosen('keep-all') } }],
    ['forge', 'forge', { baseline: { name: 'forge', policy: chosen('forge') } }],
  ] as const)('is held against %s as a run of %s by itself tells', async (name, policy, baseline) => {
    const standards = await simulated({ policies: [chosen(policy)] })
    const recorded = await simulated({ policies: [chosen('as-recorded')] })
    const runs = await simulated({ policies: [chosen('ikigai')], ...baseline })
    expect(runs.length).toBe(standards.length)
    for (const [index, run] of runs.entries()) {
      const { baseline: named, ...against } = run.against
      expect(named).toBe(name)
      expect(against).toEqual(held(run, standards[index] as Run))
      expect(run.today).toEqual(held(run, recorded[index] as Run))
    }
  })

  it('has sizes of its own, though what happened was replayed before, and neither has edited anything', async () => {
    const budgets = [500_000]
    const names = ['as-recorded', 'keep-all', 'drop-oldest']
    const together = await simulated({ policies: names.map(chosen), budgets })
    let differing = 0
    for (const name of names) {
      const alone = await simulated({ policies: [chosen(name)], budgets })
      expect(together.filter(({ policy }) => policy === name)).toEqual(alone)
      const recorded = together.filter(({ policy }) => policy === 'as-recorded')
      if (alone.some(({ peakTokens }, at) => peakTokens !== recorded[at]?.peakTokens)) differing++
    }
    expect(differing).toBeGreaterThan(0)
  })

  it('tells no losses where none are measured', async () => {
    const [run] = await simulated({ policies: [chosen('ikigai')], references: false })
    expect(Object.keys(run!.today)).not.toContain('headlineLost')
    expect(Object.keys(run!.against)).not.toContain('headlineLostOver')
  })
})

describe('a baseline', () => {
  it('that is a row as well is replayed once for each budget, wherever it stands among the rows', async () => {
    let started = 0
    const dropping = policies.get('drop-oldest')
    const counted = definePolicy({
      ...dropping,
      start: (values, context) => {
        started++
        return dropping.start(values, context)
      },
    })
    const own: Chosen<typeof counted> = choose(counted)
    const baseline = { name: 'own', policy: own as Chosen<typeof dropping> }
    for (const list of [
      [chosen('ikigai'), baseline.policy],
      [baseline.policy, chosen('ikigai')],
    ]) {
      started = 0
      const runs = await simulated({ policies: list, baseline })
      expect(started).toBe(files.length * plan.budgets.length)
      expect(runs.map(({ policy }) => policy).slice(0, 4)).toEqual(
        list.flatMap(({ plugin }) => plan.budgets.map(() => plugin.name)),
      )
    }
  })
})
