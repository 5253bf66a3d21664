/**
 * `render-budget`: only duragent's layer 2. When an agentic loop starts, it fills a history budget from the newest
 * message backwards, and a notice says how many messages are omitted. The history budget is what remains of the budget
 * after the preamble, the response and a margin of a tenth, but at most `maxHistoryTokens`. The notice itself is not
 * counted.
 *
 * The newest user message leaves too if it alone does not fit: the document's rule has no minimum.
 * Law: sticky. Not monotone: the notice comes and goes.
 */
import { definePolicy } from '../catalogue/define-policy.ts'
import { historyBudget, historyParams, Loop, truncationNotice } from '../upstream/duragent.ts'
import { fillNewest, skipLeadingResults } from './fill-newest.ts'
import { Notice } from './insert-notice.ts'

export default definePolicy({
  name: 'render-budget',
  summary: 'fill a history budget from the newest message backwards when a loop starts, with a notice',
  source: 'duragent, Context Window Management, layer 2',
  params: historyParams,
  part: true,
  inserts: true,
  start({ maxHistoryTokens, maxOutputTokens: maxOutput }) {
    const notice = new Notice()
    const loop = new Loop()
    return {
      message: (_window, entry) => loop.message(entry),
      request(window) {
        if (!loop.starts) return
        notice.set(window, null)
        fillNewest(
          window,
          historyBudget({ maxInput: window.budget, maxOutput }, window.preambleTokens, maxHistoryTokens),
        )
        skipLeadingResults(window)
        notice.set(window, truncationNotice(window.omitted))
      },
    }
  },
})
