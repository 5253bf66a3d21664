/**
 * `adk-token`: `TokenBasedContextCompactor` of Google's ADK for JavaScript. If a request has more tokens than the threshold
 * (`>`), a summary replaces all but the last `retain` events; a cut at results moves back to their call. An event is a
 * message; the results of a step are one.
 *
 * Law: sticky, whole pairs where results follow their calls. It acts once for each message that has come. Worked example,
 * `retain=4`: of [user, call, result, answer, user, answer] the cut at the result moves to the call: the summary of the
 * first message, and the other five.
 */
import { integer } from '../../base/param.ts'
import { definePolicy } from '../policy.ts'
import { summariseRange } from '../primitives/summarise-oldest.ts'
import { libraryMessages } from './library-messages.ts'

export default definePolicy({
  name: 'adk-token',
  version: '2.0.0',
  summary: 'replace all but the last events by a summary above the threshold',
  source: '@google/adk 2.0.0, core/src/context/token_based_context_compactor.ts (2026)',
  trigger: '`tokenThreshold`, of the whole request; acts above it',
  unlike: '`langchain-summarize` acts at the trigger and reads only the last 4,000 tokens',
  params: {
    retain: integer({ default: 10, min: 1, help: 'last events that stay' }),
    summaryTokens: integer({ default: 1_000, min: 1, help: 'tokens of the summary' }),
  },
  kind: 'sticky',
  inserts: true,
  turnOn: ({ retain }, budget) =>
    `ADK: new TokenBasedContextCompactor({ tokenThreshold: ${budget}, eventRetentionSize: ${retain}, summarizer })`,
  start({ retain, summaryTokens }) {
    let isNew = false
    return {
      message() {
        isNew = true
      },
      request(window) {
        if (!isNew || window.tokens <= window.budget) return
        const messages = libraryMessages(window.first)
        let cut = messages.length - retain
        while (cut > 0 && messages[cut]?.[0].role === 'tool') cut--
        const [first, last] = [messages[0]?.[0], messages[cut - 1]?.at(-1)]
        if (!first || !last) return
        summariseRange(window, first, last, { role: 'user', tokens: summaryTokens })
        isNew = false
      },
      reset() {
        isNew = false
      },
    }
  },
})
