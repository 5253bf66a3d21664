/**
 * `codex-compact-local`: what Codex does where it writes the summary itself: with other providers than OpenAI and
 * Azure, and with all of them up to the end of 2025. It acts as `codex-compact` does. What the user said stays, newest
 * first, up to 20,000 tokens; the message that no longer fits is cut in its middle, and older ones leave. Everything
 * else is replaced by one summary behind them, in the user's role. Earlier summaries are not kept. What the harness
 * says in the user's role in front of the first prompt (instructions, environment) is built anew, so it stays.
 *
 * Operators: acts at `>=`; a user message that fits exactly is kept. Not simulated: that it drops the oldest items if
 * the request for the summary is itself too large.
 *
 * It was `codex-compact@0.154.0` here until 2026-11, and answers to that name.
 *
 * Law: whole pairs, sticky; every word of the user's newest message survives if it has at most `userTokens` tokens.
 * Worked example: window 100,000; at 90,000 tokens, user messages of 15,000, 4,000 and 3,000 tokens (oldest first): the
 * newer two stay, the oldest is cut to the 13,000 that are left, and behind them comes the summary.
 */
import { integer } from '../../base/param.ts'
import { definePolicy } from '../catalogue/define-policy.ts'
import type { Entry } from '../policy.ts'
import { summariseRange } from '../primitives/summarise-oldest.ts'
import { codexCard, limitOf, limitParam, Said } from './codex.ts'

export default definePolicy({
  name: 'codex-compact-local',
  version: '0.154.0',
  aliases: ['codex-compact@0.154.0'],
  summary: 'at nine tenths of the window, replace all but 20,000 tokens of what the user said by a summary',
  source:
    'openai/codex: codex-rs/core/src/compact.rs at 0100b103 (2025-12); the threshold as in rust-v0.154.0, codex-rs/protocol/src/openai_models.rs (2026-11)',
  ...codexCard,
  unlike: '`codex-compact` keeps more of what the user said, and lets the provider write the summary',
  params: {
    limit: limitParam,
    userTokens: integer({ default: 20_000, min: 0, help: 'most tokens of user messages that stay' }),
    summaryTokens: integer({ default: 2_000, min: 1, help: 'tokens of the summary' }),
  },
  part: true,
  inserts: true,
  text: true,
  withoutText: true,
  summariesShareThePrompt: true,
  start({ limit, userTokens, summaryTokens }) {
    const said = new Said()
    let isNew = false
    return {
      message(window, entry) {
        isNew = true
        said.message(window, entry)
      },
      request(window) {
        const { first, last } = window
        if (!isNew || !first || !last || window.tokens < limitOf(window.budget, limit)) return
        const stay = said.kept(window, last, { most: userTokens, least: 0 })
        const keeps = (entry: Entry) => stay.has(entry)
        summariseRange(window, first, last, { role: 'user', tokens: summaryTokens, keeps })
        isNew = false
      },
    }
  },
})
