import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  changeWords,
  compact,
  decimal,
  fixed,
  grouped,
  indexOf,
  moreOrLess,
  ordinal,
  signed,
  signedTenths,
} from '../../src/reports/numbers.ts'

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

describe('a figure', () => {
  const ways = {
    changeWords,
    compact,
    grouped,
    signed,
    signedTenths,
    decimal: (value: number) => decimal(value, 2),
    fixed: (value: number) => fixed(value, 1),
  }
  it.each(Object.entries(ways))('has no sign where it rounds to nothing: %s', (_, words) => {
    const small = fc.double({ min: -2, max: 2, noNaN: true })
    fc.assert(
      fc.property(small, (value) => {
        const text = words(value)
        expect(/[1-9]/.test(text) || /^0(\.0+)?( %)?$/.test(text)).toBe(true)
        if (/[1-9]/.test(text)) expect(text.startsWith('-')).toBe(value < 0)
      }),
      { examples: [[-0], [-0.001], [-0.04], [-0.4], [0.04]] },
    )
  })
})

describe('a change', () => {
  it('has a sign unless it rounds to nothing', () => {
    expect([-0.04, 0.04, 0, -0.06, 9.96].map(signed)).toEqual(['0.0', '0.0', '0.0', '-0.1', '+10'])
  })

  it('says of two ends which is more and which is less', () => {
    const say = (amount: number) => `$${amount}`
    expect(moreOrLess(9, 24, say)).toBe('$9 to $24 less')
    expect(moreOrLess(0, 24, say)).toBe('$0 to $24 less')
    expect(moreOrLess(-173, 169, say)).toBe('between $173 more and $169 less')
    expect(moreOrLess(-10, -3, say)).toBe('$3 to $10 more')
  })
})
