/** What probes say together, against the same worked out with whole matrices, and with the probes that are thought added. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { studentReach } from '../../src/base/student.ts'
import { uniform } from '../../src/base/uniform.ts'
import { estimateOf, pilotOf, powerOf } from '../../src/measures/noninferiority.ts'
import { fewestSessions, isNonInferior, type ProbeOutcome } from '../../src/model/probe.ts'
import { differenceOf, drawn, floorOfNoise, lostOf, noiseOfFloor } from './probe-server.ts'

const outcome = fc.record({
  cluster: fc.integer({ min: 0, max: 7 }),
  floor: fc.constantFrom(0, 1),
  across: fc.constantFrom(0, 0.25, 0.5, 0.75, 1),
  weight: fc.constantFrom(1, 1, 2, 0.5, 7),
})
const outcomes = fc
  .array(outcome, { minLength: fewestSessions, maxLength: 40 })
  .filter((all) => new Set(all.map(({ cluster }) => cluster)).size >= fewestSessions)

const sum = (numbers: readonly number[]): number => numbers.reduce((total, one) => total + one, 0)

/** With matrices of sessions by sessions, as the papers have it. */
function slowly(all: readonly Required<ProbeOutcome>[]) {
  const weight = sum(all.map((one) => one.weight))
  const mean = (of: (one: Required<ProbeOutcome>) => number) => sum(all.map((one) => one.weight * of(one))) / weight
  const difference = mean(({ across }) => across) - mean(({ floor }) => floor)
  const sessions = [...new Set(all.map(({ cluster }) => cluster))].map((cluster) =>
    all.filter((one) => one.cluster === cluster),
  )
  const shares = sessions.map((own) => sum(own.map((one) => one.weight)) / weight)
  const residuals = sessions.map((own) => sum(own.map((one) => one.weight * (one.across - one.floor - difference))))
  const variance = sum(residuals.map((one, at) => one ** 2 / (1 - shares[at]!))) / weight ** 2
  // The covariance of a session's probes: 1, and 0.3 between two of them.
  const spreads = sessions.map((own) =>
    sum(own.flatMap((one, at) => own.map((other, to) => one.weight * other.weight * (at === to ? 1 : 0.3)))),
  )
  const matrix = sessions.map((_, row) =>
    sessions.map((_, column) =>
      sum(
        sessions.map((_, at) => {
          const entry = (of: number) => (Number(of === at) - shares[of]!) / Math.sqrt(1 - shares[of]!)
          return entry(row) * entry(column) * spreads[at]!
        }),
      ),
    ),
  )
  const trace = sum(matrix.map((row, at) => row[at]!))
  const degrees = trace ** 2 / sum(matrix.flatMap((row) => row.map((entry) => entry ** 2)))
  const alike = weight ** 2 / sum(spreads)
  const spread = mean(({ across, floor }) => (across - floor - difference) ** 2)
  const effective = variance > 0 ? Math.min(alike, spread / variance) : alike
  // So many independent probes with the same mean and variance of the mean, one at -1 and one at 1.
  const centre = (effective * difference - 1 + 1) / (effective + 2)
  const square = (effective * (effective * variance + difference ** 2) + 1 + 1) / (effective + 2)
  const reach = studentReach(degrees) * Math.sqrt((square - centre ** 2) / (effective + 2))
  return { difference, low: Math.max(-1, centre - reach), high: Math.min(1, centre + reach) }
}

