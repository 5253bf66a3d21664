/**
 * Which units to take so that it pays. A token that stays is read from the prompt cache by every request to come; one
 * that leaves may be missed; and what stands behind it in the prompt has to be written to the cache again. So a message
 * x leaves if
 *
 *     p(x) · Λ < tokens(x) · r · R
 *
 * where p is the chance that it is used later, Λ what a lost use is held to cost, r the price of reading a token from
 * the cache as a share of the price of input, and R how many requests are still to come. Of all places in the prompt
 * the cut is where the sum of these gains behind it most exceeds (w - r) times the tokens that stay behind it, where w
 * is the price of writing. Where the cache is cold all is written anyway: there nothing has to be made up for.
 *
 * A request costs O(messages in the window).
 */
import type { CachePrices, Entry, Moment, Window } from '../../policy.ts'
import type { Unit } from '../unit.ts'
import type { Shares } from './contents.ts'
import { Signals } from './signals.ts'
import type { Valuing } from './valuing.ts'

/** Anthropic's prices, which most recorded sessions paid. */
export const usualPrices: CachePrices = { read: 0.1, write: 1.25, seconds: 300 }

/** What has to come of a cut. */
export interface Asked {
  /** How many requests are assumed to be still to come. */
  readonly requests: number
  /** The gain must be this many times the cost of writing again what stays behind the cut. */
  readonly times: number
}

/** About how many tokens an operation frees of a message that has so many. */
export type Frees = (entry: Entry, tokens: number, shares: Shares) => number

const noShares: Shares = { inputs: 0, thoughts: 0 }

export class Worth {
  readonly #signals = new Signals()
  readonly #valuing: Valuing
  readonly #frees: Frees
  readonly #prices: CachePrices
  /** The first message of the latest response: what stands before it has been sent. */
  #answer = -1
  /** By index of a message: its tokens as it came. */
  readonly #tokens: number[] = []

  constructor(valuing: Valuing, frees: Frees, prices: CachePrices = usualPrices) {
    this.#valuing = valuing
    this.#frees = frees
    this.#prices = prices
  }

  message(window: Window, entry: Entry): void {
    const tokens = window.tokensOf(entry, entry)
    this.#tokens[entry.index] = tokens
    this.#signals.message(entry, tokens)
    if (entry.isResponse) this.#answer = entry.index
  }

  /** What it costs to lose a unit, for each token that this frees. */
  densityOf(window: Window, unit: Unit): number {
    let [lost, freed] = [0, 0]
    for (const entry of unit.entries) {
      if (!entry.inside) continue
      lost += this.#chance(entry)
      freed += this.#freed(window, entry)
    }
    return lost / Math.max(1, freed)
  }

  /**
   * The units to take, oldest first; none where nothing pays.
   * @param units in the order of their first messages
   */
  paying(window: Window, units: readonly Unit[], { idleSeconds }: Moment, asked: Asked): readonly Unit[] {
    const { read, write, seconds } = this.#prices
    const isCold = idleSeconds !== null && idleSeconds > seconds
    // A cold cache writes in this request what it would read in later ones.
    const saved = read * asked.requests + (isCold ? write - read : 0)
    const rewritten = isCold ? 0 : write - read
    const [worth, gains]: [Unit[], number[]] = [[], []]
    /** By index: what is left of a message of these. */
    const left: number[] = []
    for (const unit of units) {
      const gain = this.#gain(window, unit, saved)
      if (gain <= 0) continue
      worth.push(unit)
      gains.push(gain)
      for (const entry of unit.entries) left[entry.index] = this.#tokensOf(window, entry) - this.#freed(window, entry)
    }
    let [kept, gain, best, from] = [0, 0, 0, worth.length]
    let next = worth.length - 1
    for (let entry = window.last; entry && next >= 0; entry = entry.previous) {
      if (entry.index < this.#answer) kept += left[entry.index] ?? this.#tokensOf(window, entry)
      if (entry !== firstInside(worth[next] as Unit)) continue
      gain += gains[next] as number
      const cost = rewritten * kept
      if (gain - cost > best && gain >= asked.times * cost) [best, from] = [gain - cost, next]
      next--
    }
    return worth.slice(from)
  }

  /** What dropping a unit gains, in tokens at the price of input. */
  #gain(window: Window, unit: Unit, saved: number): number {
    let gain = 0
    for (const entry of unit.entries) {
      if (!entry.inside) continue
      gain += this.#freed(window, entry) * saved - this.#chance(entry) * this.#valuing.price
    }
    return gain
  }

  #chance(entry: Entry): number {
    const place = this.#signals.placeOf(entry)
    return place === undefined ? 0 : this.#valuing.chance(this.#signals, place)
  }

  #freed(window: Window, entry: Entry): number {
    const place = this.#signals.placeOf(entry)
    const shares = place === undefined ? noShares : this.#signals.sharesOf(place)
    return this.#frees(entry, this.#tokensOf(window, entry), shares)
  }

  #tokensOf(window: Window, entry: Entry): number {
    const known = entry.replaced || entry.index < 0 ? undefined : this.#tokens[entry.index]
    return known ?? window.tokensOf(entry, entry)
  }
}

function firstInside({ entries }: Unit): Entry | undefined {
  for (const entry of entries) if (entry.inside) return entry
  return undefined
}
