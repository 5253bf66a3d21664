/**
 * `drop-oldest`: drops whole exchanges from the front, and those from a call to a late result together, which never
 * separates a tool call from its results. Messages before the first user message leave with the first cut. Law:
 * monotone (with `target` 1), whole pairs, sticky.
 */
import { choice, integer } from '../../base/param.ts'
import { definePolicy } from '../catalogue/define-policy.ts'
import type { Entry, Window, WindowExchange } from '../policy.ts'
import { lowWater, target } from '../watermark.ts'

/**
 * Where the window can be cut so that whole exchanges leave, and at least `keepLast` stay: the last message of each
 * that can leave, oldest first. One with a call that a later one answers leaves together with that.
 */
export function* cutsOf(window: Window, keepLast: number): Generator<Entry> {
  let left = window.exchangeCount
  let through = -1
  for (let exchange = window.oldestExchange; exchange && left > keepLast; left--) {
    const next: WindowExchange | null = window.nextExchange(exchange)
    through = Math.max(through, exchange.through)
    const last = next ? next.first.previous : window.last
    if (last && !(next && next.index <= through)) yield last
    exchange = next
  }
}

/** The first of these places, or null. */
export function firstCut(window: Window, keepLast: number): Entry | null {
  return cutsOf(window, keepLast).next().value ?? null
}

/** Drops the oldest exchanges, with the messages in front of them, while the request is over `goal` tokens. */
export function dropOldestExchanges(window: Window, goal: number, keepLast: number): void {
  while (window.tokens > goal) {
    const last = firstCut(window, keepLast)
    if (!last || !window.first) return
    window.drop(window.first, last)
  }
}

export default definePolicy({
  name: 'drop-oldest',
  summary: 'drop whole exchanges, oldest first, while over budget',
  source: 'ikigai, Exchange Boundaries',
  params: {
    keepLast: integer({ default: 1, min: 1, help: 'newest exchanges that are never dropped' }),
    target,
    on: choice({
      default: 'request',
      of: ['request', 'exchange'],
      help: 'when it acts: before each request, or when an exchange ends',
    }),
  },
  monotone: true,
  wholePairs: true,
  start({ keepLast, target, on }) {
    const act = (window: Window) => {
      const goal = lowWater(window, target)
      if (goal !== null) dropOldestExchanges(window, goal, keepLast)
    }
    return on === 'request' ? { request: act } : { exchangeEnd: act }
  },
})
