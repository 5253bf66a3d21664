/** Dropping whole exchanges from the front: the unit that never parts a tool call from its results. */
import type { Window } from '../policy.ts'

/**
 * While the request is over `target` tokens and more than `keepLast` exchanges are left, the oldest exchange leaves,
 * and with it whatever stands in front of it.
 */
export function dropOldestExchanges(window: Window, target: number, keepLast: number): void {
  while (window.tokens > target && window.exchangeCount > keepLast) dropOldestExchange(window)
}

/** The oldest exchange leaves, with what stands in front of it. */
export function dropOldestExchange(window: Window): void {
  const oldest = window.oldestExchange
  if (!oldest || !window.first) return
  const last = window.nextExchange(oldest)?.first.previous ?? window.last
  if (last) window.drop(window.first, last)
}
