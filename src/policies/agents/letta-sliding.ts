/**
 * `letta-sliding`: Letta summarises when a request has more than nine tenths of the window. It evicts the oldest
 * messages: first 40 % of them, then 50 %, and so on, until the rest has less than 70 % of the window; each cut is
 * moved back to the nearest message of the assistant. A summary in the user's role replaces what left.
 *
 * Operators: acts at `>`; stops at `<`. Its fault is kept: the setting says that eviction starts at 30 %, but a tenth
 * is added before the first try. Not simulated: that the text to summarise is clipped to 50,000 characters.
 *
 * Law: whole pairs, sticky. Worked example: ten messages of 100 tokens, window 1,000, a request of 1,000: 40 % are
 * four, and 600 tokens are left, which is less than 700.
 */

import { utf8Length } from '../../base/bytes.ts'
import { integer, number } from '../../base/param.ts'
import { definePolicy } from '../catalogue/define-policy.ts'
import { textLength } from '../counters.ts'
import type { Entry, NativeCounter, Window } from '../policy.ts'
import { wholeRange } from '../primitives/keep-pairs.ts'
import { summariseRange } from '../primitives/summarise-oldest.ts'

const safety = 1.3

const counter: NativeCounter = {
  summary: 'ceil(1.3 * bytes / 4) per message; tool definitions are not counted',
  message: (message) => Math.ceil((safety * textLength(message, utf8Length)) / 4),
  preamble: ({ system }) =>
    system.reduce((sum, message) => sum + Math.ceil((safety * textLength(message, utf8Length)) / 4), 0),
}

/** The entries, oldest first. */
function entriesOf(window: Window): Entry[] {
  const entries: Entry[] = []
  for (let entry = window.first; entry; entry = entry.next) entries.push(entry)
  return entries
}

export default definePolicy({
  name: 'letta-sliding',
  version: '0.16',
  summary: 'over nine tenths of the window, summarise 40 % of the messages or more',
  source: 'letta-ai/letta ff19ffeaf, letta/services/summarizer (2026; the repository is archived)',
  ownBudget: 'window',
  trigger: 'the window; acts at more than `threshold` of it',
  unlike: '`gemini-compress` cuts by tokens, at prompts; this by number of messages, at the assistant’s',
  params: {
    threshold: number({ default: 0.9, min: 0, max: 1, help: 'share of the window over which it acts' }),
    evict: number({
      default: 0.3,
      min: 0,
      max: 1,
      help: 'share of the messages to summarise; it begins a tenth above that, and adds tenths until that is enough',
    }),
    summaryTokens: integer({ default: 2_000, min: 1, help: 'tokens of the summary' }),
  },
  wholePairs: true,
  inserts: true,
  native: counter,
  start({ threshold, evict, summaryTokens }) {
    let isNew = false
    return {
      message() {
        isNew = true
      },
      request(window) {
        const { first } = window
        if (!isNew || !first || window.tokens <= threshold * window.budget) return
        isNew = false
        const entries = entriesOf(window)
        let cut = 0
        let [leaving, counted] = [0, 0]
        for (let tenths = Math.round(10 * evict) + 1; tenths <= 10; tenths++) {
          const goal = Math.round((tenths / 10) * entries.length)
          cut = goal
          while (cut > 0 && entries[cut]?.role !== 'assistant') cut--
          for (; counted < cut; counted++)
            leaving += window.tokensOf(entries[counted] as Entry, entries[counted] as Entry)
          if (window.tokens - leaving < (1 - evict) * window.budget) break
        }
        const range = cut > 0 ? wholeRange(first, entries[cut - 1] as Entry) : null
        if (!range || range.from !== first || window.tokensOf(first, range.to) <= summaryTokens) return
        summariseRange(window, first, range.to, { role: 'user', tokens: summaryTokens })
      },
    }
  },
})
