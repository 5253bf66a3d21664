import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type Choice, type Contender, decide, type Measurements, usualChoice } from '../../../src/app/answer/decide.ts'
import { extraLossIn, savingIn } from '../../../src/app/answer/forecast.ts'
import { CellSum } from '../../../src/app/sum.ts'
import { type Decision, type Risk, risks } from '../../../src/model/recommendation.ts'
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
      peak: new Float64Array(paid.length).fill(200),
    },
  }
}

function measurementsOf(uses: readonly number[], today: Drawn, ...candidates: readonly Drawn[]): Measurements {
  const baseline = figuresOf(today, 'today')
  return {
    sessions: uses.length,
    sessionOf: Int32Array.from(uses, (_, at) => at),
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
  paid: fc.oneof(
    column(20),
    fc.integer({ min: 0, max: 10 }).map((paid) => Array<number>(sessions).fill(paid)),
  ),
  lost: column(2),
  fault: fc.nat(8),
  params: fc.nat(2),
  summaries: fc.nat(1),
  budget: fc.constantFrom(100, 150, 200),
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
const choices: fc.Arbitrary<Choice> = fc.record({
  risk: fc.constantFrom(...risks),
  tolerance: fc.option(tolerances),
})

/** By hand. */
const pricesOf: Readonly<Record<Risk, number>> = { cautious: 7, balanced: 3, bold: 1.5 }

function oddsOf({ baseline, present, uses }: Measurements, { columns, budget }: Contender) {
  const all = Array.from(uses, (_, at) => at)
  const sample = { paid: baseline.columns.paid, uses, lost: present.expected }
  const depth = Float64Array.from(uses, () => Math.max(0, 1 - (budget as number) / 200))
  const tried = { paid: columns.paid, unsure: columns.unsure, lost: columns.expected, depth, cuts: true }
  return { saving: savingIn(sample, tried, all), extra: extraLossIn(sample, tried, all) }
}

const isFit = (one: Pick<Contender, 'refusedRequests' | 'promptGoneRequests' | 'overWindowRequests'>) =>
  one.refusedRequests + one.promptGoneRequests + one.overWindowRequests === 0

/** What may be set, with what each is worth. */
function possible(measured: Measurements, { risk, tolerance }: Choice) {
  const [total, now] = [measured.uses, measured.present.expected].map((all) =>
    all.reduce((sum, one) => sum + one, 0),
  ) as [number, number]
  return measured.candidates.filter(isFit).flatMap((one) => {
    const { saving, extra } = oddsOf(measured, one)
    if (saving.chance < 0.9 || saving.percent <= 1) return []
    if (tolerance) {
      const most = (total * tolerance.percent) / 100 - (tolerance.over === 'nothing' ? now : 0)
      return extra.measured * total <= most + 1e-6 ? [{ one, worth: saving.percent }] : []
    }
    const worth = saving.percent / 100 - pricesOf[risk] * Math.max(0, extra.share)
    return worth > 0 && extra.share <= 0.12 ? [{ one, worth }] : []
  })
}

describe('what to take', () => {
  it('is what going through the whole table by hand gives', () => {
    fc.assert(
      fc.property(measurements, choices, (measured, choice) => {
        const result = decide(measured, choice)
        const all = possible(measured, choice)
        const most = Math.max(...all.map(({ worth }) => worth))
        expect(result.recommended === null).toBe(all.length === 0)
        expect(result.outcome === 'set').toBe(all.length > 0)
        if (!result.recommended) return
        const taken = all.find(({ one }) => one.setting === result.recommended?.setting)
        expect(taken?.worth).toBeCloseTo(most, 9)
        expect(result.best).toBe(result.recommended)
      }),
      { numRuns: 300 },
    )
  })

  it('has no row that saves more and loses no more than the named one', () => {
    fc.assert(
      fc.property(measurements, fc.constantFrom(...risks), (measured, risk) => {
        const { recommended, candidates } = decide(measured, { risk, tolerance: null })
        const better = candidates.filter(
          (row) =>
            isFit(row) &&
            (row.saved.chancePercent ?? 0) >= 90 &&
            row.saved.percent > Math.max(1, recommended?.saved.percent ?? 1) + 0.01 &&
            row.losses.extraPercent <= Math.max(0, (recommended?.losses.extraPercent ?? 0) - 0.01),
        )
        expect(better.map(({ setting }) => setting)).toEqual([])
      }),
      { numRuns: 300 },
    )
  })

  it('says of every row what its columns show', () => {
    fc.assert(
      fc.property(measurements, choices, (measured, choice) => {
        const { recommended, candidates } = decide(measured, choice)
        for (const row of candidates) {
          const { saved, losses, verdict } = row
          if (verdict === 'dearer') expect(saved.percent).toBeLessThanOrEqual(0)
          if (verdict === 'refused') expect(row.refusedRequests + row.promptGoneRequests).toBeGreaterThan(0)
          if (verdict === 'over window') expect(row.overWindowRequests).toBeGreaterThan(0)
          if (verdict === 'too few sessions') expect(saved.chancePercent ?? 0).toBeLessThanOrEqual(90)
          if (verdict === 'too few uses')
            expect([losses.expected <= measured.present.expected.length * 2, losses.total < 20]).toEqual([true, true])
          if (verdict === 'loses more' && !choice.tolerance) {
            expect(losses.extraPercent).toBeGreaterThanOrEqual(Math.max(0, recommended?.losses.extraPercent ?? 0))
          }
          if (verdict === 'recommended') expect(row).toBe(recommended)
        }
      }),
      { numRuns: 300 },
    )
  })

  it('says of the nearest row what it says of all', () => {
    const told = { 'loses more': 'loses-more', 'too few sessions': 'too-few-sessions', 'too few uses': 'too-few-uses' }
    fc.assert(
      fc.property(measurements, choices, (measured, choice) => {
        const { outcome, keepReason, best } = decide(measured, choice)
        if (outcome === 'set' || best === null || risks.some((risk) => risk === best.verdict)) return
        const said = told[best.verdict as keyof typeof told] ?? 'nothing-cheaper'
        expect(outcome === 'keep' ? keepReason : outcome).toBe(said)
      }),
      { numRuns: 300 },
    )
  })

  it('calls only what would be worth it a matter of sessions', () => {
    const uneven = ones(0).map((_, at) => (at % 2 === 0 ? 0.2 : 3.2))
    const verdictOf = (one: Partial<Drawn>) => decided('balanced', one).candidates[0]?.verdict
    expect(verdictOf({ paid: uneven })).toBe('too few sessions')
    expect(verdictOf({ paid: uneven, lost: ones(40) })).toBe('loses more')
    expect(verdictOf({ paid: ones(1.99) })).toBe('saves less')
  })

  it('is the same in any order of the sessions and of the candidates', () => {
    fc.assert(
      fc.property(measurements, fc.nat(13), (measured, by) => {
        const turned = (column: Float64Array) => Float64Array.from([...column.slice(by), ...column.slice(0, by)])
        const turn = (one: Contender): Contender => {
          const columns = Object.fromEntries(Object.entries(one.columns).map(([key, column]) => [key, turned(column)]))
          return { ...one, columns: columns as unknown as Contender['columns'] }
        }
        const other = {
          ...measured,
          uses: turned(measured.uses),
          baseline: turn(measured.baseline),
          present: turn(measured.baseline).columns,
          candidates: measured.candidates.map(turn).reverse(),
        }
        const said = ({ outcome, recommended, best, candidates }: ReturnType<typeof decide>) => [
          outcome,
          recommended?.setting,
          best?.setting,
          candidates.map(({ setting, verdict }) => `${setting} ${verdict}`).sort(),
        ]
        expect(said(decide(other, usualChoice))).toEqual(said(decide(measured, usualChoice)))
      }),
    )
  })

  it('counts the transcripts of a session as one', () => {
    fc.assert(
      fc.property(measurements, (measured) => {
        const halved = (column: Float64Array) => Float64Array.from([...column, ...column], (own) => own / 2)
        const split = (one: Contender): Contender => ({
          ...one,
          columns: {
            ...one.columns,
            paid: halved(one.columns.paid),
            expected: halved(one.columns.expected),
            lost: halved(one.columns.lost),
            rereads: halved(one.columns.rereads),
            summarised: halved(one.columns.summarised),
            unsure: halved(one.columns.unsure),
            peak: Float64Array.from([...one.columns.peak, ...one.columns.peak]),
          },
        })
        const parts = {
          ...measured,
          sessionOf: Int32Array.from([...measured.sessionOf, ...measured.sessionOf]),
          uses: halved(measured.uses),
          baseline: split(measured.baseline),
          present: split(measured.baseline).columns,
          candidates: measured.candidates.map(split),
        }
        const said = ({ outcome, candidates }: ReturnType<typeof decide>) => [
          outcome,
          candidates.map(({ setting, verdict, saved }) => `${setting} ${verdict} ${saved.percent.toFixed(1)}`).sort(),
        ]
        expect(said(decide(parts, usualChoice))).toEqual(said(decide(measured, usualChoice)))
      }),
    )
  })

  const ones = (value: number) => Array<number>(sessions).fill(value)
  const uses = ones(100)
  const now = { paid: ones(2), lost: ones(1) }
  const decided = (risk: Risk, ...candidates: Partial<Drawn>[]) =>
    decide(measurementsOf(uses, now, ...candidates.map((one) => ({ ...now, paid: ones(1), ...one }))), {
      risk,
      tolerance: null,
    })

  it('sets a planted saving, and keeps what there is beside a planted rise', () => {
    expect(decided('balanced', {})).toMatchObject({ outcome: 'set', recommended: { verdict: 'recommended' } })
    expect(decided('balanced', { paid: ones(2.1) })).toMatchObject({
      outcome: 'keep',
      keepReason: 'nothing-cheaper',
      candidates: [{ verdict: 'dearer' }],
    })
    expect(decided('balanced', { fault: 1 })).toMatchObject({ outcome: 'keep', keepReason: 'none-fit', best: null })
  })

  it('pays by risk for what is lost: a fifth more of the later uses is worth half of the money to nobody but the bold', () => {
    const of = (lost: number) => risks.map((risk) => decided(risk, { lost: ones(1 + lost), budget: 200 }).outcome)
    expect(of(5)).toEqual(['set', 'set', 'set'])
    expect(of(9)).toEqual(['keep', 'set', 'set'])
    // One in eight is too much, whatever it saves.
    expect(of(14)).toEqual(['keep', 'keep', 'keep'])
    expect(decided('balanced', { lost: ones(21), budget: 200 })).toMatchObject({ keepReason: 'loses-more' })
  })

  it('shows the menu beside what is taken', () => {
    const all = { lost: ones(1), paid: ones(1.6), budget: 200 }
    const result = decided(
      'balanced',
      all,
      { lost: ones(7), paid: ones(1.2), budget: 200 },
      { lost: ones(11), paid: ones(1), budget: 200 },
    )
    expect(Object.fromEntries(result.candidates.map(({ setting, verdict }) => [setting, verdict]))).toEqual({
      'candidate-0': 'cautious',
      'candidate-1': 'recommended',
      'candidate-2': 'bold',
    })
  })

  it('takes a limit in place of a price', () => {
    const measured = measurementsOf(uses, now, { ...now, paid: ones(1), lost: ones(11) })
    const of = (tolerance: Tolerance) => decide(measured, { risk: 'balanced', tolerance }).outcome
    expect(of({ over: 'baseline', percent: 9 })).toBe('keep')
    expect(of({ over: 'baseline', percent: 10 })).toBe('set')
    expect(of({ over: 'nothing', percent: 11 })).toBe('set')
  })

  it('says nothing of an empty sample, of one session, or of what may be chance', () => {
    const few = (count: number, paid: (at: number) => number): Decision['outcome'] => {
      const cut = (of: (at: number) => number) => Array.from({ length: count }, (_, at) => of(at))
      const measured = measurementsOf(
        cut(() => 100),
        { paid: cut(() => 2), lost: cut(() => 1) },
        { paid: cut(paid), lost: cut(() => 1) },
      )
      return decide(measured, usualChoice).outcome
    }
    expect(few(0, () => 1)).toBe('keep')
    expect(few(1, () => 1)).toBe('too-few-sessions')
    expect(few(2, () => 1)).toBe('set')
    expect(few(2, (at) => (at === 0 ? 0.5 : 2.4))).toBe('too-few-sessions')
    expect(decide({ ...measurementsOf([], { paid: [], lost: [] }), tried: 0 }, usualChoice).outcome).toBe(
      'nothing-to-set',
    )
  })

  it('says nothing of what is lost where there was nothing to lose', () => {
    const measured = measurementsOf(
      ones(0),
      { paid: ones(2), lost: ones(0) },
      { paid: ones(1.6), lost: ones(0), budget: 20 },
    )
    expect(decide(measured, usualChoice)).toMatchObject({
      outcome: 'too-few-uses',
      candidates: [{ verdict: 'too few uses' }],
    })
  })

  it('takes the simpler of two that are worth as much', () => {
    const takenOf = (...candidates: Partial<Drawn>[]) => decided('balanced', ...candidates).recommended?.setting
    expect(takenOf({ params: 1 }, { params: 0 })).toBe('candidate-1')
    expect(takenOf({ summaries: 1 }, { params: 2 })).toBe('candidate-1')
    expect(takenOf({ budget: 200 }, { budget: 300 })).toBe('candidate-1')
    expect(takenOf({ paid: ones(0.5), params: 2 }, { params: 0 })).toBe('candidate-0')
  })

  it('charges what is read again', () => {
    const measured = measurementsOf(uses, now, { ...now, paid: ones(1) })
    const [one] = measured.candidates as [Contender]
    const charged = { ...one, columns: { ...one.columns, rereads: Float64Array.from(ones(1.5)) } }
    const result = decide({ ...measured, candidates: [charged] }, usualChoice)
    expect(result).toMatchObject({ outcome: 'keep', candidates: [{ paid: 14, rereads: 21, net: 35 }] })
  })
})
