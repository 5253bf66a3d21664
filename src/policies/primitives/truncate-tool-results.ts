/**
 * `truncate-tool-results`: cuts a tool result of more than `max` tokens down to its head, its tail, or both, with a
 * line that says so (duragent, layer 3a). It happens once, when the tool returns, so it breaks no prompt cache. By the
 * document's rule a token is four bytes here, whatever the run's estimator. `4 * max` bytes are kept, cut between
 * characters, and the line is added to them: a text just over the limit can grow.
 *
 * Images and documents in a truncated result are lost with it.
 * Law: whole pairs, sticky; it looks at no budget.
 */

import { choice, integer } from '../../base/param.ts'
import { type Message, textOf } from '../../model/message.ts'
import { definePolicy } from '../catalogue/define-policy.ts'
import type { Entry, Window } from '../policy.ts'
import { estimateTokens, headBytes, tailBytes } from '../text.ts'

export type Kept = 'head' | 'tail' | 'both'

/** The text if it is within the limit, else the kept part of it with duragent's line about the truncation. */
export function truncateText(text: string, max: number, keep: Kept): string {
  // No character has more than three bytes for each of its UTF-16 units.
  if (text.length * 3 < 4 * (max + 1)) return text
  const tokens = estimateTokens(text)
  if (tokens <= max) return text
  const bytes = 4 * max
  switch (keep) {
    case 'head':
      return `${headBytes(text, bytes)}\n\n[truncated: kept first ~${max} of ~${tokens} tokens (head)]`
    case 'tail':
      return `[truncated: kept last ~${max} of ~${tokens} tokens (tail)]\n\n${tailBytes(text, bytes)}`
    case 'both': {
      const half = Math.floor(bytes / 2)
      const note = `[truncated: kept first+last ~${max} of ~${tokens} tokens (both)]`
      return `${headBytes(text, half)}\n\n${note}\n\n${tailBytes(text, half)}`
    }
  }
}

/** Truncates the entry if it is a tool result over the limit. */
export function truncateResult(window: Window, entry: Entry, max: number, keep: Kept): void {
  if (entry.role !== 'tool') return
  const text = textOf(entry.message as Message)
  const truncated = truncateText(text, max, keep)
  if (truncated !== text) window.replace(entry, truncated)
}

export const truncateParams = {
  max: integer({ default: 8000, min: 1, help: 'most tokens of a tool result; longer ones are cut' }),
  keep: choice({ default: 'head', of: ['head', 'tail', 'both'], help: 'which part of a long result to keep' }),
} as const

export default definePolicy({
  name: 'truncate-tool-results',
  aliases: ['truncate-results'],
  summary: 'truncate a long tool result when it comes',
  source: 'duragent, Context Window Management, sub-layer 3a',
  params: truncateParams,
  monotone: true,
  wholePairs: true,
  text: true,
  start: ({ max, keep }) => ({ message: (window, entry) => truncateResult(window, entry, max, keep) }),
})
