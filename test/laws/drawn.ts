/** Random cases that many laws are asked of. */
import fc from 'fast-check'
import { sampled } from '../whole.ts'

/**
 * The cases that `fc.assert` would draw, drawn once for all who ask: to draw the same transcripts for each policy takes as long as
 * to replay them. Each has some of them, by turns. A law that throws for one of them is asserted, so that the case is made small.
 *
 * @param numRuns how many are asked at each of so many turns
 */
export function casesOf<Case extends unknown[]>(arbitrary: fc.Arbitrary<Case>, numRuns: number, turns = 1) {
  const drawn = fc.sample(arbitrary, numRuns * turns)
  return (law: (...one: Case) => void, turn = 0, most = drawn.length): void => {
    try {
      for (const one of sampled(drawn, turns, turn).slice(0, most)) law(...one)
    } catch (error) {
      fc.assert(
        fc.property(arbitrary, (one) => {
          law(...one)
        }),
        { numRuns: drawn.length },
      )
      throw error
    }
  }
}
