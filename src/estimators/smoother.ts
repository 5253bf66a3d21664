/**
 * The filter for a transcript that is known to its end: what is learned of the factor later says what was hidden before (the
 * smoother of Rauch, Tung and Striebel).
 */
import { studentReach } from '../base/student.ts'
import { growth, SizeFilter, varianceOf } from './filter.ts'

/** Requests that speak for the deviations of the filter, beside those of the log. */
const weight = 6

/** What a filter leaves open. */
export interface Spread {
  readonly covariance: readonly (readonly number[])[]
  /** Of the latest request. */
  readonly tokens: number
  readonly beyond: number
  /** How many standard deviations hold nine of ten: each log has a noise of its own, so that it is a Student's t. */
  readonly deviations: number
}

/** The filter before a request. */
interface Step {
  readonly means: readonly number[]
  /** What of a later change in each is a change of what was hidden. */
  readonly gains: readonly number[]
}

export class Smoother extends SizeFilter {
  readonly #steps: Step[] = []
  #requests = weight
  #squares = weight

  get thought(): number {
    return this.means[2]!
  }

  protected override changed(variance: number, square: number): void {
    this.#requests++
    this.#squares += square
    this.#steps.push({ means: [...this.means], gains: firstOfInverse(this.covariance).map((one) => one * variance) })
  }

  /** What is left open, at the latest request. */
  get spread(): Spread {
    const { tokens, beyond } = this.last ?? { tokens: 0, beyond: 0 }
    const noise = Math.max(0.25, this.#squares / this.#requests)
    const deviations = studentReach(this.#requests, 0.9) * Math.sqrt(noise)
    return { covariance: this.covariance, tokens, beyond, deviations }
  }

  /** What was hidden in each request, by all that is known now. */
  hiddenInEach(): number[] {
    const all = [this.hidden]
    for (const { means, gains } of this.#steps.toReversed()) {
      // The factor and the thought stay what they are, so that the last of them is what they were.
      const now = [all.at(-1)!, this.factor, this.thought]
      all.push(now[0]! - gains.reduce((sum, gain, at) => sum + gain * (now[at]! - means[at]!), 0))
    }
    return all.reverse()
  }
}

/**
 * Tokens by which nine of ten requests are off at most that the provider did not count.
 * @param tokens of the messages
 */
export function reachOf({ covariance, tokens: last, beyond, deviations }: Spread, tokens: number): number {
  const thoughts = last < 1 ? 0 : (beyond * tokens) / last
  const variance = varianceOf(covariance, { tokens, beyond: thoughts }) + (growth * (tokens - last)) ** 2
  return deviations * Math.sqrt(variance)
}

/** The first row of the inverse of a symmetric matrix. */
function firstOfInverse(rows: readonly (readonly number[])[]): readonly number[] {
  const [[a, b, c], [, d, e], [, , f]] = rows as [Triple, Triple, Triple]
  const cofactors = [d * f - e * e, c * e - b * f, b * e - c * d] as const
  const determinant = a * cofactors[0] + b * cofactors[1] + c * cofactors[2]
  // Where two are known to the last bit, so is the third, and a change is all of what is hidden.
  return determinant > 0 ? cofactors.map((one) => one / determinant) : [1 / a, 0, 0]
}

type Triple = readonly [number, number, number]
