/**
 * Money: the cost of a run's input if the provider serves repeated prefixes from its prompt cache, and the cost without
 * pruning. docs/cost.md has the arithmetic, its closed forms and its limits.
 */
import { type Cost, type Cut, percent } from '../model/run.ts'
import type { Sizes } from '../model/sizes.ts'
import type { RequestBill } from '../model/stored.ts'
import type { Trace } from '../model/trace.ts'
import type { Pricing, Rates } from '../models/pricing.ts'
import type { CacheBehaviour } from './cache-behaviour.ts'
import type { Measure, Request } from './measure.ts'
import { type Hit, isCold, WindowCache } from './prompt-cache.ts'
import type { WholeBill } from './whole-bill.ts'

/** A cut whose cost is not known yet, and the callback for it. */
interface OpenCut {
  readonly tokensBefore: number
  readonly tokensAfter: number
  readonly settled: (breakEvenRequests: Cut['breakEvenRequests']) => void
}

/** What a model reads and writes for a summary, in tokens. */
export interface SummaryCall {
  readonly readTokens: number
  readonly writtenTokens: number
}

/** What a request's cost depends on, besides what the cache serves. */
export type Billed = Pick<Request, 'index' | 'message' | 'fullTokens' | 'sentTokens'>

export class CostMeter implements Measure<Cost> {
  readonly #trace: Trace
  readonly #sizes: Sizes
  readonly #pricing: Pricing
  readonly #cache: CacheBehaviour
  readonly #whole: WholeBill
  /** Null if nothing is pruned. */
  readonly #window: WindowCache | null
  readonly #billed: ((bill: RequestBill) => void) | null
  #input = 0
  #inputRecorded = 0
  #inputFull = 0
  #output = 0
  #summaries = 0
  #sent = 0
  #hits = 0
  #full = 0
  #fullHits = 0
  #breaks = 0
  /** Tokens of the previous request. */
  #previous = 0
  #cuts: OpenCut[] = []

  /**
   * @param whole of the requests if nothing is pruned, which all runs share that count and price alike
   * @param prunes whether requests may differ from the whole history
   * @param billed called with the bill of each request, in their order
   */
  constructor(whole: WholeBill, prunes: boolean, billed: ((bill: RequestBill) => void) | null = null) {
    const { trace, sizes, pricing, behaviour: cache } = whole
    this.#billed = billed
    this.#trace = trace
    this.#sizes = sizes
    this.#pricing = pricing
    this.#cache = cache
    this.#whole = whole
    this.#window = prunes ? new WindowCache(trace, sizes, cache.clock, pricing.rule) : null
  }

  request(request: Request): void {
    this.bill(request, this.#window?.request(request) ?? null)
  }

  /** Bills the requests before the first edit of the window. Each of them has the whole history. */
  unedited(requests: readonly Request[]): void {
    this.#window?.unedited(requests)
  }

  /** @param pruned what the cache serves of the pruned request; null if the request has the whole history */
  bill(request: Billed, pruned: Hit | null): void {
    const { index, fullTokens, sentTokens } = request
    const whole = this.#whole
    whole.take(request)
    const fullHit = whole.hits[index] as number
    const inputFull = whole.input[index] as number
    const rates = this.#pricing.rates(sentTokens, index)
    // With fractional units, the same sum in another order may round to the next token.
    const hit = pruned ? this.#cache.hit(index, pruned.tokens, sentTokens) : fullHit
    const input = pruned ? this.#cache.input(index, sentTokens, hit, rates) : inputFull
    this.#full += fullTokens
    this.#fullHits += fullHit
    this.#inputFull += inputFull
    this.#sent += sentTokens
    this.#hits += hit
    this.#input += input
    if (whole.recorded[index]) this.#inputRecorded += input
    const outputTokens = whole.outputTokens[index] as number
    this.#output += rates.output * outputTokens
    this.#billed?.({
      cached: hit,
      written: this.#cache.written(index, sentTokens, hit),
      input: rounded(input),
      outputTokens,
      output: rounded(rates.output * outputTokens),
    })
    if (pruned ? pruned.breaks : whole.breaks[index]) this.#breaks++
    if (this.#cuts.length > 0) this.#settleCuts(rates, hit, index)
    this.#previous = sentTokens
  }

