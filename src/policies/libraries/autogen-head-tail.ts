/**
 * `autogen-head-tail`: AutoGen's `HeadAndTailChatCompletionContext`: the first `head` and the last `tail` messages, and
 * between them a user message with the number of those that are skipped. If the head ends with calls, these are left
 * out; if the tail begins with results, these are. The results of a step are one message. The number in the notice does
 * not count what was left out in addition, and it changes with every message, which breaks the prompt cache behind the
 * head.
 *
 * Law: sticky: a view whose boundary never moves back equals it. Monotone: it ignores the budget. Worked example,
 * `head=1`, `tail=2`, of [a, b, c, d, e]: a, "Skipped 2 messages.", d, e.
 */
import { integer } from '../../base/param.ts'
import { definePolicy } from '../catalogue/define-policy.ts'
import type { Entry } from '../policy.ts'
import { dropAll, libraryMessages, MessageCount } from './library-messages.ts'

export default definePolicy({
  name: 'autogen-head-tail',
  version: '0.7',
  summary: 'keep the first and the last messages, and say how many were between',
  source: 'microsoft/autogen 068008e1, autogen_core/model_context/_head_and_tail_chat_completion_context.py (2026)',
  trigger: 'no budget; acts at more than `head` + `tail` messages',
  unlike: '`autogen-buffered` keeps no beginning; `openhands-condense` summarises what was between',
  params: {
    head: integer({ default: 4, min: 0, help: 'first messages that stay' }),
    tail: integer({ default: 16, min: 1, help: 'last messages that stay' }),
  },
  monotone: true,
  inserts: true,
  budgetless: true,
  turnOn: ({ head, tail }) => ({
    file: 'your code, with AutoGen, in AssistantAgent(…)',
    text: `model_context=HeadAndTailChatCompletionContext(head_size=${head}, tail_size=${tail})`,
  }),
  start({ head, tail }) {
    const all = new MessageCount()
    let notice: Entry | null = null
    let skipped = 0
    /** How many messages of the head are inside. */
    let kept = head
    return {
      message: (_window, entry) => all.message(entry),
      request(window) {
        const more = all.count - head - tail
        if (more <= 0 || more === skipped) return
        if (notice?.inside) window.drop(notice, notice)
        const messages = libraryMessages(window.first)
        if (skipped === 0 && (messages[head - 1]?.[0].calls ?? 0) > 0) kept = head - 1
        skipped = more
        let end = Math.max(kept, messages.length - tail)
        if (messages[end]?.[0].role === 'tool') end++
        dropAll(window, messages.slice(kept, end))
        const blocks = [{ type: 'text', text: `Skipped ${more} messages.` }] as const
        notice = window.insert(messages[end]?.[0] ?? null, { role: 'user', blocks })
      },
    }
  },
})
