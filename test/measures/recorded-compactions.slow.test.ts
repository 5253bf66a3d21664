/** The table of what compactions did, recomputed by hand. */
import { describe, expect, it } from 'vitest'
import { tableOf } from '../../tools/fit/compactions.mjs'

const one = (program: string, dropped: number, tokens: number, requests: number, [kept, uses]: [number, number]) => ({
  program,
  own: { cuts: 1, droppedTokens: dropped, rereadTokens: tokens, rereadRequests: requests, uses, kept },
  money: null,
})

describe('what was learned of recorded compactions', () => {
  it('is what was read again for each token that left, of a program with a million tokens of all, and what summaries held', () => {
    const { all, programs } = tableOf([
      one('pi', 1_000_000, 40_000, 20, [10, 20]),
      one('codex', 3_000_000, 20_000, 20, [0, 40]),
    ])
    // Thirty uses of which nothing was held count with those of all, and thirty of all with those of a program.
    const held = 10 / (60 + 30)
    expect(all).toMatchObject({ tokens: 0.015, requests: 0.00001, kept: Number(held.toFixed(3)) })
    expect(programs.pi).toMatchObject({
      tokens: 0.0275,
      requests: 0.000015,
      kept: Number(((10 + 30 * held) / 50).toFixed(3)),
    })
    expect(programs.codex).toMatchObject({
      tokens: 0.00875,
      requests: 0.0000075,
      kept: Number(((30 * held) / 70).toFixed(3)),
    })
  })

  it('is never less than nothing', () => {
    expect(tableOf([one('pi', 1_000_000, -40_000, -3, [0, 0])]).all).toMatchObject({
      tokens: 0,
      requests: 0,
      kept: 0,
    })
  })

  it('weighs the errors of money by the money', () => {
    const money = (real: number, hidden: number) => ({ ...one('pi', 1, 0, 0, [0, 0]), money: { real, hidden } })
    const { all } = tableOf([money(100, 110), money(1, 2)])
    // Five sessions of the usual error of 15 %, and of the mean size, count with them.
    const whole = 100 ** 2 + 1
    const expected = Math.sqrt((10 ** 2 + 1 + (5 * whole * 0.15 ** 2) / 2) / (whole + (5 * whole) / 2))
    expect(all.error).toBeCloseTo(expected, 3)
  })
})
