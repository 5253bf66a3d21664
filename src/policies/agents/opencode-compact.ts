/**
 * `opencode-compact`: opencode compacts before a request when the latest response, with its input, has filled what is
 * usable of the window: all but the room for an answer, at most 20,000 tokens. Everything in front of the newest tokens is
 * replaced by a summary: the model's answer to the question what was done so far. The tail has a quarter of what is usable,
 * at least 2,000 tokens and at most 15,000, and begins inside a turn if that is longer.
 *
 * Operators: acts at `>=`; a tail that fits exactly stays. Not simulated: that tool results are cut to 2,000 characters for
 * the model that summarises (so its cost is an upper bound), and the second and third attempts if the request for the
 * summary is itself too large.
 *
 * How it is turned on: of a model with a `limit.input` the program takes `reserved` from that, of others the largest answer
 * from `limit.context` (overflow.ts at 08f74b9b); models that it knows have one, so that `context` alone changes nothing
 * (anomalyco/opencode#39630, 1.18.9, 2026-07).
 *
 * Law: whole pairs, sticky. Worked example: window 100,000, reserve 20,000: a response that ends at 80,000 tokens is the
 * last; the tail may have 15,000 (a quarter of 80,000 is 20,000).
 */
import { integer } from '../../base/param.ts'
import { lookupModel } from '../../models/lookup.ts'
import { definePolicy } from '../catalogue/define-policy.ts'
import { thousands } from '../catalogue/thousands.ts'
import { charsOverFour } from '../counters.ts'
import { LatestUsage } from '../latest-usage.ts'
import type { Entry, Window } from '../policy.ts'
import { wholeRange } from '../primitives/keep-pairs.ts'
import { summariseRange } from '../primitives/summarise-oldest.ts'

const [least, most] = [2_000, 15_000]

/** The most that the program keeps for the answer by itself. */
const usualReserve = 20_000

/** The summary is the answer to it. */
const question = 'What did we do so far?'

/** The oldest entry of a tail of at most `tokens` tokens that begins with a message of the user or the model. */
function tailWithin(window: Window, tokens: number): Entry | null {
  let tail: Entry | null = null
  let sum = 0
  for (let entry = window.last; entry && entry.index >= 0; entry = entry.previous) {
    sum += window.tokensOf(entry, entry)
    if (sum > tokens) break
    if (entry.role === 'user' || entry.isResponse) tail = entry
  }
  return tail
}

export default definePolicy({
  name: 'opencode-compact',
  version: '1',
  summary: 'near the end of the window, replace all but the newest messages by a summary',
  source:
    'anomalyco/opencode, packages/opencode/src/session: overflow.ts at 08f74b9b, compaction.ts at 31e22f65 (2026)',
  trigger: 'the window; acts when the latest response leaves less than `reserve` of it',
  unlike: '`pi-compact` keeps a fixed tail and acts after a turn; `claude-code-auto` keeps no messages',
  params: {
    reserve: integer({ default: usualReserve, min: 0, help: 'tokens of the window that are kept for the answer' }),
    tail: integer({
      default: 0,
      min: 0,
      help: 'newest tokens that stay; 0 = a quarter of what is usable, from 2,000 to 15,000',
    }),
    summaryTokens: integer({ default: 2_000, min: 1, help: 'tokens of the summary' }),
  },
  kind: 'sticky',
  wholePairs: true,
  inserts: true,
  text: false,
  native: charsOverFour,
  compacts: true,
  availableIn: ['opencode'],
  budgetFor: (tokens) => tokens + usualReserve,
  turnOn({ reserve, tail }, budget, of) {
    // A name that is in no table was chosen by somebody, and is nobody else's business.
    const model = of?.model && lookupModel(of.model) ? of.model : '<model>'
    // For a model that the program knows with an `input` of its own, it goes by that and not by `context`.
    const limit = `{ "context": ${budget}, "input": ${budget}, "output": ${reserve} }`
    const compaction = [
      ...(reserve > usualReserve ? [`"reserved": ${reserve}`] : []),
      ...(tail > 0 ? [`"preserve_recent_tokens": ${tail}`] : []),
    ]
    const more = compaction.length > 0 ? `, "compaction": { ${compaction.join(', ')} }` : ''
    return {
      file: 'opencode.json',
      text: `"provider": { "<provider>": { "models": { "${model}": { "limit": ${limit} } } } }${more}`,
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
        const kept = tailWithin(window, tail || Math.min(most, Math.max(least, Math.floor(usable / 4))))
        const to = kept ? kept.previous : window.last
        const range = window.first && to ? wholeRange(window.first, to) : null
        if (!range || range.from !== window.first) return
        const summary = summariseRange(window, range.from, range.to, { role: 'assistant', tokens: summaryTokens })
        window.insert(summary, { role: 'user', blocks: [{ type: 'text', text: question }] })
      },
      reset: () => usage.reset(),
    }
  },
})
