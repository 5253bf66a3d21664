import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { ownTokens, parseBudget, shareOf } from '../../src/model/budget.ts'

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

  it('may be the policy’s own: tokens, the window, or what goes by the name of the model', () => {
    expect([' own ', 'Own'].map(parseBudget)).toEqual(['own', undefined])
    expect(shareOf('own')).toBeNull()
    const byName = (model: string) => 10 * model.length
    const tokens = (window: number | null, model: string | null) =>
      [128_000, 'window' as const, byName, undefined].map((own) => ownTokens(own, model, window))
    expect(tokens(200_000, 'gpt-5')).toEqual([128_000, 200_000, 50, null])
    expect(tokens(null, null)).toEqual([128_000, null, 0, null])
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
