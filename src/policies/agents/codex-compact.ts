/**
 * `codex-compact`: Codex compacts before a request when its history has reached nine tenths of the window. With
 * OpenAI's models the provider writes the summary, which is encrypted. In front of it stays what the user said, newest
 * first, up to 64,000 tokens; the message that no longer fits is cut in its middle, and older ones leave. A prompt that
 * is about to be sent is no part of the history yet, and stands behind the summary. Earlier summaries are not kept.
 * What the harness says in the user's role in front of the first prompt (instructions, environment) is built anew, so
 * it stays.
 *
 * With `scope=body_after_prefix` only what came behind the first request since the last compaction counts, and the
 * limit may be any; the program then acts, too, when the request reaches 95 % of the window, which is all that it uses.
 *
 * Operators: acts at `>=`; a user message that fits exactly is kept; one without text counts as a token. Not simulated:
 * that results at the end are cut if the request for the summary is itself too large; and messages of sub-agents, which
 * newer versions keep. A compaction of the prefix in the background, at 60 % of the limit, was proposed
 * (openai/codex#17286, read at 99cf6c64) and closed: in 0.169.0 it has a name among the reasons that are reported, and
 * no flag. What that version's flag `async_compaction_root_only` does was not read.
 *
 * What was read (2026-11): openai/codex at 009bd870, codex-rs/core/src/compact_remote_v2.rs, and
 * codex-rs/features/src/lib.rs, where it is on; at 11237ebb, core/src/session/context_window.rs; at 02d98f92,
 * core/src/state/auto_compact_window.rs; at 001cb8e2, core/src/compact_remote.rs (before it the provider chose what
 * stays). Of 20 recorded compactions, by 0.122 to 0.144, all have an empty summary and keep nothing but what the user
 * said, at most 34,000 characters: too little to tell 20,000 tokens from 64,000. That a prompt is written into the
 * history behind the compaction is second-hand (notes on core/src/session/turn.rs).
 *
 * How it is turned on: `model_auto_compact_token_limit` is in the published program from 0.36.0 on, and not in 0.34.0
 * (@openai/codex, npm, read 2026-11). Since 0.100.0 nine tenths of the window are the most (openai/codex#11516,
 * 2026-02).
 *
 * Law: whole pairs, sticky; every word of the user's newest message survives if it has at most `userTokens` tokens.
 * Worked example: window 100,000; at 90,000 tokens, user messages of 60,000, 4,000 and 3,000 tokens (oldest first): the
 * newer two stay, the oldest is cut to the 57,000 that are left, and behind them comes the summary.
 */
import { choice, integer } from '../../base/param.ts'
import { definePolicy } from '../catalogue/define-policy.ts'
import { thousands } from '../catalogue/thousands.ts'
import type { Entry } from '../policy.ts'
import { summariseRange } from '../primitives/summarise-oldest.ts'
import { codexCard, historyOf, limitOf, limitParam, Said } from './codex.ts'

/** What the program keeps by itself. */
const usualTokens = 64_000

/** What the program uses of a model's window. */
const usedShare = 0.95

export default definePolicy({
  name: 'codex-compact',
  version: '0.169.0',
  summary: 'at nine tenths of the window, replace all but what the user said by a summary',
  source:
    'openai/codex at 009bd870: codex-rs/core/src/compact_remote_v2.rs; at 11237ebb: core/src/session/context_window.rs (2026); the names stand in 0.169.0, the newest published (npm, 2026-11)',
  package: { name: '@openai/codex', version: '0.169.0', on: '2026-11' },
  ...codexCard,
  unlike:
    '`claude-code-auto` summarises what the user said too, and attaches files; `pi-compact` keeps the newest messages of all roles; `codex-reset` writes no summary',
  params: {
    limit: limitParam,
    scope: choice({
      default: 'total',
      of: ['total', 'body_after_prefix'],
      help: 'what the limit is compared with: the whole request, or only what was added since the first request after it last acted',
    }),
    userTokens: integer({ default: usualTokens, min: 0, help: 'most tokens of user messages that stay' }),
    summaryTokens: integer({
      default: 3_300,
      min: 1,
      help: 'tokens of the summary; 3,300 is the median of seven recorded ones',
    }),
  },
  inserts: true,
  text: true,
  withoutText: true,
  compacts: true,
  summariesShareThePrompt: true,
  budgetFor: (tokens) => Math.ceil((tokens * 10) / 9),
  turnOn({ limit, scope, userTokens }, budget) {
    if (userTokens !== usualTokens) return null
    if (scope === 'body_after_prefix') {
      const tokens = limit || limitOf(budget, 0)
      return {
        file: 'the command that starts it',
        text: `codex -c model_auto_compact_token_limit=${tokens} -c model_auto_compact_token_limit_scope=body_after_prefix`,
        note: `compacts ${thousands(tokens)} behind the first request`,
      }
    }
    const tokens = limitOf(budget, limit)
    return {
      file: '~/.codex/config.toml',
      text: `model_auto_compact_token_limit = ${tokens}`,
      since: '0.36.0',
      note: `compacts at ${thousands(tokens)}; stands above the first [table]`,
    }
  },
  start({ limit, scope, userTokens, summaryTokens }) {
    const said = new Said()
    let isNew = false
    /** Tokens of the first request since it last acted; null before that. */
    let prefix: number | null = null

    function isFull(tokens: number, budget: number): boolean {
      if (scope === 'total') return tokens >= limitOf(budget, limit)
      return tokens - (prefix ?? tokens) >= (limit || limitOf(budget, 0)) || tokens >= Math.floor(usedShare * budget)
    }

    return {
      message(window, entry) {
        isNew = true
        said.message(window, entry)
      },
      request(window) {
        if (!isNew) return
        isNew = false
        const history = historyOf(window)
        if (history && isFull(history.tokens, window.budget)) {
          const stay = said.kept(window, history.last, { most: userTokens, least: 1 })
          const keeps = (entry: Entry) => stay.has(entry)
          const first = window.first as Entry
          summariseRange(window, first, history.last, { role: 'user', tokens: summaryTokens, keeps })
          prefix = null
        }
        prefix ??= window.tokens
      },
    }
  },
})
