import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { extraLossIn, halves, type Sample, savingIn, type Tried } from '../../../src/app/answer/forecast.ts'

interface Drawn {
  readonly paid: number
  readonly after: number
  readonly unsure: number
  readonly uses: number
  readonly now: number
  readonly lost: number
}

const session = fc.record({
  paid: fc.constantFrom(0, 0.01, 1, 2, 5, 40),
  after: fc.integer({ min: 0, max: 50 }),
  unsure: fc.constantFrom(0, 0.1, 1),
  uses: fc.nat(40),
  now: fc.nat(3),
  lost: fc.nat(9),
})
const drawn = fc.tuple(fc.array(session, { minLength: 1, maxLength: 14 }), fc.boolean())

function columns(sessions: readonly Drawn[], cuts: boolean): { sample: Sample; tried: Tried } {
  const of = (key: keyof Drawn) => Float64Array.from(sessions, (one) => one[key])
  return {
    sample: { paid: of('paid'), uses: of('uses'), lost: of('now') },
    tried: { paid: of('after'), unsure: of('unsure'), lost: of('lost'), cuts },
  }
}

const sum = (list: readonly number[]) => list.reduce((total, one) => total + one, 0)
const all = (sessions: readonly Drawn[]) => sessions.map((_, at) => at)

describe('what a candidate would save', () => {
  it('is what the sums by hand give', () => {
    fc.assert(
      fc.property(drawn, ([sessions, cuts]) => {
        const { sample, tried } = columns(sessions, cuts)
        const { percent, low, high } = savingIn(sample, tried, all(sessions))
        const before = sum(sessions.map(({ paid }) => paid))
        if (before === 0) {
          expect([percent, low, high]).toEqual([0, 0, 0])
          return
        }
        const paid = sessions.filter((one) => one.paid > 0)
        const saved = 1 - sum(sessions.map(({ after }) => after)) / before
        const weights = paid.map((one) => one.paid / before)
        const shares = paid.map((one) => 1 - one.after / one.paid)
        const sessionsOfEqualWeight = 1 / sum(weights.map((weight) => weight ** 2))
        const spread = sum(shares.map((share, at) => (weights[at] as number) * (share - saved) ** 2))
        const error = sum(paid.map(({ unsure }) => (unsure / before) ** 2))
        const reach = 1.6448536269514722 * Math.sqrt(spread / Math.max(0.5, sessionsOfEqualWeight - 1) + error)
        const dear = shares.filter((_, at) => (paid[at] as Drawn).paid >= before / 100)
        const unseen = 2 * Math.max(...paid.map((one) => one.paid))
        const weight = unseen / (before + unseen)
        expect(percent).toBeCloseTo(100 * saved, 6)
        expect(low).toBeCloseTo(100 * (saved - reach - weight * Math.max(0, saved - Math.min(0, ...dear))), 3)
        const most = saved + reach + weight * Math.max(0, Math.max(0.75, ...dear) - saved)
        expect(high).toBeCloseTo(100 * Math.min(1, most), 3)
      }),
      { numRuns: 300 },
    )
  })

  it('is surer of many sessions alike than of one that has all the money', () => {
    const widthOf = (paid: readonly number[]) => {
      const sample = { paid: Float64Array.from(paid), uses: new Float64Array(20), lost: new Float64Array(20) }
      const after = Float64Array.from(paid, (own, at) => own * (at % 2 === 0 ? 0.8 : 0.9))
      const tried = { paid: after, unsure: new Float64Array(20), lost: sample.lost, cuts: false }
      const { low, high } = savingIn(sample, tried, all(paid as unknown as Drawn[]))
      return high - low
    }
    const alike = Array.from({ length: 20 }, () => 5)
    expect(widthOf(alike)).toBeLessThan(widthOf([100, ...alike.slice(1)]))
  })
})

describe('what a candidate would lose beyond what is lost now', () => {
  it('is what the sums by hand give', () => {
    fc.assert(
      fc.property(drawn, ([sessions, cuts]) => {
        const { sample, tried } = columns(sessions, cuts)
        const { share, most } = extraLossIn(sample, tried, all(sessions))
        const uses = sum(sessions.map((one) => one.uses))
        if (uses === 0) {
          expect([share, most]).toEqual([0, cuts ? 1 : 0])
          return
        }
        const beyond = sessions.map(({ lost, now }) => lost - now)
        const mean = sum(beyond) / uses
        const squares = sum(sessions.map((one, at) => ((beyond[at] as number) - mean * one.uses) ** 2))
        const variance = (squares * sessions.length) / Math.max(1, sessions.length - 1)
        const largest = Math.max(...sessions.map((one) => one.uses))
        const rates = sessions.flatMap((one, at) => (one.uses >= uses / 100 ? (beyond[at] as number) / one.uses : []))
        const worst = Math.max(0, ...rates)
        expect(share).toBeCloseTo(mean, 9)
        expect(most).toBeCloseTo(
          mean +
            (1.6448536269514722 * Math.sqrt(Math.max(variance, cuts ? 1 : 0))) / uses +
            (largest / (uses + largest)) * Math.max(0, worst - mean),
          6,
        )
      }),
      { numRuns: 300 },
    )
  })

  it('is not none where something leaves the window and nothing of it was used yet', () => {
    const { sample, tried } = columns([{ paid: 1, after: 1, unsure: 0, uses: 100, now: 0, lost: 0 }], true)
    expect(extraLossIn(sample, tried, [0]).most).toBeCloseTo(0.01645, 5)
    expect(extraLossIn(sample, { ...tried, cuts: false }, [0]).most).toBe(0)
  })
})

describe('halves', () => {
  it('are all sessions, each in one of them, and the same every time', () => {
    for (const count of [0, 1, 7, 12]) {
      const drawn = [...halves(count, 5)]
      for (const [one, other] of drawn) {
        expect([...one, ...other].sort((a, b) => a - b)).toEqual(Array.from({ length: count }, (_, at) => at))
        expect(other.length - one.length).toBe(count % 2)
      }
      expect([...halves(count, 5)]).toEqual(drawn)
    }
  })
})
