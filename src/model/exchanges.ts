/**
 * Where exchanges and steps begin and end (ikigai, "Exchange Boundaries"): a user message starts an exchange, the next
 * user message ends it. A tool result, an injected message or one typed while the agent worked starts none. Messages
 * before the first user message belong to no exchange.
 */
import { Column } from '../base/column.ts'
import type { Trace } from './trace.ts'

export interface Exchange {
  readonly index: number
  /** Message indices, half-open. */
  readonly from: number
  readonly to: number
  /**
   * `complete`: the agent gave its final answer. `interrupted`: the user stopped it, or the next user message came first.
   * `open`: not yet.
   */
  readonly state: 'complete' | 'interrupted' | 'open'
}

/** The exchanges of a transcript, in order; empty for a transcript without a user message. */
export function findExchanges(trace: Trace): Exchange[] {
  return [...new Exchanges(trace)]
}

/** The last request of an exchange; if it has none, the last one before it. Null if there is no such exchange or request. */
export function requestOfExchange(trace: Trace, exchange: number): number | null {
  const to = findExchanges(trace)[exchange]?.to
  if (to === undefined) return null
  const behind = trace.requestFrom(to)
  return behind === 0 ? null : behind - 1
}

/** The exchanges of a transcript, created on demand: keeping an object for each of a million would take too much memory. */
export class Exchanges implements Iterable<Exchange> {
  readonly #trace: Trace
  readonly #starts = Column.int32()
  /** Messages that were looked at: a trace may still grow. */
  #seen = 0

  constructor(trace: Trace) {
    this.#trace = trace
  }

  get length(): number {
    const { length } = this.#trace
    for (; this.#seen < length; this.#seen++) if (this.#trace.isPrompt(this.#seen)) this.#starts.push(this.#seen)
    return this.#starts.length
  }

  at(index: number): Exchange | null {
    if (index < 0 || index >= this.length) return null
    const from = this.#starts.at(index)
    const isLast = index + 1 === this.length
    const to = isLast ? this.#trace.length : this.#starts.at(index + 1)
    const stopped = this.#trace.isInterrupted(from)
    const answered = !stopped && isAnswered(this.#trace, from, to)
    return { index, from, to, state: answered ? 'complete' : isLast && !stopped ? 'open' : 'interrupted' }
  }

  /**
   * The exchange that message `index` belongs to; -1 before the first exchange, and the number of exchanges for an index
   * after the last message.
   */
  holding(index: number): number {
    let low = 0
    let high = this.length
    while (low < high) {
      const middle = (low + high) >> 1
      if (this.#starts.at(middle) <= index) low = middle + 1
      else high = middle
    }
    return low > 0 && index >= this.#trace.length ? low : low - 1
  }

  *[Symbol.iterator](): Iterator<Exchange> {
    for (let index = 0; index < this.length; index++) yield this.at(index) as Exchange
  }
}

/** Whether the agent has given its final answer: the last assistant message of the exchange calls no tool. */
function isAnswered(trace: Trace, from: number, to: number): boolean {
  for (let index = to - 1; index > from; index--) {
    const role = trace.role(index)
    if (role === 'assistant') return trace.callCount(index) === 0
    if (role === 'tool') return false
  }
  return false
}
