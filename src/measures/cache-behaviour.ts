/**
 * Models how much a provider's cache really serves. The price lists describe an ideal: everything sent within the
 * lifetime is cached. Real caches miss within the lifetime, outlive it, serve only parts, and may be warm from other
 * sessions. If the transcript recorded its cache reads, the replay has the same hits and misses at the same requests;
 * otherwise it has the provider's usual ones, corrected by what the transcript did record.
 */
import type { ProviderName } from '../model/message.ts'
import type { CacheMode } from '../model/run.ts'
import type { Sizes } from '../model/sizes.ts'
import type { Trace } from '../model/trace.ts'
import type { Pricing, Rates } from '../models/pricing.ts'
import habits from './cache-habits.data.json' with { type: 'json' }
import { type Clock, clockOf, served } from './prompt-cache.ts'

/** In seconds: no entry is served longer than this after its last use, whatever its lifetime. */
const longest = 3600

/** Kinds of requests: in a tool loop, after a user's prompt, or after a pause longer than the lifetime. */
const kinds = ['step', 'turn', 'idle'] as const
type Kind = (typeof kinds)[number]

/**
 * The tokens that were not served from the cache, and how many of them were written to it: for minutes, and for an
 * hour.
 */
interface Rest {
  readonly tokens: number
  readonly write: number
  readonly write1h: number
}

export class CacheBehaviour {
  /** When requests were sent, for the cache's lifetime. */
  readonly clock: Clock
  readonly #shares: Float64Array | null
  readonly #heads: Float64Array | null
  readonly #rests: readonly (Rest | null)[]
  /** The sum over the transcript; null means that everything not served is written. */
  readonly #usualRest: Rest | null
  readonly #pricing: Pricing

  /** @param known null for the ideal cache */
  constructor(
    pricing: Pricing,
    clock: Clock,
    known: { shares: Float64Array; heads: Float64Array; rests: readonly (Rest | null)[]; rest: Rest | null } | null,
  ) {
    this.#pricing = pricing
    this.clock = clock
    this.#shares = known?.shares ?? null
    this.#heads = known?.heads ?? null
    this.#rests = known?.rests ?? []
    this.#usualRest = known?.rest ?? null
  }

