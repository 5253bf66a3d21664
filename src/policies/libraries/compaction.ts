/** What the compactions of the providers' APIs share: the server replaces what it was sent before it answers. */
import type { Entry, PolicyRun, Window } from '../policy.ts'
import { summariseRange } from '../primitives/summarise-oldest.ts'

/**
 * A summary takes the place of everything as soon as a request has more tokens than the budget, once something new has
 * come. It stands for the provider's own item, with which a request may begin, so it has the user's role.
 * @param keeps which entries stay in front of it
 */
export function compaction(summaryTokens: number, keeps?: (entry: Entry) => boolean): PolicyRun {
  let isNew = false
  return {
    message() {
      isNew = true
    },
    request(window: Window) {
      if (!isNew || window.tokens <= window.budget || !window.first || !window.last) return
      const { first, last } = window
      if (!keeps) summariseRange(window, first, last, { role: 'user', tokens: summaryTokens })
      else {
        const blocks = [{ type: 'text', text: `[summary, ${summaryTokens} tokens]` }] as const
        window.summarise(first, last, { role: 'user', blocks }, summaryTokens, keeps)
      }
      isNew = false
    },
  }
}
