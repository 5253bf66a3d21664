/**
 * `forge-literal`: the code printed in forge's plan, exactly as it is. It violates the plan's own criteria, which is
 * why it is here: it stops as soon as a user message is first, even over a threshold; it can leave results without
 * their call and calls without their results; and a summary's range can end between the results of parallel calls. Its
 * first drop would be the system prompt, but here the preamble is part of every request, so that pass drops nothing.
 *
 * Law: sticky.
 */

import { definePolicy } from '../catalogue/define-policy.ts'
import { summariseRange } from '../primitives/summarise-oldest.ts'
import { counter, dropOldestLiteral, droppable, SequenceSearch } from '../upstream/forge.ts'
import { planIsOver, planParams } from './forge.ts'

export default definePolicy({
  name: 'forge-literal',
  summary: "the code printed in forge's plan, which violates the plan's own criteria",
  source: 'forge, Agent Context Sliding Window Compaction (2025-04-02), sections 1 to 4',
  params: planParams,
  inserts: true,
  native: counter,
  availableIn: ['forge'],
  start(values, { systemMessages }) {
    const { retentionWindow, summaryTokens } = values
    const isOver = planIsOver(values, systemMessages)
    const search = new SequenceSearch(systemMessages, retentionWindow)
    return {
      request(window) {
        if (!isOver(window)) return
        const range = search.next(window)
        if (range) summariseRange(window, range.from, range.to, { role: 'assistant', tokens: summaryTokens })
        else dropOldestLiteral(droppable(window, systemMessages, () => isOver(window)))
      },
    }
  },
})
