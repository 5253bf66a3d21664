/**
 * Where exchanges and steps begin and end (ikigai, "Exchange Boundaries"): a user message starts an exchange, the next
 * user message ends it. A tool result, an injected message or one typed while the agent worked starts none. Messages
 * before the first user message belong to no exchange.
 */
import type { Trace } from './trace.ts'

export interface Exchange {
  readonly index: number
  /** Message indices, half-open. */
  readonly from: number
  readonly to: number
  /** `complete`: the agent gave its final answer. `interrupted`: the next user message came first. `open`: not yet. */
  readonly state: 'complete' | 'interrupted' | 'open'
}

/** The exchanges of a transcript, in order; empty for a transcript without a user message. */
export function findExchanges(trace: Trace): Exchange[] {
  const starts: number[] = []
  for (let index = 0; index < trace.length; index++) if (trace.isPrompt(index)) starts.push(index)
  return starts.map((from, index) => {
    const next = starts[index + 1]
    const to = next ?? trace.length
    const answered = isAnswered(trace, from, to)
    return { index, from, to, state: answered ? 'complete' : next === undefined ? 'open' : 'interrupted' }
  })
}

/**
 * The exchange that message `index` belongs to; -1 before the first, and the number of exchanges for an index behind
 * the last message.
 */
export function exchangeAt(exchanges: readonly Exchange[], index: number): number {
  let low = 0
  let high = exchanges.length
  while (low < high) {
    const middle = (low + high) >> 1
    if ((exchanges[middle] as Exchange).from <= index) low = middle + 1
    else high = middle
  }
  return index >= (exchanges.at(-1)?.to ?? Infinity) ? exchanges.length : low - 1
}

/** The agent has gone idle: the last thing said in the exchange is an assistant message that asks for no tool. */
function isAnswered(trace: Trace, from: number, to: number): boolean {
  for (let index = to - 1; index > from; index--) {
    const role = trace.role(index)
    if (role === 'assistant') return trace.callCount(index) === 0
    if (role === 'tool') return false
  }
  return false
}
