/**
 * `fill-newest`: messages are taken from the newest backwards until one does not fit; it and everything before it is left
 * out (duragent, layer 2, "Fill history_budget with messages from newest to oldest"). An exact fit is kept. Results that
 * would lead the window without their call are skipped. The newest message leaves too when it alone does not fit.
 *
 * Messages only ever come behind, so the first message that fits never moves back, and dropping from the front until the
 * rest fits is the same as filling from the back: what a step costs is what leaves.
 *
 * Law: monotone (with `target` 1), sticky.
 */
import { integer } from '../../base/param.ts'
import { definePolicy, type Window } from '../policy.ts'
import { target } from '../watermark.ts'

/** The messages in front leave until the rest, without the preamble, has at most `budget` tokens. */
export function fillNewest(window: Window, budget: number): void {
  while (window.first && window.tokens - window.preambleTokens > budget) window.drop(window.first, window.first)
}

/** Tool results at the front leave: their call is gone. */
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
  kind: 'sticky',
  monotone: true,
  wholePairs: false,
  text: false,
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
