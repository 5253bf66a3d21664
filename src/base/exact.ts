/** Numbers whose sums do not depend on the order in which they are added up. */

const grain = 2 ** 20

/**
 * Rounds to about a millionth of a unit, a power of two: sums of such numbers are exact in any order. Otherwise a request
 * summed message by message and the same request summed after a cut could round to different tokens.
 */
export function exact(units: number): number {
  return Math.round(units * grain) / grain
}
