/**
 * `exchange`: the rule of ikigai's "Exchange Boundaries". After each assistant message without tool calls the tokens of
 * the exchanges are added up, without the preamble; while they are over the maximum, the oldest exchange leaves whole.
 * Messages before the first user message belong to no exchange: they are never counted here, and never leave.
 *
 * The text has no floor: one exchange over the maximum empties the window. A request without messages is never right, so
 * `keepLast` is 1 unless it is set; `keepLast=0` is the literal text.
 *
 * Law: monotone, whole pairs, sticky.
 */
import { integer } from '../../base/param.ts'
import { definePolicy, type Entry, type Window } from '../policy.ts'
import { ikigaiCounter } from '../upstream/ikigai.ts'

/** Tokens of the exchanges inside, and of nothing else. */
export function exchangeTokens(window: Window): number {
  const oldest = window.oldestExchange
  if (!oldest) return 0
  const before = oldest.first.previous
  const leading = before && window.first ? window.tokensOf(window.first, before) : 0
  return window.tokens - window.preambleTokens - leading
}

/** While the exchanges are over `max` tokens and more than `keepLast` are left, the oldest leaves. */
export function evictExchanges(window: Window, max: number, keepLast: number): void {
  while (window.exchangeCount > keepLast && exchangeTokens(window) > max) {
    const oldest = window.oldestExchange
    const last = oldest && (window.nextExchange(oldest)?.first.previous ?? window.last)
    if (!oldest || !last) return
    window.drop(oldest.first, last)
  }
}

/** The message that finishes an exchange, after which the window is looked at. */
export function finishes(entry: Entry): boolean {
  return entry.role === 'assistant' && entry.calls === 0
}

export default definePolicy({
  name: 'exchange',
  summary: 'drop whole exchanges, oldest first, while the exchanges alone are over budget',
  source: 'ikigai, Exchange Boundaries, Eviction Process',
  differs: [
    { matter: 'status', document: 'a design', program: 'never coded: `ikigai-shipped` is what ran' },
    { matter: 'the newest exchange', document: 'can leave too (`keepLast=0` here)', program: 'always stays' },
    {
      matter: 'when',
      document: 'after each assistant message without tool calls',
      program: 'when the turn has ended well',
    },
    { matter: 'what is counted', document: 'the exchanges', program: 'system prompt, tools, summaries and turns' },
  ],
  params: {
    keepLast: integer({ default: 1, min: 0, help: 'newest exchanges that are never dropped; the text says 0' }),
  },
  kind: 'sticky',
  monotone: true,
  wholePairs: true,
  text: false,
  native: ikigaiCounter,
  start: ({ keepLast }) => ({
    message(window, entry) {
      if (finishes(entry)) evictExchanges(window, window.budget, keepLast)
    },
  }),
})
