/** The messages that a compaction leaves at the end. */
import type { Entry, Window } from '../policy.ts'

/**
 * The newest entry from which on there are at least `tokens` tokens; null if all entries together have less. Costs
 * O(entries behind it).
 */
export function tailOf(window: Window, tokens: number): Entry | null {
  let sum = 0
  for (let entry = window.last; entry; entry = entry.previous) {
    sum += window.tokensOf(entry, entry)
    if (sum >= tokens) return entry
  }
  return null
}

/** The prompt of the exchange that an entry belongs to, if it is inside; else the first entry of it that is. */
export function startOfExchange(entry: Entry): Entry {
  let start = entry
  while (!start.isPrompt && start.previous && start.previous.exchange === entry.exchange) start = start.previous
  return start
}

/** A message that a tail can begin with: of the user, or the first of a response. */
export const canLead = (entry: Entry): boolean =>
  entry.role === 'user' || (entry.role === 'assistant' && entry.isResponse)
