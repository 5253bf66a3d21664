/**
 * What a provider's cache does with what it could serve. The price lists have an ideal: whatever was sent within the
 * lifetime is there. Real caches miss within it, outlive it, serve a part, and are warm from sessions of which the
 * transcript knows nothing. Where the transcript recorded its reads, a replay has the same fortune at the same requests;
 * elsewhere it has what is to be expected of the provider, corrected by what the transcript did record.
 */
import type { ProviderName } from '../model/message.ts'
import type { CacheMode } from '../model/run.ts'
import type { Sizes } from '../model/sizes.ts'
import type { Trace } from '../model/trace.ts'
import type { Pricing, Rates } from '../models/pricing.ts'
import habits from './cache-habits.data.json' with { type: 'json' }
import { type Clock, clockOf, served } from './prompt-cache.ts'

/** An entry is served this long after its last use at most, in seconds, whatever its lifetime. */
const longest = 3600

/** Where a request stands: in a tool loop, behind a user's prompt, or behind a pause that is longer than the lifetime. */
const kinds = ['step', 'turn', 'idle'] as const
type Kind = (typeof kinds)[number]

/** What is not served is written or not; how much of it, and for how long. */
interface Rest {
  readonly tokens: number
  readonly write: number
  readonly write1h: number
}

export class CacheBehaviour {
  /** When requests were sent, as far as the cache's lifetime is concerned. */
  readonly clock: Clock
  readonly #shares: Float64Array | null
  readonly #heads: Float64Array | null
  readonly #rests: readonly (Rest | null)[]
  /** Of everything in the transcript that was not served; null: all of it is written. */
  readonly #usualRest: Rest | null
  readonly #pricing: Pricing

  /** @param known null: the ideal */
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
   * @param shared tokens that the request has in common with earlier ones that are alive
   */
  hit(request: number, shared: number, sentTokens: number): number {
    if (!this.#shares || !this.#heads) return Math.min(shared, sentTokens)
    const share = (this.#shares[request] as number) * shared
    return Math.min(sentTokens, Math.round(Math.max(share, this.#heads[request] as number)))
  }

  /** What request `request` costs with so many tokens, `hit` of which are read from the cache. */
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
}

/** So many tokens, in the proportions of what was recorded. */
function priceOf({ tokens, write, write1h }: Rest, amount: number, rates: Rates): number {
  if (tokens === 0) return rates.input * amount
  const plain = tokens - write - write1h
  return (amount / tokens) * (rates.input * plain + rates.write * write + rates.write1h * write1h)
}

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
  const expected = expectedShares(records, provider)
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
    // What was served was alive, however long the pause, and what is served sometimes is so in part.
    const pause = request === 0 ? 0 : (clock.times[request] as number) - (clock.times[request - 1] as number)
    const alive = (shares[request] as number) > 0 ? Math.min(pause, clock.life) : pause
    times[request] = request === 0 ? (clock.times[0] as number) : (times[request - 1] as number) + alive
  }
  return new CacheBehaviour(pricing, { times, life: clock.life }, { shares, heads, rests, rest: sumOfRests(records) })
}

/** What is known of the cache at one request. */
export interface CacheRecord {
  /** Null for the first request, and behind a pause after which nothing is ever served. */
  readonly kind: Kind | null
  /** The part that was served of what the request had in common with the one before; null where nothing is recorded. */
  readonly share: number | null
  /** Tokens that were served of a request whose history the agent had cut: all that it can have had in common with others. */
  readonly head: number
  /** The context is another than before: what was served there tells how it was cut, not how the cache is. */
  readonly isCut: boolean
  /** Null where nothing is recorded. */
  readonly rest: Rest | null
}

/** So many requests that could have read from a cache and did not, and no other that did: their usage leaves it out. */
const silent = 3

/**
 * Whether usage tells what the cache served. Caches that nobody has to ask for serve nearly every request, so a session without
 * any read has not had its reads recorded. Anthropic's is asked for, and without a read was not.
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

/** What a transcript's usage tells of each request; tools/fit/cache.mjs makes the habits of it. */
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
      records.push({ kind, share: null, head: 0, isCut: false, rest: null })
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

/** A context that loses more than this part between two requests was cut, whether anything says so or not. */
const shrinkage = 0.02

/**
 * What is known beforehand counts as much as so many requests. With 20, sessions of Claude Code came to 2.5 % more than
 * their bills, with 8 to 1.4 %: a long one has a dozen prompts.
 */
const prior = 8

/** Mean shares: those of the provider, corrected by what the transcript recorded itself. */
function expectedShares(records: readonly CacheRecord[], provider: ProviderName): Record<Kind | 'first', number> {
  const usual = habits.providers[provider]
  const of = (kind: Kind): number => {
    let count = prior
    let sum = prior * usual[kind]
    for (const record of records) {
      if (record.kind !== kind || record.share === null || record.isCut) continue
      count++
      sum += record.share
    }
    return sum / count
  }
  return { first: usual.first, step: of('step'), turn: of('turn'), idle: of('idle') }
}
