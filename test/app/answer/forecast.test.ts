import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { extraLossIn, type Sample, savingIn, type Tried } from '../../../src/app/answer/forecast.ts'
import { studentReach, studentShare } from '../../../src/base/student.ts'

interface Drawn {
  readonly paid: number
  readonly after: number
  readonly unsure: number
  readonly uses: number
  readonly now: number
  readonly lost: number
  readonly depth: number
}

const session = fc.record({
  paid: fc.constantFrom(0, 0.01, 1, 2, 5, 40),
  after: fc.integer({ min: 0, max: 50 }),
  unsure: fc.constantFrom(0, 0.1, 1),
  uses: fc.nat(40),
  now: fc.nat(3),
  lost: fc.nat(9),
  depth: fc.constantFrom(0, 0.25, 0.9),
})
const drawn = fc.tuple(fc.array(session, { minLength: 1, maxLength: 14 }), fc.boolean())

function columns(sessions: readonly Drawn[], cuts: boolean): { sample: Sample; tried: Tried } {
  const of = (key: keyof Drawn) => Float64Array.from(sessions, (one) => one[key])
  return {
    sample: { paid: of('paid'), uses: of('uses'), lost: of('now') },
    tried: { paid: of('after'), unsure: of('unsure'), lost: of('lost'), depth: of('depth'), cuts },
  }
}

const sum = (list: readonly number[]) => list.reduce((total, one) => total + one, 0)
const all = (sessions: readonly unknown[]) => sessions.map((_, at) => at)

describe('what a candidate would save', () => {
  it('is what the sums by hand give', () => {
    fc.assert(
      fc.property(drawn, ([sessions, cuts]) => {
        const { sample, tried } = columns(sessions, cuts)
        const { percent, low, high, chance } = savingIn(sample, tried, all(sessions))
        const before = sum(sessions.map(({ paid }) => paid))
        if (before === 0) {
          expect([percent, low, high, chance]).toEqual([0, null, null, 0])
          return
        }
        const saved = 1 - sum(sessions.map(({ after }) => after)) / before
        expect(percent).toBeCloseTo(100 * saved, 6)
        const priced = sessions.filter(({ paid }) => paid > 0)
        const n = before ** 2 / sum(priced.map(({ paid }) => paid ** 2))
        if (n < 2) {
          expect([low, high, chance]).toEqual([null, null, 0])
          return
        }
        const spread = sum(priced.map(({ paid, after }) => (paid / before) * (1 - after / paid - saved) ** 2))
        const variance = spread / (n - 1) + spread / n
        const error = sum(sessions.map(({ unsure }) => unsure ** 2)) / before ** 2
        const reach = studentReach(n - 1) * Math.sqrt(variance + (saved / 4) ** 2 + error)
        expect(low).toBeCloseTo(100 * (saved - reach), 3)
        expect(high).toBeCloseTo(100 * Math.min(1, saved + reach), 3)
        if (variance > 1e-9) expect(chance).toBeCloseTo(studentShare(saved / Math.sqrt(variance), n - 1), 6)
      }),
      { numRuns: 300 },
    )
  })

  it('depends on no order of the sessions', () => {
    fc.assert(
      fc.property(drawn, fc.nat(13), ([sessions, cuts], by) => {
        const turned = [...sessions.slice(by % sessions.length), ...sessions.slice(0, by % sessions.length)]
        const [one, other] = [sessions, turned].map((list) => {
          const { sample, tried } = columns(list, cuts)
          return [savingIn(sample, tried, all(list)), extraLossIn(sample, tried, all(list))] as const
        }) as unknown as [object, object]
        const rounded = (value: unknown) =>
          JSON.parse(JSON.stringify(value), (_, inner) =>
            typeof inner === 'number' ? Number(inner.toFixed(6)) : inner,
          )
        expect(rounded(one)).toEqual(rounded(other))
      }),
    )
  })

  it('is sure where every session saves, and even odds where they cancel', () => {
    const of = (after: readonly number[]) => {
      const none = new Float64Array(after.length)
      const tried = { paid: Float64Array.from(after), unsure: none, lost: none, depth: none, cuts: true }
      return savingIn({ paid: new Float64Array(after.length).fill(10) }, tried, all(after)).chance
    }
    expect(of([5, 5, 5])).toBe(1)
    expect(of([11, 11])).toBe(0)
    expect(of([5, 15, 5, 15])).toBeCloseTo(0.5, 9)
    expect(of([5])).toBe(0)
  })
})

describe('what a candidate would lose', () => {
  it('is what the sums by hand give, drawn towards other people’s sessions by ten uses', () => {
    fc.assert(
      fc.property(drawn, ([sessions, cuts]) => {
        const { sample, tried } = columns(sessions, cuts)
        const { measured, share, uses } = extraLossIn(sample, tried, all(sessions))
        const total = sum(sessions.map((one) => one.uses))
        expect(uses).toBe(total)
        const own = total === 0 ? 0 : sum(sessions.map(({ lost, now }) => lost - now)) / total
        expect(measured).toBeCloseTo(own, 9)
        if (!cuts) {
          expect(share).toBe(measured)
          return
        }
        const perSession = total === 0 ? 0 : sum(sessions.map((one) => one.uses ** 2)) / total
        const worth = total === 0 ? 0 : total / (1 + 0.075 * (perSession - 1))
        const money = sum(sessions.map(({ paid }) => paid))
        const depth = money === 0 ? 0 : sum(sessions.map(({ paid, depth: own }) => paid * own)) / money
        expect(share).toBeCloseTo((own * worth + (0.03 + 0.37 * depth) * 10) / (worth + 10), 9)
      }),
      { numRuns: 300 },
    )
  })
})
