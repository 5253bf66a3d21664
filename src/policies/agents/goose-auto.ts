/**
 * `goose-auto`: goose compacts before it answers the user, if the latest response and its input have more than 80 % of
 * the window. Everything is replaced by a summary in the user's role, a line of the assistant that goes on, and once
 * more the text of the user's latest message. Inside a loop of tools it compacts only when the provider refused a
 * request, which here is one over the budget.
 *
 * Operators: acts at `>`. The summary is written by the small model from a prompt of its own; it is priced like the
 * large one here. Not simulated: that the prompt for the summary leaves out 10, 20, 50 or 100 % of the tool results,
 * from the middle outwards, if it is too large itself; and the summaries of single calls, which are `goose-tool-pairs`.
 *
 * How it is turned on: GOOSE_CONTEXT_LIMIT comes before what is known of the model (aaif-goose/goose#10966, 2026-08),
 * and is read from config.yaml, too (#8853, 2026-05); of 0.8 GOOSE_AUTO_COMPACT_THRESHOLD need not be set.
 *
 * Law: whole pairs, sticky; the user's latest words survive. Worked example: window 100, `threshold` 0.8: after a
 * response that ended at 80 tokens nothing happens, at 81 the next prompt is preceded by a compaction.
 */
import { integer, number } from '../../base/param.ts'
import { textOf } from '../../model/message.ts'
import { definePolicy } from '../catalogue/define-policy.ts'
import { thousands } from '../catalogue/thousands.ts'
import { LatestUsage } from '../latest-usage.ts'
import type { Entry } from '../policy.ts'
import { summariseRange } from '../primitives/summarise-oldest.ts'

const goesOn =
  'Your context was compacted. The previous message contains a summary of the conversation so far. Continue naturally.'

/** The program's own value, which need not be set. */
const usualThreshold = 0.8

export default definePolicy({
  name: 'goose-auto',
  version: '1',
  summary: 'over 80 % of the window, replace everything by a summary and the latest words of the user',
  source: 'block/goose 0036b819, crates/goose/src/context_mgmt/mod.rs (2026)',
  ownBudget: 'window',
  trigger: 'the window; acts before a prompt when the latest response has more than `threshold` of it',
  unlike:
    '`crush-auto` acts at once, and asks the prompt again only if it was interrupted; `codex-compact` keeps more than one message of the user',
  params: {
    threshold: number({
      default: usualThreshold,
      min: 0,
      max: 1,
      help: 'share of the window over which it acts; 0 and 1 = off',
    }),
    summaryTokens: integer({ default: 2_000, min: 1, help: 'tokens of the summary' }),
  },
  wholePairs: true,
  inserts: true,
  text: true,
  compacts: true,
  availableIn: ['goose'],
  budgetFor: (tokens) => Math.ceil(tokens / usualThreshold),
  turnOn({ threshold }, budget) {
    if (threshold <= 0 || threshold >= 1) return null
    const share = threshold === usualThreshold ? '' : ` GOOSE_AUTO_COMPACT_THRESHOLD=${threshold}`
    return {
      file: 'the environment',
      text: `export GOOSE_CONTEXT_LIMIT=${budget}${share}`,
      note: `compacts at ${thousands(threshold * budget)}; the app reads the same names from ~/.config/goose/config.yaml`,
    }
  },
  start({ threshold, summaryTokens }) {
    const usage = new LatestUsage()
    let latest: Entry | null = null
    let isAsked = false
    return {
      message(window, entry) {
        usage.message(window, entry)
        if (entry.role === 'user') latest = entry
        if (entry.isPrompt) isAsked = true
        else if (entry.role === 'assistant') isAsked = false
      },
      request(window) {
        const isOff = threshold <= 0 || threshold >= 1
        const isFull = isAsked && !isOff && usage.tokens > threshold * window.budget
        if (usage.tokens === 0 || (!isFull && window.tokens <= window.budget) || !window.first || !window.last) return
        usage.reset()
        const said = latest?.message ? textOf(latest.message) : ''
        summariseRange(window, window.first, window.last, { role: 'user', tokens: summaryTokens })
        window.insert(null, { role: 'assistant', blocks: [{ type: 'text', text: goesOn }] })
        if (said !== '') window.insert(null, { role: 'user', blocks: [{ type: 'text', text: said }] })
      },
    }
  },
})
