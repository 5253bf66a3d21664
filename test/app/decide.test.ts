import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { decide, type Figures, fewestTranscripts, type Measurements } from '../../src/app/decide.ts'
import { bootstrapSums } from '../../src/base/intervals.ts'
import type { LossCounts } from '../../src/model/run.ts'
import { allowedBy, type Tolerance } from '../../src/model/tolerance.ts'

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
    composition: null,
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
        tried: candidates.length,
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
        expect(rank(taken)).toBe(Math.min(...tied.map(rank)))
        const verdicts = result.candidates.map(({ setting }) => {
          const one = candidates.find((candidate) => candidate.setting === setting) as Figures
          return one === taken
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
        })
        expect(result.candidates.map(({ verdict }) => verdict)).toEqual(verdicts)
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
    tried: candidates.length,
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
