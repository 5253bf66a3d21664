/**
 * `forge`: forge's sliding window plan, keeping its four verification criteria. Before each request that reaches a
 * threshold (equal counts), the first stretch between two user messages is replaced by a summary, then the next, until
 * no threshold is reached. If there is no stretch left, turns leave from the front until no threshold is reached or
 * only the newest turn is left. A user message is always first, pairs are never separated (turns from a call to a late
 * result leave together), the system prompt stays. A threshold of turns or messages needs no budget.
 *
 * What the printed code does instead is `forge-literal`. A stretch is shortened if its ends would separate a call from
 * its results, and a summary is never larger than what it replaces. The summary has the assistant's role, as in April
 * 2025. The text that a model would write is not known, so it is a placeholder of `summaryTokens` tokens.
 *
 * Law: whole pairs, sticky. Not monotone: a larger budget cuts later and may then cut more.
 */
import { integer, type Values } from '../../base/param.ts'
import { definePolicy } from '../catalogue/define-policy.ts'
import type { Window } from '../policy.ts'
import { firstCut } from '../primitives/drop-oldest.ts'
import { wholeRange } from '../primitives/keep-pairs.ts'
import { summariseRange } from '../primitives/summarise-oldest.ts'
import { counter, isOver, SequenceSearch } from '../upstream/forge.ts'

export const planParams = {
  turnThreshold: integer({ default: 0, min: 0, help: 'compact at this many user messages; 0 = off' }),
  messageThreshold: integer({ default: 0, min: 0, help: 'compact at this many messages; 0 = off' }),
  retentionWindow: integer({ default: 6, min: 0, help: 'newest messages that are never summarised' }),
  summaryTokens: integer({ default: 2000, min: 1, help: 'tokens of a summary' }),
} as const

/** Whether the plan compacts before a request; equal counts. */
export function planIsOver(
  { turnThreshold: turns, messageThreshold: messages }: Values<typeof planParams>,
  systemMessages: number,
): (window: Window) => boolean {
  return (window) => isOver(window, { tokens: window.budget, turns, messages }, systemMessages)
}

/**
 * Drops what is in front of the first user message, else the oldest turn; the leading system messages and the newest
 * turn stay. What the user types while the agent works starts no turn.
 * @returns whether it could
 */
export function dropOldestTurn(window: Window): boolean {
  const prompt = window.oldestExchange?.first ?? null
  let first = window.first
  while (first?.role === 'system') first = first.next
  const ahead = first && first !== prompt ? (prompt?.previous ?? null) : null
  const isWhole = first && ahead && wholeRange(first, ahead)?.to === ahead
  const last = isWhole ? ahead : firstCut(window, 1)
  if (first && last) window.drop(first, last)
  return first !== null && last !== null
}

export default definePolicy({
  name: 'forge',
  summary: 'summarise the first stretch between two user messages, else drop whole turns, while a threshold is reached',
  source: 'forge, Agent Context Sliding Window Compaction (2025-04-02)',
  differs: [
    {
      matter: 'nothing to summarise',
      document: 'drop from the front until the thresholds are satisfied',
      program: 'nothing happens',
    },
    {
      matter: 'the range',
      document: 'the first stretch between two user messages',
      program: 'from the first assistant message on, across user messages',
    },
    {
      matter: 'the summary',
      document: "written by a model, the assistant's message",
      program: 'a template, a user message; earlier ones are never summarised again',
    },
    {
      matter: 'what stays',
      document: 'the newest `retentionWindow` messages',
      program: 'the smaller of `retentionWindow` (0) and the index at which a fifth of the tokens is reached',
    },
    { matter: 'when', document: 'before each request', program: 'after each response, on the context that was sent' },
    {
      matter: 'a user message first, whole pairs, thresholds met',
      document: 'the criteria; the printed code (`forge-literal`) violates them',
      program: 'a range can end between a call and its results; the current question can leave',
    },
    {
      matter: 'the pull request of the plan',
      document: '-',
      program: '`forge-pr616`: kept the newest messages, only if more than a fifth leaves',
    },
  ],
  params: planParams,
  wholePairs: true,
  inserts: true,
  native: counter,
  start(values, { systemMessages }) {
    const isOver = planIsOver(values, systemMessages)
    const search = new SequenceSearch(systemMessages, values.retentionWindow)
    const summarise = (window: Window): boolean => {
      const found = search.next(window)
      const range = found && wholeRange(found.from, found.to)
      if (!range || range.from === range.to) return false
      summariseRange(window, range.from, range.to, { role: 'assistant', tokens: values.summaryTokens })
      return true
    }
    return {
      request(window) {
        while (isOver(window)) if (!summarise(window)) break
        while (isOver(window)) if (!dropOldestTurn(window)) break
      },
    }
  },
})
