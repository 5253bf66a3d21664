import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { simulateSources } from '../../src/app/analyse.ts'
import {
  decide,
  type Figures,
  fewestTranscripts,
  type Measurements,
  recommendSources,
} from '../../src/app/recommend.ts'
import { bootstrapSums } from '../../src/base/intervals.ts'
import auto from '../../src/estimators/auto.ts'
import type { Budget } from '../../src/model/budget.ts'
import { type LossCounts, sourced } from '../../src/model/run.ts'
import { allowedBy, type Tolerance } from '../../src/model/tolerance.ts'
import { policies } from '../../src/policies/index.ts'
import { openFile } from '../../src/readers/lines/source.ts'
import { choose, type Plan } from '../../src/simulator/simulate.ts'

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

  it('counts for each candidate what simulate counts for it alone', async () => {
    const { candidates, baseline } = await recommendSources(sources(), planOf(chosen, budgets), {
      tolerance: everything,
    })
    const costOf = async (policy: Plan['policies'][number], budget: number) => {
      const { runs } = await simulateSources(sources(), planOf([policy], [budget]))
      return {
        // As for all sums: where a model's price is known, of those whose price is known.
        paid: runs
          .filter(({ cost }) => cost.unit === 'usd')
          .reduce((sum, { cost }) => sum + Math.round((cost.input + cost.summaries) * 1e6), 0),
        lost: runs.reduce((sum, { references }) => sum + (references?.named.sourceLost ?? 0), 0),
        total: runs.reduce((sum, { references }) => sum + (references ? sourced(references.named) : 0), 0),
        prunes: runs.some(({ exact }) => exact.edits > 0),
      }
    }
    const table = new Map<string, object>()
    for (const policy of chosen) {
      for (const budget of budgets) {
        const { prunes, ...figures } = await costOf(policy, budget)
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
    const today = await costOf(named('as-recorded'), 0)
    expect({ paid: Math.round(baseline.paid * 1e6), lost: baseline.losses.lost }).toEqual({
      paid: today.paid,
      lost: today.lost,
    })
  })

  it('has the unpruned history among the candidates, as the baseline too where it is asked for', async () => {
    const plan = { ...planOf([], [10_000]), baseline: { name: 'unpruned', policy: named('keep-all') } }
    const { baseline, candidates } = await recommendSources(sources(), plan)
    expect(candidates.map(({ policy }) => policy)).toEqual(['keep-all'])
    expect(candidates[0]?.paid).toBe(baseline.paid)
    expect(baseline).toMatchObject({ setting: 'unpruned', verdict: 'baseline', losses: { lost: 0 } })
    const other = { ...plan, baseline: { name: 'drop-oldest', policy: named('drop-oldest') } }
    await expect(recommendSources(sources(), other)).rejects.toThrow('many budgets are held against today or unpruned')
  })

  it('gives both extremes of a summary whose text is not known', async () => {
    const plan = planOf([named('summarise-oldest', { tokens: 300 }), named('drop-oldest')], [5000])
    const { candidates } = await recommendSources(sources(), plan)
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

const counts = (lost: number, total: number): LossCounts => ({
  total,
  selfSourced: 0,
  mentionLost: lost,
  sourceLost: lost,
})

interface Drawn {
  readonly paid: readonly number[]
  readonly lost: number
  readonly fault: number
  readonly params: number
  readonly summaries: number
  readonly budget: number
}

function figuresOf({ paid, lost, fault, params, summaries, budget }: Drawn, total: number, name: string): Figures {
  const losses = counts(Math.min(lost, total), total)
  return {
    setting: name,
    policy: name,
    params: {},
    paramsTurned: params,
    budget,
    turnOn: null,
    refusedRequests: fault === 1 ? 1 : 0,
    promptGoneRequests: fault === 2 ? 1 : 0,
    overWindowRequests: fault === 3 ? 1 : 0,
    summaries,
    summaryTokens: summaries * 100,
    paid: Float64Array.from(paid),
    losses: { headline: losses, named: losses, all: losses },
    summarised: { headline: 0, named: 0, all: 0 },
  }
}

const drawn = (transcripts: number) =>
  fc.record({
    paid: fc.array(fc.integer({ min: 1, max: 20 }), { minLength: transcripts, maxLength: transcripts }),
    lost: fc.nat(60),
    fault: fc.nat(8),
    params: fc.nat(2),
    summaries: fc.nat(1),
    budget: fc.constantFrom(100, 200, 300),
  })
const measurements = fc
  .record({ transcripts: fc.integer({ min: 1, max: 12 }), total: fc.constantFrom(29, 30, 60, 500) })
  .chain(({ transcripts, total }) =>
    fc.tuple(drawn(transcripts), fc.array(drawn(transcripts), { minLength: 1, maxLength: 6 })).map(
      ([baseline, candidates]): Measurements => ({
        transcripts,
        requests: 100,
        unit: 'usd',
        bill: null,
        baseline: figuresOf(baseline, total, 'today'),
        candidates: candidates.map((one, at) => figuresOf(one, total, `candidate-${at}`)),
      }),
    ),
  )
const tolerances: fc.Arbitrary<Tolerance> = fc.record({
  over: fc.constantFrom('nothing', 'baseline'),
  percent: fc.constantFrom(0, 1, 10, 100),
})

const costOf = ({ paid }: Figures) => paid.reduce((sum, one) => sum + one, 0)

/** Whether one costs surely more than another, on the draws of these two alone. */
function isSurelyDearer(one: Figures, other: Figures): boolean {
  if (costOf(one) === costOf(other)) return false
  if (one.paid.length < fewestTranscripts) return costOf(one) > costOf(other)
  const differences = bootstrapSums([one.paid, other.paid]).map(([a, b]) => (a as number) - (b as number))
  return (differences.sort((a, b) => a - b)[25] as number) > 0
}

describe('what to take', () => {
  it('is what going through the whole table by hand gives', () => {
    fc.assert(
      fc.property(measurements, tolerances, (measured, tolerance) => {
        const { baseline, candidates } = measured
        const result = decide(measured, tolerance)
        const total = baseline.losses.headline.total
        const allowed = allowedBy(tolerance, baseline.losses.headline.sourceLost, total)
        const within = (one: Figures) => one.losses.headline.sourceLost <= allowed
        const faultless = ({ refusedRequests, promptGoneRequests, overWindowRequests }: Figures) =>
          refusedRequests + promptGoneRequests + overWindowRequests === 0
        const would = [baseline, ...candidates.filter(faultless)].filter(within)
        if (total < 30) {
          expect([result.outcome, result.recommended]).toEqual(['too-few', null])
          return
        }
        if (would.length === 0) {
          expect([result.outcome, result.recommended]).toEqual(['none', null])
          return
        }
        const least = would.map(costOf).reduce((a, b) => Math.min(a, b))
        const cheapest = would.find((one) => costOf(one) === least) as Figures
        const tied = would.filter((one) => !isSurelyDearer(one, cheapest))
        if (tied.includes(baseline)) {
          expect([result.outcome, result.recommended]).toEqual(['stay', null])
          return
        }
        expect(result.outcome).toBe('found')
        const taken = candidates.find(({ setting }) => setting === result.recommended?.setting) as Figures
        expect(tied).toContain(taken)
        // A simpler one that ties would have been taken.
        const rank = ({ summaries, paramsTurned, losses }: Figures) =>
          summaries * 1e6 + paramsTurned * 1e4 + losses.headline.sourceLost
        for (const one of tied) expect(rank(taken)).toBeLessThanOrEqual(rank(one))
        for (const { setting, verdict } of result.candidates) {
          const one = candidates.find((candidate) => candidate.setting === setting) as Figures
          const expected =
            one === taken
              ? 'recommended'
              : one.overWindowRequests > 0
                ? 'over window'
                : !faultless(one)
                  ? 'refused'
                  : !within(one)
                    ? 'loses more'
                    : tied.includes(one)
                      ? 'tie'
                      : 'dearer'
          expect(verdict).toBe(expected)
        }
      }),
      { numRuns: 300 },
    )
  })

  const one = { paid: [1, 1, 1, 1, 1, 1], lost: 5, fault: 0, params: 0, summaries: 0, budget: 100 }
  const table = (baseline: Partial<Drawn>, ...candidates: Partial<Drawn>[]): Measurements => ({
    transcripts: 6,
    requests: 100,
    unit: 'usd',
    bill: null,
    baseline: figuresOf({ ...one, paid: [2, 2, 2, 2, 2, 2], ...baseline }, 100, 'today'),
    candidates: candidates.map((candidate, at) => figuresOf({ ...one, ...candidate }, 100, `candidate-${at}`)),
  })
  const takenOf = (measured: Measurements, tolerance: Tolerance = { over: 'baseline', percent: 0 }) =>
    decide(measured, tolerance).recommended?.setting ?? null

  it('loses no more than today, if nothing else is said', () => {
    expect(takenOf(table({}, { lost: 6, paid: [0.1, 0.1, 0.1, 0.1, 0.1, 0.1] }, {}))).toBe('candidate-1')
    expect(takenOf(table({}, { lost: 6 }), { over: 'baseline', percent: 1 })).toBe('candidate-0')
    expect(takenOf(table({}, { lost: 6 }), { over: 'nothing', percent: 5 })).toBeNull()
  })

  it('is the simpler of two that cost the same within the uncertainty', () => {
    const noisy = [0.2, 1.9, 0.9, 1.1, 0.4, 1.4]
    expect(takenOf(table({}, { paid: noisy, params: 1 }, { params: 0 }))).toBe('candidate-1')
    expect(takenOf(table({}, { params: 0, summaries: 1 }, { params: 2 }))).toBe('candidate-1')
    expect(takenOf(table({}, { budget: 100 }, { budget: 200 }))).toBe('candidate-1')
    const cheap = [0.5, 0.5, 0.5, 0.5, 0.5, 0.5]
    expect(takenOf(table({}, { paid: cheap, params: 2, summaries: 1 }, { params: 0 }))).toBe('candidate-0')
  })

  it('keeps what there is, unless something is surely cheaper', () => {
    const result = decide(table({}, { paid: [0.1, 6, 0.1, 0.1, 5, 0.1] }), { over: 'baseline', percent: 0 })
    expect([result.outcome, result.candidates[0]?.verdict]).toEqual(['stay', 'tie'])
  })

  it('judges the requests that the baseline sent by nothing but its losses', () => {
    expect(decide(table({ fault: 1 }, { paid: [9, 9, 9, 9, 9, 9] }), { over: 'baseline', percent: 0 }).outcome).toBe(
      'stay',
    )
  })

  it('says no interval of fewer than five transcripts', () => {
    const few = table({ paid: [2, 2, 2, 2] }, { paid: [1, 1, 1, 1] })
    expect(decide(few, { over: 'baseline', percent: 0 }).recommended?.saved).toEqual({
      cost: 4,
      percent: 50,
      low: null,
      high: null,
    })
    expect(decide(table({}, {}), { over: 'baseline', percent: 0 }).recommended?.saved).toEqual({
      cost: 6,
      percent: 50,
      low: 50,
      high: 50,
    })
  })
})
