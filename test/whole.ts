/**
 * How much is tried: by itself a fixed sample in which each thing has its turn, and with `WHOLE=1 npm test` all there is, with ten
 * times as many random cases.
 */
const isWhole = process.env.WHOLE === '1'

/** Every `nth` of them, beginning with the one at `turn`. */
export const sampled = <Each>(all: readonly Each[], nth: number, turn = 0): Each[] =>
  all.filter((_, at) => isWhole || (at + turn) % nth === 0)

/** How many cases a law is asked of. */
export const cases = (numRuns: number): number => (isWhole ? 10 * numRuns : numRuns)
