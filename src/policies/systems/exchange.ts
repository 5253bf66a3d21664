/**
 * `exchange`: the rule of ikigai's "Exchange Boundaries". After each assistant message without tool calls, the tokens
 * of the exchanges are added up, without the preamble; while they exceed the maximum, the oldest exchange leaves as a
 * whole, with those that have results of its calls. Messages before the first user message belong to no exchange: they
 * are never counted here, and never leave, unless a call among them is answered in an exchange that does.
 *
 * The document has no minimum: one exchange over the maximum empties the window. A request without messages is useless,
 * so `keepLast` is 1 by default; `keepLast=0` follows the document to the letter.
 *
 * Law: monotone, whole pairs, sticky.
 */
import { integer } from '../../base/param.ts'
import { definePolicy } from '../catalogue/define-policy.ts'
import type { Entry, Window } from '../policy.ts'
import { firstCut } from '../primitives/drop-oldest.ts'
import { exchangeCounter } from '../upstream/ikigai.ts'

/** Tokens of the exchanges inside, without the preamble and messages outside exchanges. */
export function exchangeTokens(window: Window): number {
  const oldest = window.oldestExchange
  return oldest ? window.tokensFrom(oldest.first) : 0
}

/**
 * Drops the oldest exchange while the exchanges have more than `max` tokens; `keepLast` stay.
 * @param call in front of the exchanges, with its result in them: what is behind it leaves with them
 */
export function evictExchanges(window: Window, max: number, keepLast: number, call: Entry | null = null): void {
  while (exchangeTokens(window) > max) {
    const [oldest, last] = [window.oldestExchange, firstCut(window, keepLast)]
    if (!oldest || !last) return
    window.drop(call?.inside ? call : oldest.first, last)
  }
}

/** Whether the message ends an exchange: then the window is checked. */
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
  // Of its example: the constant has no value there.
  ownBudget: 90_000,
  params: {
    keepLast: integer({ default: 1, min: 0, help: 'newest exchanges that are never dropped; 0 in the document' }),
  },
  monotone: true,
  wholePairs: true,
  native: exchangeCounter,
  start({ keepLast }) {
    /** Those that call tools in front of the first user message, and the first of them that is answered behind it. */
    const callers: Entry[] = []
    let answered: Entry | null = null
    const callerOf = ({ call }: Entry) => callers.find((one) => one.call <= call && call < one.call + one.calls)
    return {
      message(window, entry) {
        if (entry.exchange < 0 && entry.calls > 0) callers.push(entry)
        const caller = entry.exchange >= 0 && entry.role === 'tool' ? callerOf(entry) : null
        if (caller && !(answered?.inside && answered.index < caller.index)) answered = caller
        if (finishes(entry)) evictExchanges(window, window.budget, keepLast, answered)
      },
    }
  },
})
