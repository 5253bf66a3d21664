/**
 * `cap-messages`: keeps a maximum number of messages, whatever their size; the oldest leave. It separates calls from
 * their results; `keep-pairs` as the next step repairs that. Law: monotone (it ignores the budget), sticky.
 */
import { integer } from '../../base/param.ts'
import { definePolicy } from '../catalogue/define-policy.ts'
import type { Window } from '../policy.ts'
import { target } from '../watermark.ts'

/** Drops the oldest messages until `most` are left. */
export function capMessages(window: Window, most: number): void {
  while (window.first && window.count > most) window.drop(window.first, window.first)
}

export default definePolicy({
  name: 'cap-messages',
  summary: 'keep only the newest messages, up to a maximum number',
  source: 'forge message_threshold; the message window of most chat libraries',
  params: {
    max: integer({ default: 200, min: 1, help: 'most messages to keep' }),
    target: { ...target, help: 'once there are more, cut down to this fraction of max' },
  },
  monotone: true,
  turnOn: ({ max, target }) =>
    target === 1 ? { file: 'your code', text: `messages = messages.slice(-${max})` } : null,
  start: ({ max, target }) => ({
    request(window) {
      if (window.count > max) capMessages(window, Math.max(1, Math.floor(max * target)))
    },
  }),
})
