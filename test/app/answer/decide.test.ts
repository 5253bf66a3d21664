import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type Contender, decide, type Measurements } from '../../../src/app/answer/decide.ts'
import { extraLossIn, savingIn } from '../../../src/app/answer/forecast.ts'
import { CellSum } from '../../../src/app/sum.ts'
import type { Decision } from '../../../src/model/recommendation.ts'
import type { Tolerance } from '../../../src/model/tolerance.ts'

interface Drawn {
  readonly paid: readonly number[]
  readonly lost: readonly number[]
  readonly fault?: number
  readonly params?: number
  readonly summaries?: number
  readonly budget?: number
}

const nothing = (of: readonly number[]) => new Float64Array(of.length)

function figuresOf({ paid, lost, fault = 0, params = 0, summaries = 0, budget = 100 }: Drawn, name: string): Contender {
  const losses = Float64Array.from(lost)
  return {
    setting: name,
    policy: name,
    params: {},
    paramsTurned: params,
    edits: 1,
    budget,
    turnOn: null,
    composition: null,
    refusedRequests: fault === 1 ? 1 : 0,
    promptGoneRequests: fault === 2 ? 1 : 0,
    overWindowRequests: fault === 3 ? 1 : 0,
    summaries,
    summaryTokens: summaries * 100,
    total: new CellSum().result(),
    columns: {
      paid: Float64Array.from(paid),
      rereads: nothing(paid),
      unsure: nothing(paid),
      lost: losses,
      summarised: nothing(paid),
      expected: losses,
    },
  }
}

function measurementsOf(uses: readonly number[], today: Drawn, ...candidates: readonly Drawn[]): Measurements {
  const baseline = figuresOf(today, 'today')
  return {
    transcripts: uses.length,
    requests: 100,
    unit: 'usd',
    bill: null,
    costed: today.paid.filter((paid) => paid > 0).length,
    presentPolicy: null,
    keptPercent: 50,
    errorPercent: 12,
    newer: null,
    withoutUsage: null,
    rises: null,
    tried: candidates.length,
    uses: Float64Array.from(uses),
    baseline,
    present: baseline.columns,
    candidates: candidates.map((one, at) => figuresOf(one, `candidate-${at}`)),
  }
}

const sessions = 14
const column = (most: number) =>
  fc.array(fc.integer({ min: 0, max: most }), { minLength: sessions, maxLength: sessions })
const drawn = fc.record({
  paid: column(20),
  lost: column(2),
  fault: fc.nat(8),
  params: fc.nat(2),
  summaries: fc.nat(1),
  budget: fc.constantFrom(100, 200, 300),
})
const measurements = fc
  .tuple(
    fc.constantFrom(1, 2, 20, 200),
    column(20).map((paid) => paid.map((one) => one + 1)),
    column(2),
    fc.array(drawn, { minLength: 1, maxLength: 6 }),
  )
  .map(([uses, paid, lost, candidates]) => measurementsOf(Array(sessions).fill(uses), { paid, lost }, ...candidates))
const tolerances: fc.Arbitrary<Tolerance> = fc.record({
  over: fc.constantFrom('nothing', 'baseline'),
  percent: fc.constantFrom(0, 1, 10, 100),
})
const everywhere = Array.from({ length: sessions }, (_, at) => at)

/** What the grades of a candidate come to by hand, where it is fit. */
function gradeOf(measured: Measurements, { columns, edits }: Contender, allowedMore: number, among = everywhere) {
  const { baseline, present, uses } = measured
  const sample = { paid: baseline.columns.paid, uses: uses, lost: present.expected }
  const tried = { paid: columns.paid, unsure: columns.unsure, lost: columns.expected, cuts: edits > 0 }
  const saving = savingIn(sample, tried, among)
  const extra = extraLossIn(sample, tried, among)
  if (saving.percent <= 0) return { grade: 4, saving }
  if (extra.most > allowedMore + 0.05) return { grade: 3, saving }
  if (saving.low <= 0) return { grade: 2, saving }
  return { grade: extra.most > allowedMore + 0.005 ? 1 : 0, saving }
}

