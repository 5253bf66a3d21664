/**
 * A Kalman filter over what recorded usage tells of the sizes of a transcript, one step a request:
 *
 *     input = hidden + factor * tokens + thought * beyond
 *
 * `hidden` stands in each request and is not among its messages. It drifts with what is added (reminders) and jumps where tools
 * change. `factor` corrects what is counted of messages, `thought` is the share of hidden reasoning that is sent again; both
 * stay what they are. Each begins with what is expected, so that one small request cannot move them far, and after
 * hundreds little of that is left. Tried and worse: the least absolute deviations of all requests at once, whose error on later
 * requests was a half larger, and twice as large on a session whose preamble is recorded.
 */

/** A value and its standard deviation. */
export interface Guess {
  readonly mean: number
  readonly sd: number
}

/** What is expected before any usage is seen. */
export interface Expected {
  /** Tokens beside the messages. */
  readonly hidden: Guess
  /** Tokens for each that is counted of messages. */
  readonly factor: Guess
  /** The share of the hidden reasoning that later requests contain. */
  readonly thought: Guess
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
export const noise = 30

/** A request that is off by so many standard deviations shows that tools or the system prompt have changed. */
const jump = 4
const shares = [0, 1] as const
/** What no tokenizer is beyond. */
const factors = [0.4, 2] as const

export class SizeFilter {
  /** Tokens beside the messages of the latest request. */
  hidden: number
  factor: number
  thought: number
  // Variances and covariances of the three: h of what is hidden, f of the factor, t of the thought.
  protected hh: number
  protected hf = 0
  protected ht = 0
  protected ff: number
  protected ft = 0
  protected tt: number
  #last: Counted | null = null

  constructor({ hidden, factor, thought }: Expected) {
    this.hidden = hidden.mean
    this.factor = factor.mean
    this.thought = thought.mean
    this.hh = hidden.sd ** 2
    this.ff = factor.sd ** 2
    this.tt = thought.sd ** 2
  }

  /** Tokens of a request like the latest. */
  predict({ tokens, beyond }: Weighed): number {
    return this.hidden + this.factor * tokens + this.thought * beyond
  }

  /** Learns from a request. */
  update(counted: Counted): void {
    const { input, tokens, beyond } = counted
    if (this.#last) this.#drift(counted, this.#last)
    this.#last = counted
    const h = this.hh + this.hf * tokens + this.ht * beyond
    const f = this.hf + this.ff * tokens + this.ft * beyond
    const t = this.ht + this.ft * tokens + this.tt * beyond
    const variance = Math.max(0, h + f * tokens + t * beyond) + noise ** 2
    const off = (input - this.predict(counted)) / variance
    this.hidden += h * off
    this.factor = within(factors, this.factor + f * off)
    this.thought = within(shares, this.thought + t * off)
    this.hh = Math.max(0, this.hh - (h * h) / variance)
    this.hf -= (h * f) / variance
    this.ht -= (h * t) / variance
    this.ff = Math.max(0, this.ff - (f * f) / variance)
    this.ft -= (f * t) / variance
    this.tt = Math.max(0, this.tt - (t * t) / variance)
  }

  /** Between two requests what is hidden may change. */
  #drift(counted: Counted, last: Counted): void {
    let change = (growth * (counted.tokens - last.tokens)) ** 2 + still ** 2
    const off = counted.input - this.predict(counted)
    const square = off ** 2 / (this.variance(counted.tokens, counted.beyond) + change + noise ** 2)
    if (square > jump ** 2) change += off ** 2
    this.hh += change
    this.changed(change, Math.min(jump ** 2, square))
  }

  /**
   * What is hidden may have changed since the request before.
   * @param variance by which it did, @param square of how many standard deviations the request was off
   */
  protected changed(_variance: number, _square: number): void {}

  protected variance(tokens: number, beyond: number): number {
    const own = this.hh + this.ff * tokens ** 2 + this.tt * beyond ** 2
    return Math.max(0, own + 2 * (this.hf * tokens + this.ht * beyond + this.ft * tokens * beyond))
  }
}

const within = ([least, most]: readonly [number, number], value: number): number =>
  Math.min(most, Math.max(least, value))
