/**
 * `gemini-context-management`: Gemini CLI with `experimental.contextManagement`, which is off by default and takes the
 * place of `gemini-compress`. A result of more than 8,000 tokens (three characters each) becomes a line that names a
 * file, when it is first sent. Once the messages of a request have more than 150,000 tokens, all that stands in front
 * of the newest 65,000 is replaced by a snapshot in the user's role. What is being sent (the prompt, or the results of
 * a step) stays.
 *
 * Snapshots are drafted in the background: when messages have aged, and 5,000 tokens more than at the draft before.
 * Where no draft begins in the very request that is cut, the latest one is taken, and what has aged since stays. One
 * that does begin there names messages that have left when it is done, as does every later one, which goes on from it:
 * from then on all are refused (a fault of the program), and the model is waited for.
 *
 * Operators: acts at `>`; a message ages when those behind it have `>` 65,000. Where the cut would part a call from its
 * result, less leaves; the program sends a call of its own without arguments then. Not simulated: what the drafts cost;
 * that a model shortens prompts of more than 15,000 tokens; that what the CLI says in front of the first prompt stays.
 * The program's count learns from what responses report, so there is no native counter.
 *
 * What was read (2026-11-23): src/context/ and src/core/client.js of @google/gemini-cli-core 0.61.0, and the settings
 * of @google/gemini-cli 0.61.0 (npm). `contextManagement.historyWindow` (150,000 and 40,000) stands in the settings and
 * does nothing there: agentHistoryProvider.js, which goes by it, is only reached without the manager that the same
 * switch makes. The 150,000 and 65,000 of the profile `generalist` cannot be set; what `experimental.powerUserProfile`
 * does otherwise is not simulated.
 *
 * Law: whole pairs, sticky; what is being sent survives. Worked example: 14 messages of 10,000 tokens and a prompt of
 * 10,001: six and the prompt stay, as those behind the seventh have 70,001.
 */
import { utf8Length } from '../../base/bytes.ts'
import { integer, type Values } from '../../base/param.ts'
import { textOf } from '../../model/message.ts'
import { Calls } from '../calls.ts'
import { definePolicy } from '../catalogue/define-policy.ts'
import type { Entry, PolicyRun, Window } from '../policy.ts'
import { wholeRange } from '../primitives/keep-pairs.ts'
import { summariseRange } from '../primitives/summarise-oldest.ts'
import { unmaskable } from './gemini.ts'

/** The values of the program's profile, which cannot be set. */
const usualBudget = 150_000
const usual = { retained: 65_000, mask: 8_000, drafts: 5_000 }

/** Characters that the program takes a token to have. */
const charactersPerToken = 3

function maskOf(text: string, tool: string): string {
  const size = (utf8Length(text) / 1024 / 1024).toFixed(2)
  const lines = text.split('\n').length
  return `<tool_output_masked>\n[${size} MB, ${lines} lines, saved to: ~/.gemini/tmp/tool-outputs/${tool}.txt]\n</tool_output_masked>`
}

/** The newest entry that has more than `retained` tokens behind it and is not being sent; null if there is none. */
function newestAged(window: Window, retained: number): Entry | null {
  const { last } = window
  let isSent = true
  let behind = 0
  for (let entry = last; entry; entry = entry.previous) {
    isSent &&= entry === last || (entry.role === 'tool' && last?.role === 'tool')
    if (!isSent && behind > retained) return entry
    behind += window.tokensOf(entry, entry)
  }
  return null
}

const params = {
  retained: integer({ default: usual.retained, min: 0, help: 'newest tokens that stay' }),
  mask: integer({ default: usual.mask, min: 0, help: 'tokens above which a result is masked; 0 = none' }),
  drafts: integer({
    default: usual.drafts,
    min: 0,
    help: 'tokens that must have become old before a draft of the snapshot is begun',
  }),
  summaryTokens: integer({ default: 2_000, min: 1, help: 'tokens of the snapshot; at most 4,000 in the program' }),
} as const

export default definePolicy({
  name: 'gemini-context-management',
  version: '0.61.0',
  summary: 'over 150,000 tokens of messages, replace all but the newest 65,000 by a snapshot; mask large results',
  source: '@google/gemini-cli-core 0.61.0, src/context; @google/gemini-cli 0.61.0 (npm, 2026-11)',
  package: { name: '@google/gemini-cli-core', version: '0.61.0', on: '2026-11' },
  ownBudget: usualBudget,
  trigger: '`maxTokens`, of the messages; acts above it',
  unlike:
    '`gemini-compress` goes by the window and cuts at prompts; `gemini-mask` keeps a preview, and the newest results whole',
  params,
  wholePairs: true,
  inserts: true,
  text: true,
  availableIn: ['gemini-cli'],
  turnOn({ retained, mask, drafts }, budget) {
    const isUsual = retained === usual.retained && mask === usual.mask && drafts === usual.drafts
    if (!isUsual || budget !== usualBudget) return null
    return {
      file: '~/.gemini/settings.json',
      text: '"experimental": { "contextManagement": true }',
      note: 'off by default; acts at 150k, which cannot be set; takes a restart',
    }
  },
  start: (values) => new GeminiContextRun(values),
})

class GeminiContextRun implements PolicyRun {
  readonly #values: Values<typeof params>
  readonly #calls = new Calls()
  /** Results that were not sent yet. */
  #fresh: Entry[] = []
  /** The newest message of the latest draft. */
  #draft: Entry | null = null
  #deficitAtDraft = 0
  /** A draft began in a request that was cut, so it and all later ones name messages that have left. */
  #isSpoiled = false
  /** A message came since the last look; asking the same request again is not a new request. */
  #isNew = false

  constructor(values: Values<typeof params>) {
    this.#values = values
  }

  message(_window: Window, entry: Entry): void {
    this.#isNew = true
    this.#calls.message(entry)
    if (entry.role === 'tool') this.#fresh.push(entry)
  }

  request(window: Window): void {
    if (!this.#isNew) return
    this.#isNew = false
    this.#maskResults(window)
    if (window.messageTokens <= this.#values.retained) return
    const aged = newestAged(window, this.#values.retained)
    const begins = this.#draws(window, aged)
    const isOver = window.messageTokens > window.budget
    const ready = !begins && !this.#isSpoiled && this.#draft?.inside ? this.#draft : null
    const to = ready ?? aged
    const range = isOver && aged && to && window.first ? wholeRange(window.first, to) : null
    // The model is not asked for a snapshot of one message.
    if (range && range.from === window.first && (ready || range.from !== range.to)) {
      summariseRange(window, range.from, range.to, { role: 'user', tokens: this.#values.summaryTokens })
      this.#isSpoiled ||= begins
      this.#draft = null
    } else if (begins) this.#draft = aged
  }

  #maskResults(window: Window): void {
    for (const entry of this.#fresh) {
      const tool = this.#calls.toolOf(entry)
      if (this.#values.mask === 0 || !entry.inside || !entry.message || unmaskable.has(tool)) continue
      const text = textOf(entry.message)
      if (text.length > charactersPerToken * this.#values.mask) window.replace(entry, maskOf(text, tool))
    }
    this.#fresh = []
  }

  /** @returns whether a draft begins */
  #draws(window: Window, aged: Entry | null): boolean {
    if (!aged) {
      this.#deficitAtDraft = 0
      return false
    }
    const deficit = window.messageTokens - this.#values.retained
    this.#deficitAtDraft = Math.min(this.#deficitAtDraft, deficit)
    if (deficit <= this.#deficitAtDraft + this.#values.drafts) return false
    this.#deficitAtDraft = deficit
    return true
  }
}
