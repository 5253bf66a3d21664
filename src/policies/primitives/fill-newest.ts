/**
 * `fill-newest`: takes messages from the newest backwards until one does not fit; that one and everything before it
 * leave (duragent, layer 2, "Fill history_budget with messages from newest to oldest"). An exact fit is kept. Tool
 * results that would be first in the window, without their call, leave too. So does the newest message if it alone does
 * not fit.
 *
 * New messages are only added at the end, so the first message that fits never moves back. Dropping from the front
 * until the rest fits is therefore the same as filling from the back, and costs only what leaves.
 *
 * Law: monotone (with `target` 1), sticky.
 */
import { integer } from '../../base/param.ts'
import { definePolicy } from '../catalogue/define-policy.ts'
import type { Window } from '../policy.ts'
import { target } from '../watermark.ts'

/** Drops messages from the front until the rest, without the preamble, has at most `budget` tokens. */
export function fillNewest(window: Window, budget: number): void {
  while (window.first && window.tokens - window.preambleTokens > budget) window.drop(window.first, window.first)
}

/** Drops tool results from the front: their call is gone. */
export function skipLeadingResults(window: Window): void {
  while (window.first?.role === 'tool') window.drop(window.first, window.first)
}

export default definePolicy({
  name: 'fill-newest',
  summary: 'fill the budget with messages from the newest backwards',
  source: 'duragent, Context Window Management, layer 2',
  params: {
    max: integer({ default: 0, min: 0, help: 'tokens for messages; 0 = what the preamble leaves of the budget' }),
    target,
  },
  monotone: true,
  start: ({ max, target }) => ({
    request(window) {
      const room = Math.max(0, window.budget - window.preambleTokens)
      const most = max > 0 ? Math.min(max, room) : room
      if (window.tokens - window.preambleTokens <= most) return
      fillNewest(window, most * target)
      skipLeadingResults(window)
    },
  }),
})
