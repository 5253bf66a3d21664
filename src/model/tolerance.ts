/** How much worse than a baseline is accepted. */

/** So many percent: of all, counted from nothing; or on top of what the baseline has. */
export interface Tolerance {
  readonly over: 'nothing' | 'baseline'
  readonly percent: number
}

/** Reads a tolerance as people write it: `2%`, `2`, `+1%`. Undefined if it is none. */
export function parseTolerance(word: string): Tolerance | undefined {
  const [, plus, digits] = /^(\+?)(\d{1,9}(?:\.\d+)?)\s*%?$/.exec(word.trim()) ?? []
  return digits === undefined ? undefined : { over: plus === '+' ? 'baseline' : 'nothing', percent: Number(digits) }
}

/** The most that may be lost of `total`, where the baseline loses `before`. */
export function allowedBy({ over, percent }: Tolerance, before: number, total: number): number {
  // A hundredth of a percent of a whole number is rounded in binary: 29 of 100 is within 29 %.
  return (total * percent) / 100 + (over === 'baseline' ? before : 0) + 1e-9
}
