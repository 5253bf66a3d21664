/** Where an agent began to compact elsewhere: found where it is planted, and by chance nowhere. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { uniform } from '../../src/base/uniform.ts'
import { type CompactedAt, movedIn } from '../../src/measures/moved.ts'

const day = 86_400_000
const start = Date.UTC(2026, 9, 1)

/** Sessions of some days, one or more a day, compacted a little behind their threshold. */
function sessions(thresholds: readonly number[], random: () => number): CompactedAt[] {
  let time = start
  return thresholds.map((threshold) => {
    time += random() * day
    return { time, tokens: Math.round(threshold * (1 + 0.06 * random())) }
  })
}

const repeated = (count: number, tokens: number): number[] => Array.from({ length: count }, () => tokens)

describe('movedIn', () => {
  it('finds nothing in at least 95 of 100 shuffled orders, whatever the sizes are', () => {
    const random = uniform(7)
    const kinds = [
      () => 160_000 * (1 + 0.1 * random()),
      () => Math.exp(11 + 1.5 * random()),
      () => (random() < 0.5 ? 155_000 : 95_000),
      () => 167_000,
    ]
    for (const size of kinds) {
      for (const count of [10, 14, 40]) {
        let found = 0
        for (let nth = 0; nth < 100; nth++) {
          const order = sessions(repeated(count, 1), random).map(({ time }) => ({ time, tokens: Math.round(size()) }))
          if (movedIn(order, nth) !== null) found++
        }
        expect(found).toBeLessThanOrEqual(5)
      }
    }
  })

  it('finds what is planted, on its day', () => {
    const random = uniform(8)
    let found = 0
    for (let nth = 0; nth < 100; nth++) {
      const all = sessions([...repeated(9, 165_000), ...repeated(8, 120_000)], random)
      const moved = movedIn(all, nth)
      // A day of the change has sessions of both kinds.
      if (moved === null || Math.abs(moved.day - (all[9] as CompactedAt).time) > 2 * day) continue
      found++
      expect(moved.before.tokens).toBeGreaterThan(160_000)
      expect(moved.after.tokens).toBeLessThan(130_000)
      expect(moved.before.sessions + moved.after.sessions).toBe(17)
    }
    expect(found).toBeGreaterThanOrEqual(95)
  })

  it('takes no small step for another setting, and nothing of a few sessions', () => {
    const random = uniform(9)
    expect(movedIn(sessions([...repeated(20, 165_000), ...repeated(20, 155_000)], random))).toBeNull()
    expect(movedIn(sessions([...repeated(4, 165_000), ...repeated(30, 100_000)], random))).toBeNull()
  })

  it('splits where the ranks of both sides differ most, whatever the order in which sessions are read', () => {
    const sizes = fc.array(fc.record({ day: fc.nat(20), tokens: fc.constantFrom(90, 100, 150, 160, 200) }), {
      minLength: 10,
      maxLength: 40,
    })
    fc.assert(
      fc.property(sizes, fc.integer(), (all, seed) => {
        const points = all.map((one) => ({ time: start + one.day * day, tokens: one.tokens }))
        const moved = movedIn(points)
        const random = uniform(seed)
        expect(movedIn(points.toSorted(() => random() - 0.5))).toEqual(moved)
        if (moved === null) return
        // By pairs: how often a session behind is the larger, less how often it is the smaller.
        const clearness = (from: number): number => {
          const [front, behind] = [points.filter(({ time }) => time < from), points.filter(({ time }) => time >= from)]
          if (front.length < 5 || behind.length < 5) return -1
          const pairs = front.flatMap((one) => behind.map((other) => Math.sign(other.tokens - one.tokens)))
          return Math.abs(pairs.reduce((sum, sign) => sum + sign, 0)) / Math.sqrt(front.length * behind.length)
        }
        const most = points.reduce((best, { time }) => Math.max(best, clearness(time)), -1)
        expect(clearness(moved.day)).toBeCloseTo(most)
        expect(moved.before.sessions).toBe(points.filter(({ time }) => time < moved.day).length)
      }),
      { numRuns: 100 },
    )
  })
})