describe('what to take', () => {
  it('is what going through the whole table by hand gives', () => {
    fc.assert(
      fc.property(measurements, tolerances, (measured, tolerance) => {
        const { baseline, candidates } = measured
        const result = decide(measured, tolerance)
        const total = measured.uses.reduce((sum, one) => sum + one, 0)
        const now = baseline.columns.lost.reduce((sum, one) => sum + one, 0)
        const more = tolerance.percent / 100 - (tolerance.over === 'nothing' ? now / total : 0)
        const fit = candidates.filter(
          ({ refusedRequests, promptGoneRequests, overWindowRequests }) =>
            refusedRequests + promptGoneRequests + overWindowRequests === 0,
        )
        if (fit.length === 0) {
          expect([result.best, result.recommended]).toEqual([null, null])
          return
        }
        const graded = fit.map((one) => ({ one, ...gradeOf(measured, one, more) }))
        const first = Math.min(...graded.map(({ grade }) => grade))
        const best = graded.find(({ one }) => one.setting === result.best?.setting) as (typeof graded)[number]
        expect(best.grade).toBe(first)
        // Nothing of the same grade surely saves a percentage point more.
        if (first !== 3) {
          const most = Math.max(...graded.filter(({ grade }) => grade === first).map(({ saving }) => saving.low))
          expect(best.saving.low).toBeGreaterThan(most - 1)
        }
        const dear = everywhere.toSorted(
          (a, b) => (baseline.columns.paid[b] as number) - (baseline.columns.paid[a] as number),
        )
        const without = gradeOf(measured, best.one, more, dear.slice(3))
        const holds = first < 2 && (result.best?.saved.low as number) > 0 && without.saving.low > 0
        const outcome: Decision['outcome'] = total < 30 ? 'too-few-uses' : !holds ? 'keep' : first === 0 ? 'set' : 'try'
        expect(result.outcome).toBe(outcome)
        expect(result.recommended).toBe(outcome === 'set' || outcome === 'try' ? result.best : null)
        expect(result.keepReason === null).toBe(outcome !== 'keep')
      }),
      { numRuns: 300 },
    )
  })

  const ones = (value: number) => Array<number>(sessions).fill(value)
  const uses = ones(100)
  const now = { paid: ones(2), lost: ones(1) }
  const strict: Tolerance = { over: 'baseline', percent: 0 }
  const decided = (...candidates: Partial<Drawn>[]) =>
    decide(measurementsOf(uses, now, ...candidates.map((one) => ({ ...now, paid: ones(1), ...one }))), strict)

  it('sets what surely saves and loses no more', () => {
    const { outcome, recommended } = decided({})
    expect([outcome, recommended?.setting, recommended?.verdict]).toEqual(['set', 'candidate-0', 'recommended'])
  })

  it('tries what may lose one in fifty more, and keeps what there is before losing one in ten more', () => {
    expect(decided({ lost: ones(3) })).toMatchObject({ outcome: 'try', recommended: { verdict: 'worth trying' } })
    expect(decided({ lost: ones(11) })).toMatchObject({ outcome: 'keep', keepReason: 'loses-more', recommended: null })
    const measured = measurementsOf(uses, now, { ...now, paid: ones(1), lost: ones(11) })
    expect(decide(measured, { over: 'baseline', percent: 10 }).outcome).toBe('set')
  })

  it('only tries what loses as much in sum, and more in half of the sessions', () => {
    const uneven = ones(0).map((_, at) => (at % 2 === 0 ? 0 : 6))
    const measured = measurementsOf(uses, { paid: ones(2), lost: ones(3) }, { paid: ones(1), lost: uneven })
    expect(decide(measured, strict)).toMatchObject({ outcome: 'try', best: { losses: { extraPercent: 0 } } })
  })

  it('keeps what there is where the saving may be none, or where nothing is cheaper', () => {
    const noisy = ones(2).map((paid, at) => (at % 2 === 0 ? 0.5 * paid : 1.4 * paid))
    expect(decided({ paid: noisy })).toMatchObject({ outcome: 'keep', keepReason: 'not-sure' })
    expect(decided({ paid: ones(2.1) })).toMatchObject({ outcome: 'keep', keepReason: 'nothing-cheaper' })
    expect(decided({ fault: 1 })).toMatchObject({ outcome: 'keep', keepReason: 'none-fit', best: null })
  })

  it('keeps what there is where three sessions have all that is saved', () => {
    const paid = ones(1).map((own, at) => (at < 3 ? 4 : own))
    const after = paid.map((own, at) => (at < 3 ? own / 2 : own))
    const result = decide(measurementsOf(uses, { paid, lost: ones(0) }, { paid: after, lost: ones(0) }), strict)
    expect(result).toMatchObject({ outcome: 'keep', dearestPercent: 52.17 })
  })

  it('takes the simpler of two that save as much', () => {
    const takenOf = (...candidates: Partial<Drawn>[]) => decided(...candidates).recommended?.setting
    expect(takenOf({ params: 1 }, { params: 0 })).toBe('candidate-1')
    expect(takenOf({ summaries: 1 }, { params: 2 })).toBe('candidate-1')
    expect(takenOf({ budget: 100 }, { budget: 200 })).toBe('candidate-1')
    expect(takenOf({ paid: ones(0.5), params: 2 }, { params: 0 })).toBe('candidate-0')
    expect(
      decided({ params: 1 }, { params: 0 })
        .candidates.map(({ verdict }) => verdict)
        .sort(),
    ).toEqual(['recommended', 'tie'])
  })

  it('says nothing of nine sessions, and no interval', () => {
    const cut = <T>(list: readonly T[]) => list.slice(0, 9)
    const few = measurementsOf(
      cut(uses),
      { paid: cut(now.paid), lost: cut(now.lost) },
      { paid: cut(ones(1)), lost: cut(now.lost) },
    )
    expect(decide(few, strict)).toMatchObject({
      outcome: 'too-few-sessions',
      recommended: null,
      best: { saved: { cost: 9, percent: 50, low: null, high: null } },
    })
  })

  it('tells of thirty later uses, and not of fewer', () => {
    const of = (total: number) => {
      const all = ones(0).map((_, at) => (at < total % sessions ? 1 : 0) + Math.floor(total / sessions))
      return decide(measurementsOf(all, { ...now, lost: ones(0) }, { paid: ones(1), lost: ones(0) }), strict).outcome
    }
    expect([of(29), of(30)]).toEqual(['too-few-uses', 'keep'])
  })

  it('charges what is read again', () => {
    const measured = measurementsOf(uses, now, { ...now, paid: ones(1) })
    const [one] = measured.candidates as [Contender]
    const charged = { ...one, columns: { ...one.columns, rereads: Float64Array.from(ones(1.5)) } }
    const result = decide({ ...measured, candidates: [charged] }, strict)
    expect(result).toMatchObject({ outcome: 'keep', candidates: [{ paid: 14, rereads: 21, net: 35 }] })
  })
})
