/** How sure a figure is: the 95 % interval of a share. */

export interface Interval {
  readonly low: number
  readonly high: number
}

/** The quantile of the normal distribution for 95 %, both sides. */
export const z = 1.959963984540054
/** The same for 90 %. */
export const z90 = 1.6448536269514722

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
