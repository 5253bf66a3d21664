/**
 * The filter for a transcript that is known to its end: what is learned of the factor later says what was hidden before (the
 * smoother of Rauch, Tung and Striebel).
 */
import { growth, noise, SizeFilter, type Weighed } from './filter.ts'

/** Requests that speak for the deviations of the filter, beside those of the log. */
const weight = 6

/** The filter before a request. */
interface Step {
  readonly hidden: number
  readonly factor: number
  readonly thought: number
  /** What of a later change in each is a change of what was hidden. */
  readonly gain: readonly [hidden: number, factor: number, thought: number]
}

export class Smoother extends SizeFilter {
  readonly #steps: Step[] = []
  #requests = weight
  #squares = weight

  protected override changed(variance: number, square: number): void {
    this.#requests++
    this.#squares += square
    const { hidden, factor, thought } = this
    this.#steps.push({ hidden, factor, thought, gain: this.#gain(variance) })
  }

  /**
   * The standard deviation of `predict`; a Student's t with `degrees` of freedom, since each log has a noise of its own.
   * @param ahead tokens by which its messages are more, or fewer, than those of the latest
   */
  sd({ tokens, beyond }: Weighed, ahead: number): number {
    const variance = this.variance(tokens, beyond) + noise ** 2 + (growth * ahead) ** 2
    return Math.sqrt(Math.max(0.25, this.#squares / this.#requests) * variance)
  }

  get degrees(): number {
    return this.#requests
  }

  /** The variance times the first row of the inverse of all. */
  #gain(variance: number): Step['gain'] {
    const { hh, hf, ht, ff, ft, tt } = this
    const [h, f, t] = [ff * tt - ft * ft, ht * ft - hf * tt, hf * ft - ht * ff]
    const determinant = hh * h + hf * f + ht * t
    // Where two are known to the last bit, the third is, too, and a change is all of what is hidden.
    if (!(determinant > 0)) return [1, 0, 0]
    return [(h * variance) / determinant, (f * variance) / determinant, (t * variance) / determinant]
  }

  /** What was hidden in each request, by all that is known now. */
  hiddenInEach(): number[] {
    let now = this.hidden
    const all = [now]
    for (const { hidden, factor, thought, gain } of this.#steps.toReversed()) {
      const [h, f, t] = gain
      now -= h * (now - hidden) + f * (this.factor - factor) + t * (this.thought - thought)
      all.push(now)
    }
    return all.reverse()
  }
}
