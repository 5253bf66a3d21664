/** The table that `advise` goes by, recomputed draw by draw. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { from, leftIn } from '../../tools/fit/habits.mjs'

const program = fc.constantFrom('pi', 'codex')
const stretches = fc.array(fc.record({ program, length: fc.integer({ min: 0, max: 300 }) }), {
  minLength: 1,
  maxLength: 12,
})
interface Draw {
  readonly program: string
  readonly place: number
  readonly left: number
  readonly weight: number
}

/** Each request of a stretch is as likely to be drawn as any other of it, and each stretch is drawn from once. */
function drawsOf(list: readonly { program: string; length: number }[]): Draw[] {
  return list.flatMap(({ program, length }) =>
    Array.from({ length: Math.max(0, length - 1) }, (_, nth) => {
      const made = nth + 1
      const place = from.filter((least: number) => least <= made).length - 1
      return { program, place, left: length - made - 1, weight: 1 / (length - 1) }
    }),
  )
}

const weightOf = (draws: readonly Draw[]): number => draws.reduce((sum, { weight }) => sum + weight, 0)
const leftOf = (draws: readonly Draw[]): number => draws.reduce((sum, { left, weight }) => sum + left * weight, 0)

describe('what was learned of requests to come', () => {
  it('is the mean of the draws, of a program with those of all as if ten were its own', () => {
    fc.assert(
      fc.property(stretches, (list) => {
        const { all, programs } = leftIn([{ stretches: list }])
        const draws = drawsOf(list)
        let before = 0
        for (const place of from.keys()) {
          const here = draws.filter((draw) => draw.place === place)
          const mean = here.length > 0 ? leftOf(here) / weightOf(here) : before
          before = mean
          expect(all.left[place]).toBeCloseTo(mean, 0)
          for (const [name, row] of Object.entries<{ left: number[] }>(programs)) {
            const own = here.filter((draw) => draw.program === name)
            const share = here.length > 0 ? (10 * weightOf(here)) / weightOf(draws) : 1
            expect(row.left[place]).toBeCloseTo((leftOf(own) + share * mean) / (weightOf(own) + share), 0)
          }
        }
        expect(all.stretches).toBe(list.filter(({ length }) => length > 1).length)
      }),
    )
  })
})
