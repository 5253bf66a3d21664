/** How sure a figure is: 95 % intervals for a share, and for a sum over a sample. */

export interface Interval {
  readonly low: number
  readonly high: number
}

/** The quantile of the normal distribution for 95 %, both sides. */
const z = 1.959963984540054

/**
 * Wilson's score interval for `part` of `whole`, as shares of 1 (Wilson 1927). Unlike the share's standard error it holds
 * for few things, and for none and all of them.
 */
export function wilson(part: number, whole: number): Interval {
  if (whole === 0) return { low: 0, high: 1 }
  const share = part / whole
  const spread = z ** 2 / whole
  const centre = share + spread / 2
  const reach = z * Math.sqrt((share * (1 - share) + spread / 4) / whole)
  return {
    // Exactly the ends where nothing is on the other side: rounding leaves something of the order of 1e-17.
    low: part === 0 ? 0 : (centre - reach) / (1 + spread),
    high: part === whole ? 1 : (centre + reach) / (1 + spread),
  }
}

/**
 * The bootstrap (Efron 1979): what sums over a sample could as well have been, by drawing samples of the same size from it
 * with replacement. All of them are drawn at once, so that the sums of one draw belong together and may be divided or
 * subtracted.
 *
 * @param columns a value for each thing of the sample; all have the same length
 * @returns for each draw the sum of each column; the same for the same columns
 */
export function bootstrapSums(columns: readonly Float64Array[], draws = 1000): Float64Array[] {
  const size = columns[0]?.length ?? 0
  const random = uniform(0x5eed)
  const times = new Float64Array(size)
  return Array.from({ length: draws }, () => {
    times.fill(0)
    for (let drawn = 0; drawn < size; drawn++) {
      const at = Math.floor(random() * size)
      times[at] = (times[at] as number) + 1
    }
    return Float64Array.from(columns, (column) => {
      let sum = 0
      for (let at = 0; at < size; at++) sum += (times[at] as number) * (column[at] as number)
      return sum
    })
  })
}

/** The middle 95 % of values. */
export function middleOf(values: readonly number[]): Interval {
  const sorted = Float64Array.from(values).sort()
  const outside = Math.floor(sorted.length * 0.025)
  return { low: sorted[outside] ?? 0, high: sorted[sorted.length - 1 - outside] ?? 0 }
}

/** mulberry32: numbers from 0 to below 1, the same for the same seed. */
export function uniform(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}
