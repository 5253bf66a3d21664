import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { PrefixSums } from '../../src/base/prefix-sums.ts'

describe('prefix sums', () => {
  it('are what adding up the numbers one by one gives', () => {
    const change = fc.tuple(fc.nat(20), fc.integer({ min: 0, max: 1000 }))
    fc.assert(
      fc.property(fc.nat(20), fc.array(change), fc.integer({ min: -5, max: 20_000 }), (length, changes, sum) => {
        const numbers = new Array<number>(length).fill(0)
        const sums = new PrefixSums(length)
        for (const [index, value] of changes) {
          sums.add(index, value)
          if (index < length) numbers[index] = (numbers[index] as number) + value
        }
        const sumBefore = (index: number): number => numbers.slice(0, index).reduce((all, one) => all + one, 0)
        for (let index = 0; index <= length + 1; index++) expect(sums.before(index)).toBe(sumBefore(index))
        const passed = numbers.findIndex((_, index) => sumBefore(index + 1) > sum)
        expect(sums.find(sum)).toBe(passed < 0 ? length : passed)
      }),
    )
  })
})
