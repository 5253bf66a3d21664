import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { studentReach } from '../../src/base/student.ts'

describe('the reach of an interval by Student', () => {
  // The tables of textbooks, 97.5 %.
  it.each([
    [1, 12.706],
    [2, 4.303],
    [5, 2.571],
    [10, 2.228],
    [30, 2.042],
    [120, 1.98],
    [1e9, 1.96],
  ])('of %d degrees of freedom is %d', (degrees, reach) => {
    expect(studentReach(degrees)).toBeCloseTo(reach, 3)
  })

  it.each([
    [1, 6.314],
    [5, 2.015],
    [30, 1.697],
    [1e9, 1.645],
  ])('of %d degrees of freedom is %d where it holds 90 %%', (degrees, reach) => {
    expect(studentReach(degrees, 0.9)).toBeCloseTo(reach, 3)
  })

  it('has 95 % of the density between its ends', () => {
    fc.assert(
      fc.property(fc.double({ min: 0.8, max: 300, noNaN: true }), (degrees) => {
        // Both are sums over the angle whose tangent is t by the root of the degrees: the whole density is of a finite range.
        const end = Math.atan(studentReach(degrees) / Math.sqrt(degrees))
        const below = (angle: number): number => {
          const steps = 20_000
          let total = 0
          for (let step = 0; step < steps; step++) total += Math.cos(((step + 0.5) / steps) * angle) ** (degrees - 1)
          return (total * angle) / steps
        }
        expect(below(end) / below(Math.PI / 2)).toBeCloseTo(0.95, 2)
      }),
      { numRuns: 50 },
    )
  })
})
