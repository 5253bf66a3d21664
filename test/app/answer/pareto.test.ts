import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { paretoFront } from '../../../src/measures/pareto.ts'

interface Point {
  readonly cost: number
  readonly kept: number
}

describe('paretoFront', () => {
  it('leaves out exactly what another item beats', () => {
    fc.assert(
      fc.property(fc.array(fc.record({ cost: fc.nat(12), kept: fc.nat(12) }), { maxLength: 30 }), (points: Point[]) => {
        const front = paretoFront(points, [({ cost }) => cost, ({ kept }) => -kept])
        for (const one of points) {
          let beaten = false
          for (const other of points) {
            const asGood = other.cost <= one.cost && other.kept >= one.kept
            if (asGood && (other.cost < one.cost || other.kept > one.kept)) beaten = true
          }
          expect(front.includes(one)).toBe(!beaten)
        }
      }),
    )
  })

  it('keeps what is equal, and the order', () => {
    const items = [3, 1, 2, 1]
    expect(paretoFront(items, [(item) => item])).toEqual([1, 1])
    expect(paretoFront(items, [(item) => item, (item) => -item])).toEqual(items)
    expect(paretoFront([], [(item) => item])).toEqual([])
  })
})
