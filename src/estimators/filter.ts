/**
 * A Kalman filter over what recorded usage tells of the sizes of a transcript, one step a request:
 *
 *     input = hidden + factor * tokens + thought * beyond
 *
 * `hidden` stands in each request and is not among its messages. It drifts with what is added (reminders) and jumps where tools
 * change. `factor` corrects what is counted of messages, `thought` is the share of hidden reasoning that is sent again; both
 * stay what they are. Each begins with what is expected, so that one small request cannot move them far, and after
 * hundreds little of that is left. Tried and worse: the least absolute deviations of all requests at once, whose error on later
 * requests was a third larger.
 */

/** A value and its standard deviation. */
export interface Guess {
  readonly mean: number
  readonly sd: number
}

/** What stands beside the messages, where the system prompt and the tools are recorded. @param tokens of these */
export const aboutRecorded = (tokens: number): Guess => ({ mean: tokens, sd: Math.hypot(300, 0.15 * tokens) })
export const unrecorded: Guess = { mean: 20_000, sd: 30_000 }

/** The factor of an estimate for the model's family. */
export const ofModel: Guess = { mean: 1, sd: 0.15 }
/** That of a quarter of the bytes. */
export const ofBytes: Guess = { mean: 1, sd: 0.3 }

/** A request. */
export interface Weighed {
  /** Counted tokens of its messages. */
  readonly tokens: number
  /** Output tokens of the responses in it beyond those of their text: the hidden reasoning. */
  readonly beyond: number
}

/** A request that the provider counted. */
export interface Counted extends Weighed {
  /** Tokens of the whole input, as recorded. */
  readonly input: number
}

// Standard deviations, in tokens.
/** For each token that is added or taken away, so much comes or goes unrecorded. */
export const growth = 0.12
/** So much comes or goes from one request to the next, whatever is added. */
const still = 40
/** So much is wrong with a single request. */
const noise = 30

/** A request that is off by so many standard deviations shows that tools or the system prompt have changed. */
const jump = 4
/** What none of the three is beyond. */
const bounds = [
  [-Infinity, Infinity],
  [0.4, 2],
  [0, 1],
] as const

type Covariance = readonly (readonly number[])[]

export class SizeFilter {
  /** Tokens beside the messages of the latest request, the factor, the thought. */
  readonly means: number[]
  /** Of these three. */
  protected readonly covariance: number[][]
  protected last: Counted | null = null

  /** @param guesses what is expected of the three before any usage is seen; the last may be missing where nothing is hidden */
  constructor(guesses: readonly Guess[]) {
    this.means = guesses.map(({ mean }) => mean)
    this.covariance = guesses.map(({ sd }, at) => guesses.map((_, other) => (at === other ? sd ** 2 : 0)))
  }

  get hidden(): number {
    return this.means[0]!
  }

  get factor(): number {
    return this.means[1]!
  }

  /** Tokens of a request like the latest. */
  predict(request: Weighed): number {
    return product(this.means, parts(request))
  }

  /** Learns from a request. */
  update(counted: Counted): void {
    this.#drift(counted, this.last)
    this.last = counted
    const gains = along(this.covariance, counted)
    const variance = varianceOf(this.covariance, counted)
    const off = (counted.input - this.predict(counted)) / variance
    for (const [at, gain] of gains.entries()) {
      const [least, most] = bounds[at]!
      this.means[at] = Math.min(most, Math.max(least, this.means[at]! + gain * off))
      const row = this.covariance[at]!
      for (const [other, one] of gains.entries()) row[other]! -= (gain * one) / variance
      row[at] = Math.max(0, row[at]!)
    }
  }

  /** Between two requests what is hidden may change, and in the first it may be other than what was expected. */
  #drift(counted: Counted, last: Counted | null): void {
    let change = last ? (growth * (counted.tokens - last.tokens)) ** 2 + still ** 2 : 0
    const off = counted.input - this.predict(counted)
    const square = off ** 2 / (varianceOf(this.covariance, counted) + change)
    if (square > jump ** 2) change += off ** 2
    this.covariance[0]![0]! += change
    if (last) this.changed(change, Math.min(jump ** 2, square))
  }

  /**
   * What is hidden may have changed since the request before.
   * @param variance by which it did, @param square of how many standard deviations the request was off
   */
  protected changed(_variance: number, _square: number): void {}
}

/** The variance of the input of a request. */
export function varianceOf(covariance: Covariance, request: Weighed): number {
  return noise ** 2 + Math.max(0, product(along(covariance, request), parts(request)))
}

/** The covariance of each of the three with the tokens of a request. */
const along = (covariance: Covariance, request: Weighed): number[] =>
  covariance.map((row) => product(row, parts(request)))

const parts = ({ tokens, beyond }: Weighed): readonly number[] => [1, tokens, beyond]

function product(one: readonly number[], other: readonly number[]): number {
  return one.reduce((sum, value, at) => sum + value * other[at]!, 0)
}
