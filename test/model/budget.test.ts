import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { parseBudget, shareOf } from '../../src/model/budget.ts'

describe('a budget', () => {
  it('is a number of tokens, or a share of the model’s window', () => {
    expect(['100000', '100k', '0.2M', '0'].map(parseBudget)).toEqual([100_000, 100_000, 200_000, 0])
    expect(['50%', ' 12.5 % ', '100%', '050%', '50.0%'].map(parseBudget)).toEqual([
      '50%',
      '12.5%',
      '100%',
      '50%',
      '50%',
    ])
  })

  it('may be the policy’s own', () => {
    expect([' own ', 'Own'].map(parseBudget)).toEqual(['own', undefined])
    expect(shareOf('own')).toBeNull()
  })

  it('is no share of nothing, of more than the window, or with a sign', () => {
    expect(['0%', '100.1%', '-5%', '%', '1e1%', '5%%', '', 'half'].map(parseBudget)).toEqual(
      new Array(8).fill(undefined),
    )
  })

  it('keeps the share that was written', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 10_000 }), (hundredths) => {
        const budget = parseBudget(`${hundredths / 100}%`)
        expect(shareOf(budget ?? 0)).toBeCloseTo(hundredths / 10_000, 12)
      }),
    )
    expect(shareOf(50)).toBeNull()
  })
})
