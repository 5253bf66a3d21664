/**
 * `langchain-summarize`: LangChain's `summarizationMiddleware`. When the messages reach the trigger (`>=`), all but the
 * last `keep` messages (or the longest suffix of at most `keepTokens`) become one human message. A cut at a tool result
 * moves back to the message with its call. Only the last 4,000 tokens of what leaves are read for the summary: what is
 * older is lost without having been summarised.
 *
 * Faults: if the kept messages alone reach the trigger, each request summarises the summary again. If the model fails,
 * the library puts "Error generating summary" in the place of the history; that is not simulated.
 *
 * Law: sticky. A cut moved forward past results at the end of its search may part other pairs, so whole pairs are not
 * promised. Worked example, a token per message, budget 10, `keep=5`: of [human, ai+call, result, ai+call, result, ai,
 * human, ai, human, ai] the cut before the sixth from the end parts nothing, so the last five stay behind the summary.
 */
import { integer } from '../../base/param.ts'
import { definePolicy } from '../catalogue/define-policy.ts'
import type { Entry, Window } from '../policy.ts'
import { entriesFrom } from '../primitives/drop-steps.ts'
import { summariseRange } from '../primitives/summarise-oldest.ts'
import { approximately } from './langchain.ts'

/** How far around a cut pairs are looked for. */
const searchRange = 5

/** The most tokens that are read for a summary. */
const mostRead = 4_000

const makes = (entry: Entry, call: number) => call >= entry.call && call < entry.call + entry.calls

/** The cut; in front of a result, the message with its call instead, or else the place behind the results. */
function besidePairs(entries: readonly Entry[], cut: number): number {
  let end = cut
  while (entries[end]?.role === 'tool') end++
  if (end === cut) return cut
  const calls = entries.slice(cut, end).map(({ call }) => call)
  for (let index = cut - 1; index >= 0; index--) {
    const entry = entries[index] as Entry
    if (calls.some((call) => makes(entry, call))) return index
  }
  return end
}

/** Whether a cut is in front of no call and parts no call nearby from its results. */
function isSafe(entries: readonly Entry[], cut: number): boolean {
  if ((entries[cut]?.calls ?? 0) > 0) return false
  for (let index = Math.max(0, cut - searchRange); index < Math.min(entries.length, cut + searchRange); index++) {
    const entry = entries[index] as Entry
    if (entry.calls === 0) continue
    for (let later = index + 1; later < entries.length; later++) {
      const { role, call } = entries[later] as Entry
      if (role === 'tool' && makes(entry, call) && index < cut !== later < cut) return false
    }
  }
  return true
}

function safeCut(entries: readonly Entry[], wanted: number): number {
  const cut = besidePairs(entries, wanted)
  if (cut <= wanted) return cut
  for (let index = wanted; index >= 0; index--) if (isSafe(entries, index)) return index
  return 0
}

/** Where the longest suffix of at most `most` tokens begins; the last message if that alone has more. */
function suffixOf(window: Window, entries: readonly Entry[], most: number): number {
  const last = entries.at(-1) as Entry
  let from = 0
  let to = entries.length
  while (from < to) {
    const middle = (from + to) >> 1
    if (window.tokensOf(entries[middle] as Entry, last) <= most) to = middle
    else from = middle + 1
  }
  return Math.min(from, entries.length - 1)
}

export default definePolicy({
  name: 'langchain-summarize',
  version: '1.5.14',
  summary: 'replace all but the newest messages by a summary once the messages reach the trigger',
  source: 'langchain 1.5.14, agents/middleware/summarization; npm (2026-11)',
  package: { name: 'langchain', version: '1.5.14', on: '2026-11' },
  trigger: '`trigger: { tokens }`, of the messages; acts at it',
  unlike: '`summarise-oldest` takes whole exchanges, only as many as necessary; this reads only the last 4,000 tokens',
  params: {
    keep: integer({ default: 20, min: 1, help: 'newest messages that stay' }),
    keepTokens: integer({ default: 0, min: 0, help: 'keep this many tokens of messages instead; 0 = off' }),
    summaryTokens: integer({ default: 1_000, min: 1, help: 'tokens of the summary' }),
  },
  inserts: true,
  native: approximately,
  turnOn({ keep, keepTokens }, budget) {
    const kept = keepTokens > 0 ? `{ tokens: ${keepTokens} }` : `{ messages: ${keep} }`
    return {
      file: 'your code, with LangChain',
      text: `summarizationMiddleware({ model, trigger: { tokens: ${budget} }, keep: ${kept} })`,
    }
  },
  start: ({ keep, keepTokens, summaryTokens }) => ({
    request(window) {
      if (window.messageTokens < window.budget) return
      const entries = [...entriesFrom(window.first)]
      const wanted = keepTokens > 0 ? suffixOf(window, entries, keepTokens) : entries.length - keep
      const cut = wanted > 0 ? safeCut(entries, wanted) : 0
      const [first, last] = [entries[0], entries[cut - 1]]
      if (!first || !last) return
      const read = entries[suffixOf(window, entries.slice(0, cut), mostRead)] as Entry
      if (read.previous) window.drop(first, read.previous)
      summariseRange(window, read, last, { role: 'user', tokens: summaryTokens })
    },
  }),
})
