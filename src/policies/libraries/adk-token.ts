/**
 * `adk-token`: `TokenBasedContextCompactor` of Google's ADK for JavaScript. If the latest request had more tokens than
 * the threshold (`>`), a summary replaces all but the last `retain` events; a cut at results moves back to their call.
 * An event is a message; the results of a step are one, the summary is none.
 *
 * It sees a request only when that has gone out, so the threshold is crossed once before it acts. Before the first
 * response it goes by the request that would go out now.
 *
 * Law: sticky, whole pairs where results follow their calls. Worked example, `retain=4`: of [user, call, result,
 * answer, user, answer] the cut at the result moves to the call: the summary of the first message, and the other five.
 */
import { integer } from '../../base/param.ts'
import { definePolicy } from '../catalogue/define-policy.ts'
import { summariseRange } from '../primitives/summarise-oldest.ts'
import { libraryMessages } from './library-messages.ts'

export default definePolicy({
  name: 'adk-token',
  version: '2.0.0',
  summary: 'replace all but the last events by a summary above the threshold',
  source: '@google/adk 2.0.0, context/token_based_context_compactor; npm (2026-11)',
  package: { name: '@google/adk', version: '2.0.0', on: '2026-11' },
  trigger: '`tokenThreshold`, of the latest request; acts above it',
  unlike: '`langchain-summarize` acts at the trigger and reads only the last 4,000 tokens',
  params: {
    retain: integer({ default: 10, min: 1, help: 'last events that stay' }),
    summaryTokens: integer({ default: 1_000, min: 1, help: 'tokens of the summary' }),
  },
  inserts: true,
  turnOn: ({ retain }, budget) => ({
    file: 'your code, with the ADK',
    text: `new TokenBasedContextCompactor({ tokenThreshold: ${budget}, eventRetentionSize: ${retain}, summarizer })`,
  }),
  start({ retain, summaryTokens }) {
    /** Tokens of the latest request, without its answer. */
    let latest: number | null = null
    return {
      message(window, entry) {
        if (entry.isResponse) latest = window.tokens - window.tokensOf(entry, entry)
      },
      request(window) {
        if ((latest ?? window.tokens) <= window.budget) return
        const events = libraryMessages(window.first)
        const raw = events.filter(([{ index }]) => index >= 0)
        let cut = Math.max(0, raw.length - retain)
        while (cut > 0 && raw[cut]?.[0].role === 'tool' && (raw[cut - 1]?.[0].calls ?? 0) > 0) cut--
        const [first, last] = [window.first, raw[cut - 1]?.at(-1)]
        if (first && last) summariseRange(window, first, last, { role: 'user', tokens: summaryTokens })
      },
    }
  },
})
