import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { bootstrapSums, middleOf, wilson } from '../../src/base/intervals.ts'

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

const amounts = fc.array(fc.double({ min: 0, max: 1000, noNaN: true }), { minLength: 1, maxLength: 40 })
const intervalOf = (values: readonly number[]) =>
  middleOf(bootstrapSums([Float64Array.from(values)]).map(([sum]) => sum as number))

describe('the bootstrap', () => {
  it('draws the same sums for the same sample', () => {
    const columns = [Float64Array.of(1, 2, 4, 8), Float64Array.of(8, 4, 2, 1)]
    expect(bootstrapSums(columns)).toEqual(bootstrapSums(columns))
  })

  it('has the sum of the sample inside', () => {
    fc.assert(
      fc.property(amounts, (values) => {
        const { low, high } = intervalOf(values)
        const sum = values.reduce((all, one) => all + one, 0)
        expect(low).toBeLessThanOrEqual(sum * (1 + 1e-12))
        expect(high).toBeGreaterThanOrEqual(sum * (1 - 1e-12))
      }),
    )
  })

  it('draws as many things as the sample has, the same ones for all columns', () => {
    fc.assert(
      fc.property(amounts, (values) => {
        const ones = new Float64Array(values.length).fill(1)
        for (const [count, a, b] of bootstrapSums([ones, Float64Array.from(values), Float64Array.from(values)], 20)) {
          expect(count).toBe(values.length)
          expect(a).toBe(b)
        }
      }),
    )
  })

  it('is as wide as the normal distribution says, for a large sample', () => {
    // 400 amounts of 0 and 400 of 1: the sum is 400, its standard deviation √800 / 2.
    const values = Array.from({ length: 800 }, (_, at) => at % 2)
    const { low, high } = intervalOf(values)
    expect(low).toBeGreaterThan(400 - 2.3 * 14.14)
    expect(low).toBeLessThan(400 - 1.6 * 14.14)
    expect(high).toBeGreaterThan(400 + 1.6 * 14.14)
    expect(high).toBeLessThan(400 + 2.3 * 14.14)
  })

  it('leaves out two and a half percent at each end', () => {
    expect(middleOf(Array.from({ length: 1000 }, (_, at) => 999 - at))).toEqual({ low: 25, high: 974 })
    expect(middleOf([7])).toEqual({ low: 7, high: 7 })
  })
})
