/**
 * The exchanges with messages inside the window, oldest first, updated as messages enter and leave. Most exchanges
 * leave at the front, which only moves an index; anything else is a splice.
 */
import type { WindowExchange } from '../policies/policy.ts'
import type { Item } from './item.ts'

/** By exchange, the results in later ones that answer its calls, in their order. */
type Late = ReadonlyMap<number, readonly Item[]>

class InsideExchange implements WindowExchange {
  readonly index: number
  first: Item
  count = 0
  readonly #late: Late

  constructor(first: Item, late: Late) {
    this.index = first.exchange
    this.first = first
    this.#late = late
  }

  get through(): number {
    return this.#late.get(this.index)?.findLast(({ inside }) => inside)?.exchange ?? this.index
  }
}

export class InsideExchanges {
  #list: InsideExchange[] = []
  #oldest = 0
  #emptied: number[] = []
  /** Those that came back since the policy's present occasion began: where they leave again, no request had them. */
  readonly #back = new Set<number>()
  readonly #late = new Map<number, Item[]>()
  /** Those that came or left; null until somebody asks. */
  #moved: Set<number> | null = null

  get count(): number {
    return this.#list.length - this.#oldest
  }

  get oldest(): InsideExchange | null {
    return this.#list[this.#oldest] ?? null
  }

  get newest(): InsideExchange | null {
    return this.count > 0 ? (this.#list.at(-1) ?? null) : null
  }

  has(exchange: number): boolean {
    return this.#list[this.#placeOf(exchange)]?.index === exchange
  }

  after(exchange: number): InsideExchange | null {
    return this.#list[this.#placeOf(exchange) + 1] ?? null
  }

  /** The item has entered (`by` 1) or left (`by` -1) the window's list. */
  move(item: Item, by: 1 | -1): void {
    const place = this.#placeOf(item.exchange)
    let exchange = this.#list[place]
    if (exchange?.index !== item.exchange) {
      exchange = new InsideExchange(item, this.#late)
      this.#back.add(exchange.index)
      this.#moved?.add(exchange.index)
      if (place === this.#oldest && place > 0) this.#list[--this.#oldest] = exchange
      else this.#list.splice(place, 0, exchange)
    }
    exchange.count += by
    if (by === 1 && item.index < exchange.first.index) exchange.first = item
    if (exchange.count === 0) {
      if (!this.#back.has(exchange.index)) this.#emptied.push(exchange.index)
      this.#moved?.add(exchange.index)
      if (place === this.#oldest) this.#forgetOldest()
      else this.#list.splice(place, 1)
    } else if (by === -1 && exchange.first === item) exchange.first = nextOfTranscript(item)
  }

  /** The result answers a call of exchange `calledIn`; what is in front of the first leaves with that. */
  bind(calledIn: number, result: Item): void {
    if (result.exchange <= calledIn) return
    const exchange = Math.max(0, calledIn)
    const results = this.#late.get(exchange)
    if (results) results.push(result)
    else this.#late.set(exchange, [result])
  }

  /** A message has come, or the policy is about to act. */
  settle(): void {
    this.#back.clear()
  }

  /** Exchanges that have left since the last call and are not back, oldest first, each once. */
  takeEmptied(): number[] {
    const left = this.#emptied.filter((index) => !this.has(index))
    this.#emptied = []
    return [...new Set(left)].sort((a, b) => a - b)
  }

  /** Exchanges that came or left since the last call, oldest first; at the first call those inside. */
  takeMoved(): number[] {
    const moved = this.#moved ?? this.#list.slice(this.#oldest).map(({ index }) => index)
    this.#moved = new Set()
    return [...moved].sort((a, b) => a - b)
  }

  /** The exchange's place in the list, or where it belongs. */
  #placeOf(exchange: number): number {
    let low = this.#oldest
    let high = this.#list.length
    while (low < high) {
      const middle = (low + high) >> 1
      if ((this.#list[middle] as InsideExchange).index < exchange) low = middle + 1
      else high = middle
    }
    return low
  }

  // Array.shift each time would make leaving at the front quadratic.
  #forgetOldest(): void {
    this.#oldest++
    if (this.#oldest > 64 && this.#oldest * 2 > this.#list.length) {
      this.#list = this.#list.slice(this.#oldest)
      this.#oldest = 0
    }
  }
}

/** The next message of the transcript in the window, skipping messages that a policy inserted. */
function nextOfTranscript(item: Item): Item {
  let next = item.next as Item
  while (next.index < 0) next = next.next as Item
  return next
}
