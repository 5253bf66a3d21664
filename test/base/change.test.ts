/** How much a ratio has changed: the interval against every way to deal few observations to two sides. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { changeBetween, type Observation } from '../../src/base/change.ts'

const observation = fc.record({
  part: fc.double({ min: 0.1, max: 100, noNaN: true }),
  whole: fc.constantFrom(1, 1, 2, 5),
})
const sample = fc.array(observation, { minLength: 5, maxLength: 6 })

const ratioOf = (all: readonly Observation[]): number =>
  all.reduce((sum, { part }) => sum + part, 0) / all.reduce((sum, { whole }) => sum + whole, 0)

/** Of all ways to deal, how many differ as much to that side as the observed one, with `after` divided by the factor. */
function beyond(before: readonly Observation[], after: readonly Observation[], factor: number, side: 1 | -1): number {
  const divided = after.map(({ part, whole }) => ({ part: part / factor, whole }))
  const all = [...before, ...divided]
  const difference = (one: readonly Observation[], other: readonly Observation[]): number =>
    side * Math.log(ratioOf(other) / ratioOf(one))
  const observed = difference(before, divided)
  let [count, ways] = [0, 0]
  for (let bits = 0; bits < 1 << all.length; bits++) {
    const one = all.filter((_, at) => (bits >> at) & 1)
    if (one.length !== before.length) continue
    ways++
    const other = all.filter((_, at) => !((bits >> at) & 1))
    if (difference(one, other) >= observed - 1e-9) count++
  }
  return count / ways
}

describe('changeBetween', () => {
  it('has the factors at which one deal in forty or more differs as much', () => {
    let bounded = 0
    fc.assert(
      fc.property(sample, sample, (before, after) => {
        const change = changeBetween(before, after)
        expect(change?.factor).toBeCloseTo(ratioOf(after) / ratioOf(before))
        if (!change?.interval) return
        bounded++
        const { low, high } = change.interval
        expect(low).toBeLessThanOrEqual(change.factor)
        expect(high).toBeGreaterThanOrEqual(change.factor)
        // A thousand deals are not all of them.
        const slack = 0.02
        expect(beyond(before, after, high * 1.05, -1)).toBeLessThan(0.025 + slack)
        expect(beyond(before, after, high / 1.05, -1)).toBeGreaterThan(0.025 - slack)
        if (low === 0) return
        expect(beyond(before, after, low / 1.05, 1)).toBeLessThan(0.025 + slack)
        expect(beyond(before, after, low * 1.05, 1)).toBeGreaterThan(0.025 - slack)
      }),
      { numRuns: 30 },
    )
    expect(bounded).toBeGreaterThan(20)
  })

  it('is the other way round where before and after are', () => {
    fc.assert(
      fc.property(sample, sample, (before, after) => {
        const [one, other] = [changeBetween(before, after), changeBetween(after, before)]
        expect((one?.factor ?? 0) * (other?.factor ?? 0)).toBeCloseTo(1)
      }),
    )
  })

  it('says nothing where there is nothing on one side', () => {
    const some = [{ part: 1, whole: 1 }]
    expect(changeBetween([], some)).toBeNull()
    expect(changeBetween(some, [{ part: 0, whole: 1 }])).toBeNull()
    expect(changeBetween(some, some)).toEqual({ factor: 1, interval: null })
  })
})
