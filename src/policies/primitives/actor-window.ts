/**
 * `actor-window`: duragent's layer 1 alone: a bound on the number of messages, kept when the user or the assistant says
 * something. It cuts between any two messages, also between a call and its results.
 * Law: sticky. Not monotone in what it keeps of pairs, but a larger budget never keeps less.
 */
import { integer } from '../../base/param.ts'
import { definePolicy } from '../policy.ts'
import { ActorWindow, actorMessageLimit, dropFirst } from '../upstream/duragent.ts'

export default definePolicy({
  name: 'actor-window',
  summary: 'keep as many messages as could fit at 200 tokens each, twice over',
  source: 'duragent, Context Window Management, layer 1',
  params: { limit: integer({ default: 0, min: 0, help: 'most messages that stay; 0 = derived from the budget' }) },
  kind: 'sticky',
  monotone: true,
  wholePairs: false,
  part: true,
  text: false,
  start({ limit }) {
    let actor: ActorWindow | null = null
    return {
      message(window, entry) {
        actor ??= new ActorWindow(limit || actorMessageLimit(window.budget))
        actor.add(entry.role)
        dropFirst(window, actor.dropped)
      },
      reset() {
        actor = null
      },
    }
  },
})
