/**
 * `aider-summary`: aider moves a finished exchange to its done messages, and summarises these when they have more
 * tokens than a sixteenth of the window (at least 1,024, at most 8,192). The newest that make less than half of the
 * limit stay; what is in front, up to a message of the assistant, is replaced by a summary in the user's role and an
 * "Ok." of the assistant. If that is still too much, it is done again, at most three times; then, or if at most four
 * messages are in front, everything is summarised.
 *
 * Operators: acts at `>`; the tail is kept while it is `<` half. aider has no tools; calls and their results stay
 * together here. Files that are added to the chat are no messages, and are not simulated.
 *
 * Law: whole pairs, sticky; the current exchange is whole. Worked example: window 65,536, limit 4,096: done messages of
 * 900 tokens each, five of them: 4,500 are too many; two (1,800) are less than 2,048 and stay.
 */
import { integer } from '../../base/param.ts'
import { definePolicy } from '../catalogue/define-policy.ts'
import { thousands } from '../catalogue/thousands.ts'
import type { Entry, Window } from '../policy.ts'
import { wholeRange } from '../primitives/keep-pairs.ts'
import { summariseRange } from '../primitives/summarise-oldest.ts'

/** With at most this many messages in front of the tail, all are summarised. */
const minSplit = 4
const deepest = 3

/** The most tokens of finished messages. */
export function limitOf(window: number): number {
  return Math.min(Math.max(window / 16, 1024), 8192)
}

/** The last entry to summarise, and the number of entries; null if nothing is in front of the tail. */
function headOf(window: Window, limit: number): { readonly last: Entry; readonly count: number } | null {
  let count = window.count
  let tail = 0
  let last: Entry | null = window.last
  for (; last; last = last.previous, count--) {
    tail += window.tokensOf(last, last)
    if (tail >= limit / 2) break
  }
  // A tool result stands where aider has a message of the user.
  for (; last && last.role !== 'assistant' && count > 1; count--) last = last.previous
  return last && { last, count }
}

export default definePolicy({
  name: 'aider-summary',
  version: '0.86',
  summary: 'after an exchange, once messages have a sixteenth of the window, summarise all but the newest half of that',
  source: 'Aider-AI/aider 5dc9490bb, aider/history.py (2026)',
  ownBudget: 'window',
  trigger:
    'the window; acts after an exchange when all messages have more than a sixteenth of it, from 1,024 to 8,192 tokens',
  unlike: 'the others of this list wait until the window is nearly full; `summarise-oldest` takes whole exchanges',
  params: {
    limit: integer({
      default: 0,
      min: 0,
      help: "most tokens of finished messages; with more, it acts; 0 = from the window's size",
    }),
    summaryTokens: integer({ default: 500, min: 1, help: 'tokens of a summary' }),
  },
  wholePairs: true,
  inserts: true,
  compacts: true,
  availableIn: ['aider'],
  turnOn({ limit }, budget) {
    const tokens = limit || Math.floor(limitOf(budget))
    return {
      file: 'the command that starts it',
      text: `aider --max-chat-history-tokens ${tokens}`,
      note: `summarises above ${thousands(tokens)} of history`,
    }
  },
  start({ limit, summaryTokens }) {
    function summarise(window: Window, most: number, depth: number): void {
      const { first, last } = window
      if (!first || !last || window.tokens - window.preambleTokens <= most) return
      const head = headOf(window, most)
      if (!head) return
      const isAll = head.count <= minSplit || depth > deepest
      const range = wholeRange(first, isAll ? last : head.last)
      if (!range || range.from !== first || window.tokensOf(first, range.to) <= summaryTokens) return
      const summary = summariseRange(window, first, range.to, { role: 'user', tokens: summaryTokens })
      window.insert(summary.next, { role: 'assistant', blocks: [{ type: 'text', text: 'Ok.' }] })
      if (!isAll) summarise(window, most, depth + 1)
    }

    return {
      exchangeEnd: (window) => summarise(window, limit || limitOf(window.budget), 1),
    }
  },
})
