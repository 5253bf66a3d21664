/** Student's t distribution: its quantiles, and the share below a value. */

/**
 * What an interval reaches by Student's t distribution, in standard errors.
 *
 * @param degrees of freedom: from 0.1 on, whole or not
 * @param held the share of the distribution that the interval holds
 */
export function studentReach(degrees: number, held = 0.95): number {
  // Newton's method. The tail is convex, so it comes nearer from below with each step, and never goes too far.
  const density = (t: number): number =>
    Math.exp(-((degrees + 1) / 2) * Math.log1p((t * t) / degrees) - logBeta(degrees / 2, 0.5)) / Math.sqrt(degrees)
  let t = 0.5
  for (let step = Infinity; step > 1e-12 * t; t += step) step = (upperTail(t, degrees) - (1 - held) / 2) / density(t)
  return t
}

/** @returns the share of the distribution below `t` */
export function studentShare(t: number, degrees: number): number {
  return t >= 0 ? 1 - upperTail(t, degrees) : upperTail(-t, degrees)
}

/** Half of the regularised incomplete beta function I(ν/(ν+t²); ν/2, ½). */
function upperTail(t: number, degrees: number): number {
  const x = degrees / (degrees + t * t)
  return incompleteBeta(x, degrees / 2, 0.5) / 2
}

/** By its continued fraction, which converges fast below the mean; above, by symmetry. */
function incompleteBeta(x: number, a: number, b: number): number {
  if (x > (a + 1) / (a + b + 2)) return 1 - incompleteBeta(1 - x, b, a)
  const front = Math.exp(a * Math.log(x) + b * Math.log1p(-x) - logBeta(a, b)) / a
  return front * continuedFraction(x, a, b)
}

/** Lentz's method. */
function continuedFraction(x: number, a: number, b: number): number {
  const tiny = 1e-300
  const kept = (value: number): number => (Math.abs(value) < tiny ? tiny : value)
  let [c, d] = [1, 1 / kept(1 - ((a + b) * x) / (a + 1))]
  let result = d
  for (let m = 1; m < 1000; m++) {
    const even = (m * (b - m) * x) / ((a + 2 * m - 1) * (a + 2 * m))
    d = 1 / kept(1 + even * d)
    c = kept(1 + even / c)
    result *= d * c
    const odd = (-(a + m) * (a + b + m) * x) / ((a + 2 * m) * (a + 2 * m + 1))
    d = 1 / kept(1 + odd * d)
    c = kept(1 + odd / c)
    result *= d * c
    if (Math.abs(d * c - 1) < 1e-14) break
  }
  return result
}

const logBeta = (a: number, b: number): number => logGamma(a) + logGamma(b) - logGamma(a + b)

/** Stirling's series, from 8 on; below, by recurrence. */
function logGamma(x: number): number {
  let [at, product] = [x, 1]
  for (; at < 8; at++) product *= at
  const square = 1 / (at * at)
  const series = (1 / 12 - square * (1 / 360 - square * (1 / 1260 - square / 1680))) / at
  return (at - 0.5) * Math.log(at) - at + Math.log(2 * Math.PI) / 2 + series - Math.log(product)
}