  /**
   * Tokens that are read from the cache.
   * @param shared tokens of the prefix that the request shares with earlier ones that are alive
   */
  hit(request: number, shared: number, sentTokens: number): number {
    if (!this.#shares || !this.#heads) return Math.min(shared, sentTokens)
    const share = (this.#shares[request] as number) * shared
    return Math.min(sentTokens, Math.round(Math.max(share, this.#heads[request] as number)))
  }

  /** The cost of request `request` if it has `tokens` tokens, and `hit` of them are read from the cache. */
  input(request: number, tokens: number, hit: number, rates: Rates): number {
    const { rule, hour } = this.#pricing
    const rest = tokens - hit
    const own = this.#rests[request]
    if (own) {
      const most = Math.min(rest, own.tokens)
      return rates.read * hit + priceOf(own, most, rates) + priceOf(this.#usualRest ?? own, rest - most, rates)
    }
    // A request below the minimum is not written to the cache, so it costs no more than its input.
    const isCached = rule !== null && tokens >= rule.minPrefix
    const write = this.#usualRest ? priceOf(this.#usualRest, rest, rates) : rest * (hour ? rates.write1h : rates.write)
    return rates.read * hit + (isCached ? write : rates.input * rest)
  }

  /** How many tokens `input` takes as written to the cache. */
  written(request: number, tokens: number, hit: number): number {
    const { rule } = this.#pricing
    const rest = tokens - hit
    const own = this.#rests[request]
    if (own) {
      const most = Math.min(rest, own.tokens)
      return Math.round(writtenOf(own, most) + writtenOf(this.#usualRest ?? own, rest - most))
    }
    if (rule === null || tokens < rule.minPrefix) return 0
    return this.#usualRest ? Math.round(writtenOf(this.#usualRest, rest)) : rest
  }
}

/** The cost of `amount` tokens that are written in the same proportions as the recorded ones. */
function priceOf({ tokens, write, write1h }: Rest, amount: number, rates: Rates): number {
  if (tokens === 0) return rates.input * amount
  const plain = tokens - write - write1h
  return (amount / tokens) * (rates.input * plain + rates.write * write + rates.write1h * write1h)
}

const writtenOf = ({ tokens, write, write1h }: Rest, amount: number): number =>
  tokens === 0 ? 0 : (amount / tokens) * (write + write1h)

export function cacheBehaviour(
  trace: Trace,
  sizes: Sizes,
  pricing: Pricing,
  mode: CacheMode,
  provider: ProviderName,
): CacheBehaviour {
  const clock = clockOf(trace, pricing.life)
  if (mode === 'ideal' || !pricing.rule) return new CacheBehaviour(pricing, clock, null)
  const preamble = sizes.tokens(sizes.preamble)
  const records = cacheRecords(trace, pricing, preamble, provider)
  const expected = expectedShares(records, habitsOf(provider, pricing))
  const shares = new Float64Array(trace.requests)
  const heads = new Float64Array(trace.requests)
  const rests: (Rest | null)[] = []
  const times = new Float64Array(trace.requests)
  for (const [request, record] of records.entries()) {
    const { share, head, rest } = record
    const isKnown = mode === 'recorded' && share !== null
    shares[request] = isKnown ? share : record.kind ? expected[record.kind] : 0
    heads[request] = isKnown ? head : request === 0 ? expected.first * served(preamble, pricing.rule) : 0
    rests.push(mode === 'recorded' ? rest : null)
    // If something was served it was alive, however long the pause.
    const pause = request === 0 ? 0 : (clock.times[request] as number) - (clock.times[request - 1] as number)
    const alive = (shares[request] as number) > 0 ? Math.min(pause, clock.life) : pause
    times[request] = request === 0 ? (clock.times[0] as number) : (times[request - 1] as number) + alive
  }
  return new CacheBehaviour(pricing, { times, life: clock.life }, { shares, heads, rests, rest: sumOfRests(records) })
}

/** What is recorded about the cache at one request. */
export interface CacheRecord {
  /** Null for the first request, and after a pause after which nothing is ever served. */
  readonly kind: Kind | null
  /** Which share of the prefix common with the previous request was served; null if nothing is recorded. */
  readonly share: number | null
  /** Tokens of that prefix. */
  readonly shared: number
  /**
   * Tokens that were served of a request whose history the agent had just cut: as many as it can have shared with
   * earlier ones.
   */
  readonly head: number
  /** The agent cut the context before this request, so what was served tells of the cut, and not of the cache. */
  readonly isCut: boolean
  /** Null if nothing is recorded. */
  readonly rest: Rest | null
}

/** Where this many requests could have read from a cache, and none did, the usage leaves out what was read. */
const silent = 3

/**
 * Whether usage tells what the cache served. Automatic caches serve nearly every request, so a session without any read
 * did not record its reads. Anthropic's cache serves only those who ask for it, so there a session without any read did
 * not ask.
 */
export function tellsReads(trace: Trace, { rule, life: lifetime }: Pricing, provider: ProviderName): boolean {
  if (rule === null || provider === 'anthropic') return true
  const { times, life } = clockOf(trace, lifetime)
  let missed = 0
  let before = 0
  for (let request = 0; request < trace.requests; request++) {
    const usage = trace.usage(request)
    if (usage && usage.cacheRead > 0) return true
    const pause = request === 0 ? Infinity : (times[request] as number) - (times[request - 1] as number)
    if (pause <= life && served(Math.min(before, usage?.input ?? 0), rule) > 0) missed++
    before = usage?.input ?? 0
  }
  return missed < silent
}

/** What a transcript's usage tells about each request. tools/fit/cache.mjs computes the usual shares from it. */
export function cacheRecords(trace: Trace, pricing: Pricing, preamble: number, provider: ProviderName): CacheRecord[] {
  const { rule } = pricing
  const { times, life } = clockOf(trace, pricing.life)
  const isTold = tellsReads(trace, pricing, provider)
  const records: CacheRecord[] = []
  const edits = [...trace.compactions, ...trace.clearings].map(({ at }) => at).sort((a, b) => a - b)
  let edit = 0
  let before: number | null = null
  for (let request = 0; request < trace.requests; request++) {
    const at = trace.requestAt(request)
    const from = request === 0 ? 0 : trace.requestAt(request - 1) + 1
    let isNew = request === 0
    let isPrompted = false
    for (let message = from; message <= at; message++) {
      if (trace.isReset(message)) isNew = true
      if (trace.isPrompt(message)) isPrompted = true
    }
    for (; edit < edits.length && (edits[edit] as number) <= at; edit++) isNew = true
    const pause = request === 0 ? Infinity : (times[request] as number) - (times[request - 1] as number)
    const kind = pause <= life ? (isPrompted ? 'turn' : 'step') : pause <= longest * 1000 ? 'idle' : null
    const usage = isTold ? trace.usage(request) : null
    if (!usage) {
      records.push({ kind, share: null, shared: 0, head: 0, isCut: false, rest: null })
      before = null
      continue
    }
    const { input, cacheRead, cacheWrite, cacheWrite1h } = usage
    const shared = isNew ? preamble : served(Math.min(before ?? input, input), rule)
    const share = shared > 0 ? Math.min(1, cacheRead / shared) : Number(cacheRead > 0)
    const tokens = input - cacheRead
    const written = Math.min(tokens, cacheWrite)
    const write1h = Math.min(written, cacheWrite1h)
    records.push({
      kind,
      share,
      shared,
      head: isNew ? cacheRead : 0,
      isCut: isNew || (before !== null && input < before * (1 - shrinkage)),
      rest: { tokens, write: written - write1h, write1h },
    })
    before = input
  }
  return records
}

function sumOfRests(records: readonly CacheRecord[]): Rest | null {
  const sum = { tokens: 0, write: 0, write1h: 0 }
  for (const { rest } of records) {
    sum.tokens += rest?.tokens ?? 0
    sum.write += rest?.write ?? 0
    sum.write1h += rest?.write1h ?? 0
  }
  return sum.tokens > 0 ? sum : null
}

/** A context that shrinks by more than this share between two requests was cut, recorded or not. */
const shrinkage = 0.02

/**
 * The usual share counts as much as this many requests. With 20, sessions of Claude Code came to 2.5 % more than their
 * bills, with 8 to 1.4 %: even a long session has only a dozen prompts.
 */
const prior = 8

type Shares = Record<Kind | 'first', number>

/** What is written for an hour outlives most pauses, so such sessions have habits of their own. */
export const habitsOf = (provider: ProviderName, { hour }: Pricing): Shares =>
  provider === 'anthropic' && hour ? habits.providers['anthropic-1h'] : habits.providers[provider]

/** Mean shares: the provider's usual ones, corrected by what the transcript recorded. */
function expectedShares(records: readonly CacheRecord[], usual: Shares): Shares {
  const of = (kind: Kind): number => {
    const own = records.filter((record) => record.kind === kind && record.share !== null && !record.isCut)
    const mean = own.reduce((sum, { shared }) => sum + shared, 0) / own.length
    let count = prior
    let sum = prior * usual[kind]
    // A miss of a long prompt costs more than one of a short one.
    for (const { share, shared } of mean > 0 ? own : []) {
      count += shared / mean
      sum += ((share as number) * shared) / mean
    }
    return sum / count
  }
  return { first: usual.first, step: of('step'), turn: of('turn'), idle: of('idle') }
}
