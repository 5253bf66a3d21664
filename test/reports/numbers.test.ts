import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { indexOf, ordinal } from '../../src/reports/numbers.ts'

describe('the number of an index', () => {
  it('counts from 1, and is read as it is printed, or without its commas', () => {
    fc.assert(
      fc.property(fc.nat(), (index) => {
        expect(indexOf(ordinal(index))).toBe(index)
        expect(indexOf(String(index + 1))).toBe(index)
      }),
    )
    expect([ordinal(0), ordinal(1203), ordinal(-1)]).toEqual(['1', '1,204', '-'])
  })
  it.each(['', '0', '00', '-1', '1.5', '01', ' 1', '1,0', '1,0000', '12,34', ',100', '1e3', '٣'])(
    '%j is none',
    (word) => {
      expect(indexOf(word)).toBeNull()
    },
  )
})
