/**
 * `gemini-mask`: Gemini CLI writes old tool results to a file and leaves their first and last 250 characters, with the
 * file's name. The newest 50,000 tokens of results are protected (the one that crosses this is not), and nothing happens
 * before 30,000 tokens can be masked: then all that can be. Results that the model has not seen yet are neither masked nor
 * counted, and those of `activate_skill`, `ask_user`, `enter_plan_mode` and `exit_plan_mode` never are. A mask that is not
 * smaller than the result is not used.
 *
 * Operators: acts at `>= 30,000`; protects while the sum is `<= 50,000`. It ignores the window.
 *
 * Law: whole pairs, sticky; a result is masked once. Worked example: results of 20,000 tokens each. Two are protected; with
 * three, 20,000 could be masked, which is too few; with four, the oldest two are.
 */
import { integer } from '../../base/param.ts'
import { textOf } from '../../model/message.ts'
import { Calls } from '../calls.ts'
import { definePolicy, type Entry, type Window } from '../policy.ts'
import { geminiCounter } from './gemini.ts'

const exempt = new Set(['activate_skill', 'ask_user', 'enter_plan_mode', 'exit_plan_mode'])

/** The start and the end of a masked text. */
const previewLength = 250

function mask(text: string): string {
  const [head, tail] = [text.slice(0, previewLength), text.slice(-previewLength)]
  return `<tool_output_masked>\n${head}\n\n... [${text.length - 2 * previewLength} characters in a file] ...\n\n${tail}\n</tool_output_masked>`
}

interface Result {
  readonly entry: Entry
  readonly tokens: number
}

export default definePolicy({
  name: 'gemini-mask',
  version: '0.61.0',
  summary: 'replace old tool results by a preview once 30,000 tokens of them can go',
  source:
    'google-gemini/gemini-cli 5411f113ca and @google/gemini-cli-core 0.61.0, packages/core/src/context/toolOutputMaskingService (2026-08)',
  trigger: 'not used; acts when 30,000 tokens of results stand in front of the newest 50,000',
  unlike:
    '`opencode-prune` protects two exchanges and leaves no preview; `claude-code-microcompact` protects a number of results',
  params: {
    protect: integer({ default: 50_000, min: 0, help: 'newest tokens of tool results that stay' }),
    least: integer({ default: 30_000, min: 0, help: 'tokens that can be masked before anything is' }),
  },
  kind: 'sticky',
  wholePairs: true,
  budgetless: true,
  text: true,
  native: geminiCounter,
  availableIn: ['gemini-cli'],
  turnOn: ({ protect, least }) =>
    `Gemini CLI, in ~/.gemini/settings.json: { "experimental": { "toolOutputMasking": { "enabled": true, "toolProtectionThreshold": ${protect}, "minPrunableTokensThreshold": ${least} } } }`,
  start({ protect, least }) {
    const calls = new Calls()
    /** Those before `masked` are masked, those before `prunable` can be, and those from `seen` on the model has not seen. */
    let results: Result[] = []
    let [masked, prunable, seen] = [0, 0, 0]
    let [protectedTokens, prunableTokens] = [0, 0]

    function maskResult(window: Window, { entry }: Result): void {
      if (!entry.inside || !entry.message) return
      const text = textOf(entry.message)
      const masked = mask(text)
      if (masked.length < text.length) window.replace(entry, masked)
    }

    return {
      message(window, entry) {
        calls.message(entry)
        if (entry.role === 'assistant') {
          for (; seen < results.length; seen++) protectedTokens += (results[seen] as Result).tokens
        } else if (entry.role === 'tool' && !exempt.has(calls.toolOf(entry))) {
          results.push({ entry, tokens: window.tokensOf(entry, entry) })
        }
      },
      request(window) {
        for (; protectedTokens > protect; prunable++) {
          const { tokens } = results[prunable] as Result
          protectedTokens -= tokens
          prunableTokens += tokens
        }
        if (prunable === masked || prunableTokens < least) return
        for (; masked < prunable; masked++) maskResult(window, results[masked] as Result)
        prunableTokens = 0
      },
      reset() {
        calls.reset()
        results = []
        masked = prunable = seen = protectedTokens = prunableTokens = 0
      },
    }
  },
})
