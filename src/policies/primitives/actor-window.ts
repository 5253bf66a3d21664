/**
 * `actor-window`: only duragent's layer 1, a maximum number of messages, enforced at each user or assistant message. It
 * cuts between any two messages, even between a call and its results.
 * Law: monotone, sticky.
 */
import { integer } from '../../base/param.ts'
import { definePolicy } from '../catalogue/define-policy.ts'
import { ActorWindow, actorMessageLimit, dropFirst } from '../upstream/duragent.ts'

export default definePolicy({
  name: 'actor-window',
  summary: 'keep twice as many messages as would fit at 200 tokens each',
  source: 'duragent, Context Window Management, layer 1',
  params: { limit: integer({ default: 0, min: 0, help: 'most messages to keep; 0 = derived from the budget' }) },
  monotone: true,
  part: true,
  start({ limit }) {
    let actor: ActorWindow | null = null
    return {
      message(window, entry) {
        actor ??= new ActorWindow(limit || actorMessageLimit(window.budget))
        actor.add(entry.role)
        dropFirst(window, actor.dropped)
      },
    }
  },
})
