/**
 * `codex-compact`: Codex compacts before a request whose tokens have reached nine tenths of the window. What the user said
 * stays, newest first, up to 20,000 tokens; the message that no longer fits is cut in its middle, and older ones leave.
 * Everything else is replaced by one summary behind them, in the user's role. Earlier summaries are not kept. What the
 * harness says in the user's role in front of the first prompt (instructions, environment) is built anew, so it stays.
 *
 * Operators: acts at `>=`; a user message that fits exactly is kept. Not simulated: that it drops the oldest items if the
 * request for the summary is itself too large, and the encrypted compaction that OpenAI's own models may do instead: there
 * the same user messages stay, and an item nobody can read stands for the summary.
 *
 * How it is turned on: `model_auto_compact_token_limit` is in the published program from 0.36.0 on, and not in 0.34.0
 * (@openai/codex, npm, read 2026-11). Since 0.100.0 nine tenths of the window are the most (openai/codex#11516, 2026-02).
 *
 * Law: whole pairs, sticky; every word of the user's newest message survives if it has at most `userTokens` tokens. Worked
 * example: window 100,000; at 90,000 tokens, user messages of 15,000, 4,000 and 3,000 tokens (oldest first): the newer two
 * stay, the oldest is cut to the 13,000 that are left, and behind them comes the summary.
 */
import { integer } from '../../base/param.ts'
import { textOf } from '../../model/message.ts'
import { definePolicy } from '../catalogue/define-policy.ts'
import { thousands } from '../catalogue/thousands.ts'
import { bytesOverFour } from '../counters.ts'
import type { Entry, Window } from '../policy.ts'
import { summariseRange } from '../primitives/summarise-oldest.ts'
import { headBytes, tailBytes, utf8Length } from '../text.ts'

/** Four bytes are a token, rounded up. */
const textTokens = (text: string): number => Math.ceil(utf8Length(text) / 4)

/** Half from the start and half from the end, with a mark between them. */
export function cutMiddle(text: string, tokens: number): string {
  const half = 2 * tokens
  return `${headBytes(text, half)}…${textTokens(text) - tokens} tokens truncated…${tailBytes(text, half)}`
}

export default definePolicy({
  name: 'codex-compact',
  version: '0.154.0',
  summary: 'at nine tenths of the window, replace all but what the user said by a summary',
  source:
    'openai/codex: codex-rs/core/src/compact.rs at 0100b103 (2025-12); the threshold as in rust-v0.154.0, codex-rs/protocol/src/openai_models.rs (2026-11)',
  trigger: 'the window; acts at nine tenths of it, or at `limit` if that is less',
  unlike:
    '`claude-code-auto` summarises what the user said too, and attaches files; `pi-compact` keeps the newest messages of all roles',
  params: {
    limit: integer({
      default: 0,
      min: 0,
      help: 'tokens at which it acts, if less than nine tenths of the budget; 0 = off',
    }),
    userTokens: integer({ default: 20_000, min: 0, help: 'tokens of user messages that stay' }),
    summaryTokens: integer({ default: 2_000, min: 1, help: 'tokens of the summary' }),
  },
  kind: 'sticky',
  wholePairs: true,
  inserts: true,
  text: true,
  withoutText: true,
  compacts: true,
  summariesShareThePrompt: true,
  native: bytesOverFour,
  availableIn: ['codex'],
  budgetFor: (tokens) => Math.ceil((tokens * 10) / 9),
  turnOn({ limit, userTokens }, budget) {
    if (userTokens !== 20_000) return null
    const nine = Math.floor((budget * 9) / 10)
    const tokens = limit > 0 ? Math.min(limit, nine) : nine
    return {
      file: '~/.codex/config.toml',
      text: `model_auto_compact_token_limit = ${tokens}`,
      since: '0.36.0',
      note: `compacts at ${thousands(tokens)}; stands above the first [table]`,
    }
  },
  start({ limit, userTokens, summaryTokens }) {
    let isNew = false
    let started = false
    /** Tokens of what the user said. */
    let said = new Map<Entry, number>()

    /** Which user messages stay; the one that no longer fits is cut. */
    function kept(window: Window): Set<Entry> {
      const stay = new Set<Entry>()
      for (let entry = window.first; entry && !entry.isPrompt && started; entry = entry.next) {
        if (entry.role === 'user' && entry.isInjected) stay.add(entry)
      }
      let left = userTokens
      for (let entry = window.last; entry && left > 0; entry = entry.previous) {
        const tokens = said.get(entry)
        if (tokens === undefined) continue
        stay.add(entry)
        if (tokens > left) {
          if (entry.message) {
            const text = cutMiddle(textOf(entry.message), left)
            window.replace(entry, text)
            said.set(entry, textTokens(text))
          } else {
            // Its place is taken by a message of the size that is left of it.
            stay.delete(entry)
            stay.add(window.insert(entry, { role: 'user', blocks: [] }, left))
          }
          break
        }
        left -= tokens
      }
      return stay
    }

    return {
      message(window, entry) {
        isNew = true
        started ||= entry.isPrompt
        if (entry.role !== 'user' || entry.index < 0 || entry.isInjected) return
        said.set(entry, entry.message ? textTokens(textOf(entry.message)) : window.tokensOf(entry, entry))
      },
      request(window) {
        const nine = Math.floor((window.budget * 9) / 10)
        const { first, last } = window
        if (!isNew || !first || !last || window.tokens < (limit > 0 ? Math.min(limit, nine) : nine)) return
        const stay = kept(window)
        const keeps = (entry: Entry) => stay.has(entry)
        summariseRange(window, first, last, { role: 'user', tokens: summaryTokens, keeps })
        isNew = false
      },
      reset() {
        isNew = started = false
        said = new Map()
      },
    }
  },
})
