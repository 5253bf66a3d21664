/**
 * `codex-reset`: Codex with its token budget on (`features.token_budget`, under development and off by default): where
 * `codex-compact` would ask for a summary, a new context begins without one. What the harness says in front of the
 * first prompt (instructions, environment) is built anew; nothing else stays, not even the prompt that is being worked
 * on. A prompt that is about to be sent is no part of the history yet, and stands behind it. The model is told what is
 * left of the window, and may ask for a new context itself.
 *
 * Operators: acts at `>=`, as `codex-compact`. That the requests behind it have no prompt is the program's way, and
 * shows in the validity columns. Not simulated: the reminders (at 25, 50 and 75 % of the window), the contexts that the
 * model asks for, and what it looks up of earlier ones.
 *
 * What was read (2026-11): openai/codex at 1d47a074, codex-rs/core/src/compact_token_budget.rs; at 3259bfd4,
 * core/src/session/token_budget.rs; at 009bd870, features/src/lib.rs, where it is off. What a new context has is
 * second-hand (excerpts of core/src/session/mod.rs, `start_new_context_window`). Nobody is told how to turn it on, as
 * it is under development.
 *
 * Law: whole pairs, sticky; a request that acted has the context and at most one prompt with what was said behind it.
 * Worked example: window 100,000: at 90,000 tokens inside a loop of tools the next request has the instructions alone.
 */
import { definePolicy } from '../catalogue/define-policy.ts'
import type { Entry } from '../policy.ts'
import { codexCard, historyOf, limitOf, limitParam, Said } from './codex.ts'

export default definePolicy({
  name: 'codex-reset',
  version: '0.169.0',
  summary: 'at nine tenths of the window, begin anew without a summary',
  source:
    'openai/codex at 1d47a074: codex-rs/core/src/compact_token_budget.rs; at 3259bfd4: core/src/session/token_budget.rs (2026)',
  package: { name: '@openai/codex', version: '0.169.0', on: '2026-11' },
  ...codexCard,
  unlike: '`codex-compact` keeps what the user said, and a summary',
  params: {
    limit: limitParam,
  },
  start({ limit }) {
    const said = new Said()
    let isNew = false
    return {
      message(window, entry) {
        isNew = true
        said.message(window, entry)
      },
      request(window) {
        if (!isNew) return
        isNew = false
        const history = historyOf(window)
        if (!history || history.tokens < limitOf(window.budget, limit)) return
        const { last } = history
        const stay = said.context(window)
        let next: Entry | null = window.first
        for (let entry = next; entry; entry = entry === last ? null : next) {
          next = entry.next
          if (!stay.has(entry)) window.drop(entry, entry)
        }
      },
    }
  },
})