describe('what probes say together', () => {
  it('is what it is by the matrices', () => {
    fc.assert(
      fc.property(outcomes, (all) => {
        const [found, slow] = [estimateOf(all), slowly(all)]
        expect(found.difference).toBeCloseTo(slow.difference, 9)
        expect(found.low).toBeCloseTo(slow.low, 6)
        expect(found.high).toBeCloseTo(slow.high, 6)
        expect(found.across).toBeCloseTo((found.floor as number) + slow.difference, 9)
        expect(found.probes).toBe(all.length)
        expect(found.clusters).toBe(new Set(all.map(({ cluster }) => cluster)).size)
      }),
    )
  })

  it('has an interval around the difference, never of width zero', () => {
    fc.assert(
      fc.property(outcomes, (all) => {
        const { low, high, difference } = estimateOf(all) as Record<'low' | 'high' | 'difference', number>
        expect(low).toBeLessThanOrEqual(difference)
        expect(high).toBeGreaterThanOrEqual(difference)
        expect(high - low).toBeGreaterThan(0.01)
      }),
    )
  })

  it('is the other way round where gains are losses, and the same by any unit of weight', () => {
    fc.assert(
      fc.property(outcomes, fc.constantFrom(0.125, 3, 1000), (all, unit) => {
        const found = estimateOf(all)
        const turned = estimateOf(all.map((one) => ({ ...one, floor: one.across, across: one.floor })))
        const scaled = estimateOf(all.map((one) => ({ ...one, weight: unit * one.weight })))
        for (const [one, other] of [
          [found.low, -(turned.high as number)],
          [found.high, -(turned.low as number)],
          [found.low, scaled.low],
          [found.high, scaled.high],
        ])
          expect(one).toBeCloseTo(other as number, 6)
      }),
    )
  })

  it('of sessions where nothing differs is bounded by how many there are', () => {
    const equal = (sessions: number) =>
      estimateOf(Array.from({ length: 6 * sessions }, (_, at) => ({ cluster: at % sessions, floor: 1, across: 1 })))
    const [few, many] = [equal(12), equal(150)]
    expect(few.difference).toBe(0)
    expect(few.low).toBeCloseTo(-0.1011, 4)
    expect(many.low).toBeCloseTo(-0.0077, 4)
    expect(isNonInferior(few, 0.05)).toBe(false)
    expect(isNonInferior(many, 0.05)).toBe(true)
  })

  it('has no interval of too few sessions, and nothing of none', () => {
    const of = (sessions: number) =>
      estimateOf(
        Array.from({ length: 2 * sessions }, (_, at) => ({ cluster: at >> 1, floor: 1, across: at % 2 ? 1 : 0.5 })),
      )
    for (let sessions = 1; sessions < fewestSessions; sessions++) {
      expect(of(sessions)).toEqual({
        ...{ probes: 2 * sessions, clusters: sessions, floor: 1, across: 0.75, difference: -0.25 },
        ...{ low: null, high: null, method: 'none' },
      })
      expect(isNonInferior(of(sessions), 1)).toBe(false)
    }
    const { low, high, method } = of(fewestSessions)
    expect([method, low, high]).toEqual(['clustered', expect.any(Number), expect.any(Number)])
    expect(estimateOf([])).toEqual({
      ...{ probes: 0, clusters: 0, floor: null, across: null, difference: null, low: null, high: null, method: 'none' },
    })
  })

  it('is not off where requests are drawn unequally, once each weighs what it stands for', () => {
    const random = uniform(3)
    const noise = noiseOfFloor(0.8)
    // All of the requests that lost something are asked, and a tenth of the others.
    const lost = lostOf(-0.05, noise)
    const all: ProbeOutcome[] = []
    for (let request = 0; request < 200_000; request++) {
      const isLost = random() < lost
      if (isLost || random() < 0.1)
        all.push({ cluster: request % 500, weight: isLost ? 1 : 10, ...drawn(random, noise, isLost) })
    }
    expect(Math.abs((estimateOf(all).difference as number) + 0.05)).toBeLessThan(0.005)
    const plain = estimateOf(all.map(({ cluster, floor, across }) => ({ cluster, floor, across })))
    expect(plain.difference).toBeLessThan(-0.2)
  })
})

describe('the server that tests ask', () => {
  it('agrees with itself, and with what lost something, as often as the closed form says', () => {
    fc.assert(
      fc.property(
        fc.double({ min: 0, max: 0.5, noNaN: true }),
        fc.double({ min: 0, max: 1, noNaN: true }),
        (noise, lost) => {
          // What each answer is, by its probability.
          const full = [1 - noise, 0, noise]
          const policy = [(1 - lost) * (1 - noise), lost * (1 - noise), noise]
          const same = (other: readonly number[]): number => sum(full.map((one, at) => one * other[at]!))
          expect(floorOfNoise(noise)).toBeCloseTo(same(full), 9)
          expect(differenceOf(lost, noise)).toBeCloseTo(same(policy) - same(full), 9)
          expect(noiseOfFloor(floorOfNoise(noise))).toBeCloseTo(noise, 6)
        },
      ),
    )
  })
})

describe('what a plan can be expected to tell', () => {
  it('is more with more sessions, and with more probes of each', () => {
    fc.assert(
      fc.property(fc.integer({ min: 2, max: 300 }), fc.integer({ min: 1, max: 20 }), (sessions, perSession) => {
        const { halfWidth } = powerOf({ sessions, perSession })
        expect(powerOf({ sessions: sessions + 1, perSession }).halfWidth).toBeLessThanOrEqual(halfWidth)
        expect(powerOf({ sessions, perSession: perSession + 1 }).halfWidth).toBeLessThanOrEqual(halfWidth)
        expect(halfWidth).toBeGreaterThan(0)
      }),
    )
  })

  it('is what the interval is of probes that came as they were expected', () => {
    const found = Array.from({ length: 40 }, (_, at) => ({ cluster: at >> 1, floor: at % 4 < 2 ? 1 : 0, across: 0.5 }))
    const { low, high } = estimateOf(found)
    const power = powerOf({ sessions: 20, perSession: 2, floor: 0.5, spread: 0.25, correlation: 1 })
    // Of 20 sessions one is taken away for the mean, which the plan does not do.
    expect(((high as number) - (low as number)) / 2 / power.halfWidth).toBeCloseTo(Math.sqrt(20 / 19), 1)
  })

  it('is told by a pilot', () => {
    expect(pilotOf([])).toBeNull()
    const alike = Array.from({ length: 60 }, (_, at) => ({
      cluster: at >> 2,
      floor: 1,
      across: (at >> 2) % 3 ? 1 : 0.5,
    }))
    const from = { probes: 60, sessions: 15 }
    expect(pilotOf(alike)).toEqual({ floor: 1, spread: expect.closeTo(1 / 18, 9), correlation: 1, from })
    const equal = alike.map((one) => ({ ...one, across: 1 }))
    expect(pilotOf(equal)).toEqual({ floor: 1, spread: 0, correlation: expect.closeTo(0.1, 9), from })
    expect(pilotOf(alike.slice(0, 40))?.from).toEqual({ probes: 40, sessions: 10 })
    expect(pilotOf(alike.slice(0, 36))).toBeNull()
    const apart = alike.map((one, at) => ({ ...one, across: at % 2 ? 1 : 0.5 }))
    expect(pilotOf(apart)?.correlation).toBe(0)
  })
})
