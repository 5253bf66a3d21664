/**
 * `semantic-kernel-truncate`: `ChatHistoryTruncationReducer` of Semantic Kernel. If there are more than `target` +
 * `threshold` messages (`>`), the cut goes to `target` messages before the end, back over calls and results, and then
 * back to a message of the user if there is one within `threshold`. The system prompt stays.
 *
 * Fault: if everything up to the cut is calls and results, the Python version keeps the whole list and puts the last
 * message in front of it, too; here nothing happens then.
 *
 * Law: sticky, monotone (it ignores the budget). Worked example, `target=2`: of [user, call, result, answer,
 * user] the last two stay; of [user, call, result, call, result] all, as the cut goes back to the user.
 */
import { integer } from '../../base/param.ts'
import { definePolicy } from '../catalogue/define-policy.ts'
import type { Entry } from '../policy.ts'

export default definePolicy({
  name: 'semantic-kernel-truncate',
  version: '1',
  summary: 'keep the last messages, beginning with a user message or with the calls of their results',
  source: 'microsoft/semantic-kernel 0002b9af, semantic_kernel/contents/history_reducer (2026)',
  trigger: 'no budget; acts at more than `target` + `threshold` messages',
  unlike: '`cap-messages` cuts exactly there; `autogen-buffered` moves the cut forward',
  params: {
    target: integer({ default: 20, min: 1, help: 'messages that a cut leaves' }),
    threshold: integer({ default: 0, min: 0, help: 'how many messages above the target are allowed before it acts' }),
  },
  monotone: true,
  budgetless: true,
  turnOn: ({ target, threshold }) => ({
    file: 'your code, with Semantic Kernel',
    text: `ChatHistoryTruncationReducer(target_count=${target}, threshold_count=${threshold})`,
  }),
  start: ({ target, threshold }) => ({
    request(window) {
      if (window.count <= target + threshold) return
      // Places count from the end, the last message is 1.
      let cut: Entry | null = window.last
      let place = 1
      const back = () => {
        cut = cut?.previous ?? null
        place++
      }
      while (cut && (place < target || isOfTool(cut))) back()
      let first = cut
      for (; cut && place <= target + threshold; back()) {
        if (cut.role !== 'user') continue
        first = cut
        break
      }
      if (first?.previous && window.first) window.drop(window.first, first.previous)
    },
  }),
})

const isOfTool = ({ calls, role }: Entry): boolean => calls > 0 || role === 'tool'
