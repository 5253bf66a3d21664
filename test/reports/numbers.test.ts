import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  changeWords,
  compact,
  decimal,
  decimalsOf,
  dollars,
  fixed,
  grouped,
  indexOf,
  money,
  moneyCell,
  moneyDecimals,
  moreOrLess,
  ordinal,
  percentWords,
  shareWords,
  shortBudget,
  signed,
  signedTenths,
  sized,
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

/** On both sides of each place where another form begins. */
describe('a form of', () => {
  const each = <Given>(
    words: (given: Given) => string | number,
    ...rows: readonly (readonly [Given, string | number])[]
  ) => {
    expect(rows.map(([given]) => words(given))).toEqual(rows.map(([, expected]) => expected))
  }

  it('money', () => {
    each(
      money,
      [0, '0.00'],
      [0.00123, '0.0012'],
      [0.0994, '0.099'],
      [0.0995, '0.10'],
      [-0.05, '-0.05'],
      [999.994, '999.99'],
      [1000, '1,000'],
      [-1234.5, '-1,234'],
    )
    each(dollars, [0.0042, '$0.0042'], [99.994, '$99.99'], [100, '$100'], [100.5, '$101'], [1234.4, '$1,234'])
    each(moneyDecimals, [[], 2], [[0, 0], 2], [[0.0995, 0], 2], [[0.0994], 3], [[-0.012, 0.001], 3], [[0.000_45], 5])
    each(
      (value: number) => moneyCell(value, 2),
      [0, '0.00'],
      [0.005, '0.01'],
      [0.0049, '<0.01'],
      [-0.0049, '>-0.01'],
      [-3, '-3.00'],
      [1290.356, '1,290.36'],
    )
  })

  it('a share', () => {
    each(
      percentWords,
      [0, '0 %'],
      [0.000_99, '<0.001 %'],
      [0.001, '0.001 %'],
      [-0.0344, '-0.034 %'],
      [0.994, '0.99 %'],
      [1, '1 %'],
      [9.361, '9.36 %'],
      [73.24, '73.2 %'],
    )
    each(
      ([part, whole]: readonly [number, number]) => shareWords(part, whole),
      [[2, 11], '2/11'],
      [[364, 6024], '364/6,024 6.04 %'],
    )
    expect(shareWords(364, 6024, 1)).toBe('364/6,024 6.0 %')
  })

  it('a size', () => {
    each(sized, [0, '0.0'], [9.94, '9.9'], [9.95, '10'], [118.4, '118'])
    each(
      compact,
      [999, '999'],
      [1000, '1.0k'],
      [9949, '9.9k'],
      [9950, '10k'],
      [999_499, '999k'],
      [999_500, '1.0M'],
      [-4200, '-4.2k'],
      [1e15, '1,000T'],
    )
    each((value: number) => decimalsOf(value, 3), [1, 0], [1.5, 1], [1.25, 2], [1.000_04, 0], [10, 0])
  })

  it('a budget', () => {
    each(
      shortBudget,
      [{ budget: 999 }, '999'],
      [{ budget: 1000 }, '1k'],
      [{ budget: 12_345 }, '12,345'],
      [{ budget: 1_234_000 }, '1,234k'],
      [{ budget: 100_000, budgetAsked: '50%' }, '50%'],
    )
    each(
      shortBudget,
      [{ budget: 1, budgetAsked: 'own' }, 'its own budget'],
      [{ budget: 128_000, budgetAsked: 'own' }, 'its own budget of 128k'],
      [{ budget: 128_000, budgetAsked: 'own', isMost: true }, 'its own budget of up to 128k'],
    )
  })
})
