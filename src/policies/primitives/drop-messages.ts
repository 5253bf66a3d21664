/**
 * `drop-messages`: drops single messages from the front. It separates calls from their results; `keep-pairs` as the
 * next step repairs that. Law: monotone (with `target` 1), sticky.
 */
import { integer } from '../../base/param.ts'
import { definePolicy } from '../catalogue/define-policy.ts'
import type { Window } from '../policy.ts'
import { lowWater, target } from '../watermark.ts'

/** Drops the oldest message while the request is over `goal` tokens and more than `keepLast` messages are left. */
export function dropOldestMessages(window: Window, goal: number, keepLast: number): void {
  while (window.first && window.count > keepLast && window.tokens > goal) window.drop(window.first, window.first)
}

export default definePolicy({
  name: 'drop-messages',
  summary: 'drop single messages, oldest first, while over budget',
  source: 'the plain sliding window of messages',
  params: { keepLast: integer({ default: 1, min: 0, help: 'newest messages that are never dropped' }), target },
  monotone: true,
  start: ({ keepLast, target }) => ({
    request(window) {
      const goal = lowWater(window, target)
      if (goal !== null) dropOldestMessages(window, goal, keepLast)
    },
  }),
})
