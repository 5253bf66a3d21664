/**
 * Measures what a run takes out of the window, and what it costs to read a part of it again. A replay goes on over the
 * messages that were recorded, so it cannot show that an agent reads again what it no longer has; what recorded agents
 * did behind their own compactions says how much that is (`rereads.ts`), and this what each token and each request of
 * it comes to here.
 */
import type { Pricing } from '../models/pricing.ts'
import type { Measure, Request } from './measure.ts'

/** Money is in the unit of the run's cost. */
export interface Forgotten {
  /** That left the window, net of what came in its place. */
  readonly tokens: number
  /**
   * What it would cost to read all of it again: it is written once, then read with every request until it leaves in its
   * turn, the same share of it at each cut as of all the rest.
   */
  readonly readCost: number
  /** What it would cost to make one more request right behind the cut for each token that left. */
  readonly requestCost: number
}

export class ForgottenMeter implements Measure<Forgotten> {
  readonly #pricing: Pricing
  #gone = 0
  #tokens = 0
  #readCost = 0
  #requestCost = 0
  /** Tokens that have been read again and stand in the window. */
  #inside = 0

  constructor(pricing: Pricing) {
    this.#pricing = pricing
  }

  request({ index, fullTokens, sentTokens }: Request): void {
    const gone = fullTokens - sentTokens
    const left = Math.max(0, gone - this.#gone)
    // Where a history was cleared it is shorter, and so is what is gone of it.
    this.#gone = gone
    if (left === 0 && this.#inside === 0) return
    const { rule, hour } = this.#pricing
    const { input, read, write, write1h } = this.#pricing.rates(sentTokens, index)
    const again = rule === null ? input : read
    if (left > 0) {
      this.#tokens += left
      this.#inside *= sentTokens / (sentTokens + left)
      this.#readCost += left * (rule === null ? input : hour ? write1h : write)
      this.#requestCost += left * sentTokens * again
    }
    this.#readCost += this.#inside * again
    this.#inside += left
  }

  result(): Forgotten {
    return { tokens: this.#tokens, readCost: this.#readCost, requestCost: this.#requestCost }
  }
}
