/** What requests had of the prompt cache, and what that cost. */
import type { RequestBill } from '../model/stored.ts'
import type { Pricing } from '../models/pricing.ts'

/** Of one request, in tokens and in the unit of the prices; see `PictureCache`. */
export interface CacheShares {
  readonly read: number
  readonly added: number
  readonly missed: number
  readonly readCost: number
  readonly addedCost: number
  readonly missedCost: number
}

/** Of the requests of one run, asked in their order. */
export class RequestShares {
  readonly #pricing: Pricing
  /** What the request before had in the cache. */
  #cached = 0

  constructor(pricing: Pricing) {
    this.#pricing = pricing
  }

  of({ cached, written, input }: RequestBill, sentTokens: number, index: number): CacheShares {
    const { rates, rule } = this.#pricing
    const again = Math.min(this.#cached, sentTokens) - cached
    const missed = again > 0 && again >= (rule?.minPrefix ?? Infinity) ? again : 0
    const added = sentTokens - cached - missed
    const readCost = Math.min(input, rates(sentTokens, index).read * cached)
    const missedCost = missed === 0 ? 0 : (input - readCost) * (missed / (missed + added))
    this.#cached = cached + written
    return { read: cached, added, missed, readCost, addedCost: input - readCost - missedCost, missedCost }
  }
}
