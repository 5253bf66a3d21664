/**
 * `truncate-tool-results`: a tool result over `max` tokens keeps its head, its tail, or both, and says so (duragent, layer
 * 3a). It is done once, when the tool returns, so it breaks no prompt cache. Tokens here are the text's own, four bytes
 * each, by the document's rule and whatever the run's estimator; the cut is made between characters. What is kept is
 * `4 * max` bytes, and the indicator comes on top: a text just over the limit can grow.
 *
 * Images and documents in a truncated result are lost with it.
 * Law: whole pairs, sticky; it looks at no budget.
 */

import { choice, integer } from '../../base/param.ts'
import { type Message, textOf } from '../../model/message.ts'
import { definePolicy, type Entry, type Window } from '../policy.ts'
import { headBytes, tailBytes, utf8Length } from '../text.ts'

export type Kept = 'head' | 'tail' | 'both'

/** The text within the limit, or the part of it that is kept, with the document's indicator. */
export function truncateText(text: string, max: number, keep: Kept): string {
  const tokens = Math.floor(utf8Length(text) / 4)
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

/** Truncates the entry where it is a tool result over the limit. */
export function truncateResult(window: Window, entry: Entry, max: number, keep: Kept): void {
  if (entry.role !== 'tool') return
  const text = textOf(entry.message as Message)
  const truncated = truncateText(text, max, keep)
  if (truncated !== text) window.replace(entry, truncated)
}

export const truncateParams = {
  max: integer({ default: 8000, min: 1, help: 'tokens of a tool result that are kept' }),
  keep: choice({ default: 'head', of: ['head', 'tail', 'both'], help: 'which part of it is kept' }),
} as const

export default definePolicy({
  name: 'truncate-tool-results',
  aliases: ['truncate-results'],
  summary: 'cut a tool result over so many tokens, when it comes',
  source: 'duragent, Context Window Management, sub-layer 3a',
  params: truncateParams,
  kind: 'sticky',
  monotone: true,
  wholePairs: true,
  text: true,
  start: ({ max, keep }) => ({ message: (window, entry) => truncateResult(window, entry, max, keep) }),
})
