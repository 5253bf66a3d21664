/**
 * `haystack-window`: the sliding window of Haystack's agents. From `compactAt` of the model's window on (`>=`), the oldest
 * exchanges leave until the request has at most `compactTo` of it; of the last exchange, which stays with its prompt, the
 * oldest steps leave if that is not enough, but never the newest.
 *
 * Law: whole pairs, sticky. Worked example, window 100, exchanges of 30 tokens: 60 go out, 90 are cut to the newest one.
 */
import { number } from '../../base/param.ts'
import { definePolicy } from '../policy.ts'
import { dropOldestSteps, entriesFrom, stepsOf } from '../primitives/drop-steps.ts'

export default definePolicy({
  name: 'haystack-window',
  version: '2',
  summary: 'near the end of the window, drop exchanges, then steps, far below it',
  source: 'deepset-ai/haystack c7cb46c0f2, hooks for compaction (2026)',
  trigger: "the model's window; acts at `compactAt` of it",
  unlike: '`drop-oldest:target=…` acts above the budget and never takes steps out of the last exchange',
  params: {
    compactAt: number({ default: 0.7, min: 0, max: 1, help: 'the share of the window at which it acts' }),
    compactTo: number({ default: 0.4, min: 0, max: 1, help: 'the share of the window that is left' }),
  },
  kind: 'sticky',
  wholePairs: true,
  turnOn: ({ compactAt, compactTo }, budget) =>
    `Haystack: Agent(…) with a sliding-window compaction hook: context_window=${budget}, compact_at=${compactAt}, compact_to=${compactTo}`,
  start: ({ compactAt, compactTo }) => ({
    request(window) {
      if (window.tokens < window.budget * compactAt) return
      const goal = window.budget * compactTo
      while (window.tokens > goal && window.exchangeCount > 1 && window.first && window.oldestExchange) {
        const next = window.nextExchange(window.oldestExchange)
        if (!next?.first.previous) break
        window.drop(window.first, next.first.previous)
      }
      if (window.tokens <= goal) return
      dropOldestSteps(window, stepsOf(entriesFrom(window.newestExchange?.first ?? null)), goal, 1)
    },
  }),
})
