/**
 * `opencode-compact`: opencode compacts before a request when the latest response, with its input, has filled what is
 * usable of the window: all but the room for an answer, at most 20,000 tokens. Everything in front of the newest tokens
 * is replaced by a summary: the model's answer to the question what was done so far. The tail has a quarter of what is
 * usable, at least 2,000 tokens and at most 15,000, and begins inside a turn if that is longer. Where all that was said
 * since the latest summary would fit in it, there is none, and everything is summarised.
 *
 * Operators: acts at `>=`; a tail that fits exactly stays. Not simulated: that tool results are cut to 2,000 characters
 * for the model that summarises (so its cost is an upper bound), and the second and third attempts if the request for
 * the summary is itself too large.
 *
 * What was read: anomalyco/opencode, overflow.ts at 08f74b9b and compaction.ts at 31e22f65; and the same code in the
 * program of opencode-ai 1.18.33, the newest published (npm, opencode-linux-x64, 2026-11-23). What the next version
 * does is `opencode-compact-v2`.
 *
 * How it is turned on: of a model with a `limit.input` the program takes `reserved` from that, of others the largest
 * answer from `limit.context` (overflow.ts at 08f74b9b); models that it knows have one, so that `context` alone changes
 * nothing (anomalyco/opencode#39630, 1.18.9, 2026-07).
 *
 * Law: whole pairs, sticky. Worked example: window 100,000, reserve 20,000: a response that ends at 80,000 tokens is
 * the last; the tail may have 15,000 (a quarter of 80,000 is 20,000).
 */
import { definePolicy } from '../catalogue/define-policy.ts'
import { thousands } from '../catalogue/thousands.ts'
import { charsOverFour } from '../counters.ts'
import { LatestUsage } from '../latest-usage.ts'
import { compactionParams, limitIn, summariseBeforeTail, usualReserve } from './opencode.ts'

export default definePolicy({
  name: 'opencode-compact',
  version: '1.18.33',
  summary: 'near the end of the window, replace all but the newest messages by a summary',
  source:
    'anomalyco/opencode, packages/opencode/src/session: overflow.ts at 08f74b9b, compaction.ts at 31e22f65; the same in opencode-ai 1.18.33 (npm, 2026-11)',
  package: { name: 'opencode-ai', version: '1.18.33', on: '2026-11' },
  ownBudget: 'window',
  trigger: 'the window; acts when the latest response leaves less than `reserve` of it',
  unlike: '`pi-compact` keeps a fixed tail and acts after a turn; `claude-code-auto` keeps no messages',
  params: compactionParams,
  wholePairs: true,
  inserts: true,
  native: charsOverFour,
  compacts: true,
  availableIn: ['opencode'],
  budgetFor: (tokens) => tokens + usualReserve,
  turnOn({ reserve, tail }, budget, of) {
    const kept = tail > 0 ? [`"preserve_recent_tokens": ${tail}`] : []
    return {
      file: 'opencode.json',
      text: limitIn(budget, reserve, of?.model ?? null, kept),
      note: `compacts at ${thousands(Math.max(0, budget - reserve))}`,
    }
  },
  start({ reserve, tail, summaryTokens }) {
    const usage = new LatestUsage()
    return {
      message: (window, entry) => usage.message(window, entry),
      request(window) {
        const usable = Math.max(0, window.budget - reserve)
        if (usage.tokens === 0 || usage.tokens < usable) return
        usage.reset()
        summariseBeforeTail(window, window.last, usable, { tokens: tail, turns: Infinity, summaryTokens })
      },
    }
  },
})