  /**
   * The policy moved the cutoff. The cost of that is known at the next request.
   * @param settled called with the cost: at the next request, or at the end if there is none
   */
  cut({ tokensBefore, tokensAfter }: Pick<Cut, 'tokensBefore' | 'tokensAfter'>, settled: OpenCut['settled']): void {
    this.#cuts.push({ tokensBefore, tokensAfter, settled })
  }

  /** No request follows. */
  end(): void {
    for (const { settled } of this.#cuts) settled(undefined)
    this.#cuts = []
  }

  /**
   * A model writes a summary before request `request` goes out.
   * @param shared its prompt begins like the previous request, so it reads from the cache what is still alive
   */
  summary(call: SummaryCall, request: number, shared: boolean): void {
    const tokens = call.readTokens + (shared ? this.#sizes.tokens(this.#sizes.preamble) : 0)
    // A summary behind the last request has no request of its own, so it takes the model and the time of the last one.
    const { input, output, read } = this.#pricing.rates(tokens, Math.min(request, this.#trace.requests - 1))
    const isServed = shared && this.#pricing.rule !== null && !isCold(this.#cache.clock, request)
    this.#summaries += (isServed ? read : input) * tokens + output * call.writtenTokens
  }

  result(): Cost {
    const { unit, asOf } = this.#pricing
    const input = rounded(this.#input)
    const summaries = rounded(this.#summaries)
    return {
      unit,
      pricesAsOf: asOf,
      // The rounded amounts are added, so that the parts add up to what is shown.
      paid: rounded(input + summaries),
      input,
      inputFull: rounded(this.#inputFull),
      output: rounded(this.#output),
      summaries,
      savedPercent: percent(this.#inputFull - this.#input - this.#summaries, this.#inputFull),
      cacheHitPercent: percent(this.#hits, this.#sent),
      cacheHitPercentFull: percent(this.#fullHits, this.#full),
      prefixBreaks: this.#breaks,
      ...this.#recorded(),
    }
  }

  /** The part of `input` for requests with recorded usage, which can be compared with the bill. */
  get inputRecorded(): number {
    return rounded(this.#inputRecorded)
  }

  /** Tokens read from the cache, over all requests. */
  get hitTokens(): number {
    return this.#hits
  }

  #settleCuts({ read, ...rates }: Rates, hit: number, request: number): void {
    const { rule, hour } = this.#pricing
    const write = hour ? rates.write1h : rates.write
    const free = rule === null || this.#previous < rule.minPrefix || isCold(this.#cache.clock, request)
    const cuts = this.#cuts
    this.#cuts = []
    for (const { tokensBefore, tokensAfter, settled } of cuts) {
      const kept = Math.max(0, tokensAfter - hit)
      const requests = free ? 0 : ((write - read) / read) * (kept / (tokensBefore - tokensAfter))
      const earns = requests >= 0 && Number.isFinite(requests)
      settled(earns ? Math.round(requests * 100) / 100 : undefined)
    }
  }

  /** The recorded hit rate, to compare the cache's model with. */
  #recorded(): Pick<Cost, 'recordedHitPercent'> {
    let input = 0
    let read = 0
    for (let request = 0; request < this.#trace.requests; request++) {
      const usage = this.#trace.usage(request)
      input += usage?.input ?? 0
      read += usage?.cacheRead ?? 0
    }
    return read > 0 ? { recordedHitPercent: percent(read, input) } : {}
  }
}

/** Rounds to a millionth: further decimals are rounding errors of long sums. */
export const rounded = (amount: number): number => Math.round(amount * 1e6) / 1e6
