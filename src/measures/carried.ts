/**
 * What the parts of a transcript came to in all the requests that carried them: the recorded input of each request, and
 * what it cost, shared out among its parts. A part's share is by its size; what is read from the cache is the front of
 * a request, so each token has the price of the place it stood at.
 */
import { PrefixSums } from '../base/prefix-sums.ts'
import { sentAsRecorded } from '../model/recorded.ts'
import { historySizes, type Sizes } from '../model/sizes.ts'
import type { Trace } from '../model/trace.ts'
import { type BilledRequest, inputCost } from './spent.ts'

/** Of one part, over all requests that carried it. */
export interface Share {
  readonly requests: number
  readonly tokens: number
  /** US dollars, of the requests that have a price. */
  readonly usd: number
}

export interface Shares {
  /** Of each tool definition that was asked for. */
  readonly definitions: readonly (Share & { readonly units: number })[]
  /** The system prompt, and the tools that are not among these. */
  readonly head: Share
  /** What the agent put in front of the messages it kept: summaries, files. */
  readonly summaries: Share
  of(message: number): Share
}

/**
 * @param billed the requests to share out, by their index
 * @param defined units of each tool definition; they stand in front of the system prompt
 */
export function sharesOf(
  trace: Trace,
  sizes: Sizes,
  billed: ReadonlyMap<number, BilledRequest>,
  defined: readonly number[] = [],
): Shares {
  const all = defined.reduce((sum, units) => sum + units, 0)
  // Where the preamble is known to be smaller than its definitions are by themselves, each has its part of it.
  const fitting = all > sizes.preamble ? sizes.preamble / all : 1
  const definitions = defined.map((units) => ({ units: units * fitting, requests: 0, tokens: 0, usd: 0 }))
  const history = historySizes(trace, sizes)
  const { passing } = sizes
  const sent = new Sent(trace.length, (index) => history.between(index, index + 1) + (passing?.of(index) ?? 0))
  let passed = 0
  const head = { requests: 0, tokens: 0, usd: 0 }
  const summaries = { requests: 0, tokens: 0, usd: 0 }
  for (const { request, at, from, units, cleared } of sentAsRecorded(trace, sizes)) {
    for (; passed < (passing?.since(at) ?? 0); passed++)
      if (passing?.of(passed)) sent.clear(passed, history.between(passed, passed + 1))
    for (const [index, size] of cleared) sent.clear(index, history.join(index) + size)
    const found = billed.get(request)
    if (!found) continue
    const inside = sent.units(from, at)
    const front = Math.max(0, units - inside)
    const { usage, cost, rates } = found
    const isEmpty = sizes.preamble + front + inside <= 0
    // A request of no size counts as its head, because nothing says what was in it.
    const headUnits = isEmpty ? 1 : sizes.preamble
    const perUnit = usage.input / (headUnits + front + inside)
    const rest = usage.input - usage.cacheRead
    const price: Price = {
      tokens: perUnit,
      read: perUnit * (rates?.read ?? 0),
      rest: cost && rest > 0 ? (perUnit * (inputCost(cost) - cost.cacheRead)) / rest : 0,
    }
    // The units that were read from the cache, of those that are still to be shared out.
    let read = perUnit === 0 ? 0 : usage.cacheRead / perUnit
    for (const definition of definitions) read = take(definition, definition.units, read, price)
    read = take(head, headUnits - all * fitting, read, price)
    if (front > 0) read = take(summaries, front, read, price)
    sent.carry(from, at, read, price)
  }
  return { definitions, head, summaries, of: (message) => sent.share(message) }
}

/** By unit, in one request: tokens, and dollars of what was read from the cache and of what was not. */
interface Price {
  readonly tokens: number
  readonly read: number
  readonly rest: number
}

/** @returns the units that are left of `read` */
function take(
  share: { requests: number; tokens: number; usd: number },
  units: number,
  read: number,
  price: Price,
): number {
  const cached = Math.min(units, read)
  share.requests++
  share.tokens += price.tokens * units
  share.usd += price.read * cached + price.rest * (units - cached)
  return read - cached
}

/** The messages of a transcript. A request carries a range of them, at a cost of two places and not of the range. */
class Sent {
  readonly #sizes: Float64Array
  readonly #units: PrefixSums
  // The sum in front of a message is what one of its units came to, over all requests whose range holds the message.
  readonly #requests: PrefixSums
  readonly #tokens: PrefixSums
  readonly #usd: PrefixSums
  /** For each message that became smaller: its share until then, and the sums at that moment. */
  readonly #before = new Map<number, { readonly share: Share; readonly tokens: number; readonly usd: number }>()

  /** @param sizeOf units of message `index`, its join included */
  constructor(length: number, sizeOf: (index: number) => number) {
    this.#sizes = new Float64Array(length)
    this.#units = new PrefixSums(length)
    this.#requests = new PrefixSums(length)
    this.#tokens = new PrefixSums(length)
    this.#usd = new PrefixSums(length)
    for (let index = 0; index < length; index++) this.#resize(index, sizeOf(index))
  }

  units(from: number, to: number): number {
    return this.#units.before(to) - this.#units.before(from)
  }

  clear(index: number, size: number): void {
    const share = this.share(index)
    this.#before.set(index, { share, tokens: this.#tokens.before(index + 1), usd: this.#usd.before(index + 1) })
    this.#resize(index, size)
  }

  /** @param read how many units from the front were read from the cache */
  carry(from: number, to: number, read: number, price: Price): void {
    addRange(this.#requests, from, to, 1)
    addRange(this.#tokens, from, to, price.tokens)
    const start = this.#units.before(from)
    const split = Math.max(from, Math.min(to, this.#units.find(start + read)))
    addRange(this.#usd, from, split, price.read)
    if (split === to) return
    // The cache's end may lie within a message.
    const size = this.#sizes[split] as number
    const cached = Math.max(0, Math.min(size, start + read - this.#units.before(split)))
    addRange(this.#usd, split, split + 1, (price.read * cached + price.rest * (size - cached)) / (size || 1))
    addRange(this.#usd, split + 1, to, price.rest)
  }

  share(index: number): Share {
    const size = this.#sizes[index] as number
    const before = this.#before.get(index)
    return {
      requests: Math.round(this.#requests.before(index + 1)),
      tokens: (before?.share.tokens ?? 0) + size * (this.#tokens.before(index + 1) - (before?.tokens ?? 0)),
      usd: (before?.share.usd ?? 0) + size * (this.#usd.before(index + 1) - (before?.usd ?? 0)),
    }
  }

  #resize(index: number, size: number): void {
    this.#units.add(index, size - (this.#sizes[index] as number))
    this.#sizes[index] = size
  }
}

function addRange(sums: PrefixSums, from: number, to: number, value: number): void {
  if (from >= to) return
  sums.add(from, value)
  sums.add(to, -value)
}
