/**
 * `drop-oldest`: drops whole exchanges from the front, which never separates a tool call from its results. Messages before
 * the first user message leave with the first cut. Law: monotone (with `target` 1), whole pairs, sticky.
 */
import { choice, integer } from '../../base/param.ts'
import { definePolicy } from '../catalogue/define-policy.ts'
import type { Window } from '../policy.ts'
import { lowWater, target } from '../watermark.ts'

/** Drops the oldest exchange while the request is over `goal` tokens and more than `keepLast` exchanges are left. */
export function dropOldestExchanges(window: Window, goal: number, keepLast: number): void {
  while (window.tokens > goal && window.exchangeCount > keepLast) dropOldestExchange(window)
}

/** Drops the oldest exchange, with the messages in front of it. */
export function dropOldestExchange(window: Window): void {
  const oldest = window.oldestExchange
  if (!oldest || !window.first) return
  const last = window.nextExchange(oldest)?.first.previous ?? window.last
  if (last) window.drop(window.first, last)
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
  kind: 'sticky',
  monotone: true,
  wholePairs: true,
  text: false,
  suffix: ({ keepLast, target, on }) =>
    target === 1 ? { of: 'exchange', on: on === 'request' ? 'request' : 'exchangeEnd', keepLast } : null,
  start({ keepLast, target, on }) {
    const act = (window: Window) => {
      const goal = lowWater(window, target)
      if (goal !== null) dropOldestExchanges(window, goal, keepLast)
    }
    return on === 'request' ? { request: act } : { exchangeEnd: act }
  },
})
