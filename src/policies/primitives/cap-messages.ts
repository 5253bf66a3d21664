/**
 * `cap-messages`: at most so many messages, whatever they weigh; the oldest leave. It parts calls from their results:
 * `keep-pairs` behind it mends that. Law: sticky; the budget plays no part in it, so a larger one never keeps less.
 */
import { integer } from '../../base/param.ts'
import { definePolicy, type Window } from '../policy.ts'
import { target } from '../watermark.ts'

/** The oldest messages leave until `most` are left. */
export function capMessages(window: Window, most: number): void {
  while (window.first && window.count > most) window.drop(window.first, window.first)
}

export default definePolicy({
  name: 'cap-messages',
  summary: 'keep at most so many messages, the newest',
  source: 'forge message_threshold; the message window of most chat libraries',
  params: {
    max: integer({ default: 200, min: 1, help: 'most messages that stay' }),
    target: { ...target, help: 'once there are more, cut down to this fraction of them' },
  },
  kind: 'sticky',
  monotone: true,
  wholePairs: false,
  text: false,
  start: ({ max, target }) => ({
    request(window) {
      if (window.count > max) capMessages(window, Math.max(1, Math.floor(max * target)))
    },
  }),
})
