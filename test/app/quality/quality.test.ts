/** What is found where it was planted, and not where there is nothing to find. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { isotonic, judged, risesIn } from '../../../src/app/quality/quality-sums.ts'
import { bandEdges } from '../../../src/model/quality.ts'
import { failedIn, sessionsOf } from './quality-sessions.ts'

describe('judged', () => {
  it.each([75_000, 150_000])('finds a rise that was planted from %d tokens on, there', (from) => {
    const pieces = sessionsOf(40, 8, (size) => (size >= from ? 0.15 : 0))
    const { risesFrom, bands } = failedIn(pieces)
    expect(risesFrom).toBe(from)
    const at = bands.findLast(({ low }) => low !== null)!
    expect(at.low).toBeLessThan(15)
    expect(at.high).toBeGreaterThan(15)
    expect(risesIn(pieces)).toEqual({ endpoint: 'failed', from })
  })

  it('says nothing of few sessions, and counts them', () => {
    const { bands, observations, events, risesFrom } = failedIn(sessionsOf(9, 3, () => 0.3))
    expect(bands.every(({ difference, low }) => difference === null && low === null)).toBe(true)
    expect([observations, risesFrom]).toEqual([9 * 110, null])
    expect(events).toBeGreaterThan(0)
    expect(bands[1]?.sessions).toBe(9)
  })

  it('comes to the same for the same seed, and takes files in any order', () => {
    const pieces = sessionsOf(12, 5, () => 0.1)
    expect(failedIn(pieces, 4)).toEqual(failedIn(pieces, 4))
    const { bands } = failedIn(pieces.toReversed(), 4)
    for (const [at, { difference, level }] of failedIn(pieces, 4).bands.entries())
      expect([bands[at]?.difference, bands[at]?.level]).toEqual([difference, level])
  })

  it('draws sub-agents with their session', () => {
    const pieces = sessionsOf(20, 5, () => 0.1)
    const family = pieces.map((piece) => ({ ...piece, head: { ...piece.head, parent: 's0' } }))
    expect([judged(pieces).sessions, judged(family).sessions]).toEqual([20, 1])
    expect(failedIn(family).bands.every(({ low }) => low === null)).toBe(true)
  })

  it('has a curve that never falls within a band that does not cross itself', () => {
    const { bands } = failedIn(sessionsOf(30, 11, (size) => size / 1e6))
    const known = bands.filter(({ low }) => low !== null)
    expect(known).toHaveLength(bandEdges.filter((edge) => edge < 240_000).length)
    for (const [at, { low, high, fitted }] of known.entries()) {
      expect(low).toBeLessThanOrEqual(high!)
      const next = known[at + 1]
      if (!next) continue
      expect(fitted).toBeLessThanOrEqual(next.fitted!)
      expect(low).toBeLessThanOrEqual(next.low!)
      expect(high).toBeLessThanOrEqual(next.high!)
    }
  })
})

describe('isotonic', () => {
  it('is nearer than any other curve of these levels that never falls', () => {
    const values = fc.array(fc.tuple(fc.nat(4), fc.integer({ min: 1, max: 3 })), { minLength: 1, maxLength: 5 })
    fc.assert(
      fc.property(values, (pairs) => {
        const distance = (curve: readonly number[]) =>
          pairs.reduce((sum, [value, weight], at) => sum + weight * (value - curve[at]!) ** 2, 0)
        const found = isotonic(
          pairs.map(([value]) => value),
          pairs.map(([, weight]) => weight),
        )
        for (const [at, level] of found.entries()) expect(level).toBeGreaterThanOrEqual(found[at - 1] ?? level)
        const levels = Array.from({ length: 17 }, (_, quarter) => quarter / 4)
        const curves = (length: number, least: number): number[][] =>
          length === 0
            ? [[]]
            : levels.flatMap((level) =>
                level < least ? [] : curves(length - 1, level).map((rest) => [level, ...rest]),
              )
        for (const curve of curves(Math.min(3, pairs.length), 0)) {
          if (curve.length < pairs.length) continue
          expect(distance(found)).toBeLessThanOrEqual(distance(curve) + 1e-9)
        }
      }),
    )
  })
})
