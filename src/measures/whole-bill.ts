/**
 * What the requests cost if nothing is ever pruned, and what their responses cost either way. It is the same for every
 * policy and budget, so the runs over one transcript find it out once.
 */
import type { Sizes } from '../model/sizes.ts'
import type { Trace } from '../model/trace.ts'
import type { Pricing } from '../models/pricing.ts'
import type { CacheBehaviour } from './cache-behaviour.ts'
import type { Request } from './measure.ts'
import { outputOf } from './output.ts'
import { WholeCache } from './prompt-cache.ts'

export class WholeBill {
  /**
   * By request: tokens read from the cache, what the input costs, and 1 if it does not begin with the request before.
   */
  readonly hits: Float64Array
  readonly input: Float64Array
  readonly breaks: Uint8Array
  readonly outputTokens: Float64Array
  /** By request: 1 if its usage is recorded. */
  readonly recorded: Uint8Array
  readonly trace: Trace
  readonly sizes: Sizes
  readonly pricing: Pricing
  readonly behaviour: CacheBehaviour
  readonly #cache: WholeCache
  #count = 0

  constructor(trace: Trace, sizes: Sizes, pricing: Pricing, cache: CacheBehaviour) {
    this.hits = new Float64Array(trace.requests)
    this.input = new Float64Array(trace.requests)
    this.breaks = new Uint8Array(trace.requests)
    this.outputTokens = new Float64Array(trace.requests)
    this.recorded = new Uint8Array(trace.requests)
    this.trace = trace
    this.sizes = sizes
    this.pricing = pricing
    this.behaviour = cache
    this.#cache = new WholeCache(trace, sizes, cache.clock, pricing.rule)
  }

  /** To be called with the requests in order. Later runs find the figures of the first one. */
  take(request: Pick<Request, 'index' | 'message' | 'fullTokens'>): void {
    if (request.index === this.#count) this.#add(request)
  }

  #add(request: Pick<Request, 'index' | 'message' | 'fullTokens'>): void {
    const { index, fullTokens } = request
    const { tokens, breaks } = this.#cache.request(request)
    const hit = this.behaviour.hit(index, tokens, fullTokens)
    this.hits[index] = hit
    this.input[index] = this.behaviour.input(index, fullTokens, hit, this.pricing.rates(fullTokens, index))
    this.breaks[index] = breaks ? 1 : 0
    this.outputTokens[index] = outputOf(this.trace, this.sizes, index).tokens
    this.recorded[index] = this.trace.usage(index) ? 1 : 0
    this.#count++
  }
}
