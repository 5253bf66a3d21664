import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { wilson } from '../../src/base/intervals.ts'

describe('the interval of a share', () => {
  // Newcombe 1998, Two-sided confidence intervals for the single proportion, table I, method 3.
  it.each([
    [81, 263, 0.2553, 0.3662],
    [15, 148, 0.0624, 0.1605],
    [0, 20, 0, 0.1611],
    [1, 29, 0.0061, 0.1718],
  ])('of %d in %d is from %f to %f, as Newcombe prints it', (part, whole, low, high) => {
    const found = wilson(part, whole)
    expect(found.low).toBeCloseTo(low, 4)
    expect(found.high).toBeCloseTo(high, 4)
  })

  it('is where the score test of the share would just not refuse', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 10_000 }), fc.double({ min: 0, max: 1, noNaN: true }), (whole, at) => {
        const part = Math.round(whole * at)
        const { low, high } = wilson(part, whole)
        expect(0 <= low && low <= part / whole && part / whole <= high && high <= 1).toBe(true)
        for (const end of [low, high]) {
          if (end === 0 || end === 1) continue
          const score = Math.abs(part / whole - end) / Math.sqrt((end * (1 - end)) / whole)
          expect(score).toBeCloseTo(1.959964, 4)
        }
      }),
    )
  })

  it('is all there is of nothing', () => {
    expect(wilson(0, 0)).toEqual({ low: 0, high: 1 })
  })
})
