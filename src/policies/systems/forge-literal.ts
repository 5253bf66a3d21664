/**
 * `forge-literal`: the code that forge's plan prints, run as it stands. It stops as soon as a user message is first, with
 * the threshold still reached; it can leave a call's results in front, or a call without its results; and a summary's
 * range can end between the results of parallel calls. Its first drop is the system prompt: here the preamble is part of
 * every request, so that pass drops nothing.
 *
 * Law: sticky. It keeps none of its own criteria; that is the point of having it.
 */

import { definePolicy } from '../policy.ts'
import { summariseRange } from '../primitives/summarise-oldest.ts'
import { counter, dropOldestLiteral, droppable, isOver, SequenceSearch } from '../upstream/forge.ts'
import { planParams } from './forge.ts'

export default definePolicy({
  name: 'forge-literal',
  summary: "the code that forge's plan prints: shows why it misses the plan's criteria",
  source: 'forge, Agent Context Sliding Window Compaction (2025-04-02), sections 1 to 4',
  params: planParams,
  kind: 'sticky',
  monotone: false,
  wholePairs: false,
  inserts: true,
  text: false,
  native: counter,
  start({ turnThreshold, messageThreshold, retentionWindow, summaryTokens }, { systemMessages }) {
    const search = new SequenceSearch(systemMessages, retentionWindow)
    return {
      request(window) {
        const thresholds = { tokens: window.budget, turns: turnThreshold, messages: messageThreshold }
        if (!isOver(window, thresholds, systemMessages)) return
        const range = search.next(window)
        if (range) summariseRange(window, range.from, range.to, { role: 'assistant', tokens: summaryTokens })
        else dropOldestLiteral(droppable(window, systemMessages, () => isOver(window, thresholds, systemMessages)))
      },
    }
  },
})
