/**
 * `forge-pr616`: the code of the unmerged pull request that implemented forge's plan: a summary of the first stretch
 * between two user messages, else a window of the newest `retentionWindow` messages. Either is used only if it removes
 * more than a fifth of the messages. It separates calls from their results.
 * Law: sticky.
 */

import { definePolicy } from '../catalogue/define-policy.ts'
import { summariseRange } from '../primitives/summarise-oldest.ts'
import { counter, ForgeContext, findSequence } from '../upstream/forge.ts'
import { isSignificant, slidingWindow } from '../upstream/forge-pr616.ts'
import { planIsOver, planParams } from './forge.ts'

export default definePolicy({
  name: 'forge-pr616',
  summary: 'a summary, else only the newest messages; used only if it removes more than a fifth of the messages',
  source: 'tailcallhq/forge pull request 616 at 891b8fa9, crates/forge_domain/src/compaction',
  params: planParams,
  inserts: true,
  native: counter,
  availableIn: ['forge'],
  start: (values, { systemMessages }) => ({
    request(window) {
      if (!planIsOver(values, systemMessages)(window)) return
      const { retentionWindow, summaryTokens } = values
      const context = new ForgeContext(window, systemMessages)
      const count = context.kinds.length
      const sequence = findSequence(context.kinds, retentionWindow)
      const from = sequence && context.at(sequence.start)
      const to = sequence && context.at(sequence.end)
      if (sequence && from && to && isSignificant(count, count - (sequence.end - sequence.start))) {
        summariseRange(window, from, to, { role: 'assistant', tokens: summaryTokens })
        return
      }
      const kept = new Set(slidingWindow(context.kinds, retentionWindow))
      if (!isSignificant(count, kept.size)) return
      for (let index = 0; index < count; index++) {
        const entry = context.at(index)
        if (entry && !kept.has(index)) window.drop(entry, entry)
      }
    },
  }),
})
