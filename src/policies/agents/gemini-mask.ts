/**
 * `gemini-mask`: Gemini CLI writes old tool results to a file and leaves their first and last 250 characters (of the
 * shell's the first and last ten lines), with the file's name. The newest 50,000 tokens of results are protected (the
 * one that crosses this is not), and nothing happens before 30,000 tokens can be masked: then all that can be. Results
 * that the model has not seen yet are neither masked nor counted, and those of `activate_skill`, `ask_user`,
 * `enter_plan_mode` and `exit_plan_mode` never are. A mask that is not smaller than the result is not used.
 *
 * Operators: acts at `>= 30,000`; protects while the sum is `<= 50,000`. It ignores the window.
 *
 * Fault: results that a mask does not make smaller count again each time. Once 30,000 tokens of them are behind the
 * protected ones, every further result is masked as soon as it is not protected, which breaks the prompt cache each
 * time.
 *
 * How it is turned on: it always is. Its thresholds are settings below `contextManagement.tools.outputMasking` in
 * @google/gemini-cli 0.38.0 and not in 0.36.0, which had `experimental.toolOutputMasking`; in 0.61.0 that name is gone,
 * and what Google's experiments say comes before the settings (npm, read 2026-11).
 *
 * Law: whole pairs, sticky; a result is masked once. Worked example: results of 20,000 tokens each. Two are protected;
 * with three, 20,000 could be masked, which is too few; with four, the oldest two are.
 */
import { jsonText } from '../../base/json-text.ts'
import { integer } from '../../base/param.ts'
import { textOf } from '../../model/message.ts'
import { Calls } from '../calls.ts'
import { definePolicy } from '../catalogue/define-policy.ts'
import { thousands } from '../catalogue/thousands.ts'
import type { Entry, Window } from '../policy.ts'
import { geminiCounter, unmaskable } from './gemini.ts'

/** Characters at the start and at the end of a masked result, and lines of one of the shell. */
const previewLength = 250
const previewLines = 10

function mask(text: string, tool: string): string {
  const preview = tool === 'run_shell_command' ? linesOf(text) : charactersOf(jsonText({ output: text }))
  return `<tool_output_masked>\n${preview}\n\nOutput too large. Full output available at: ~/.gemini/tmp/tool-outputs/${tool}.txt\n</tool_output_masked>`
}

function charactersOf(text: string): string {
  if (text.length <= 2 * previewLength) return text
  return `${text.slice(0, previewLength)}\n... [TRUNCATED] ...\n${text.slice(-previewLength)}`
}

function linesOf(text: string): string {
  const lines = text.split('\n')
  const omitted = lines.length - 2 * previewLines
  if (omitted <= 0) return text
  const [head, tail] = [lines.slice(0, previewLines), lines.slice(-previewLines)]
  return `${head.join('\n')}\n\n... [${omitted} lines omitted] ...\n\n${tail.join('\n')}`
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
  package: { name: '@google/gemini-cli-core', version: '0.61.0', on: '2026-08' },
  trigger: 'not used; acts when 30,000 tokens of results stand in front of the newest 50,000',
  unlike:
    '`opencode-prune` protects two exchanges and leaves no preview; `claude-code-microcompact` protects a number of results',
  params: {
    protect: integer({ default: 50_000, min: 0, help: 'newest tokens of tool results that stay' }),
    least: integer({
      default: 30_000,
      min: 0,
      help: 'fewest tokens that must be maskable; with less, nothing is masked',
    }),
  },
  wholePairs: true,
  budgetless: true,
  text: true,
  native: geminiCounter,
  availableIn: ['gemini-cli'],
  turnOn: ({ protect, least }) => ({
    file: '~/.gemini/settings.json',
    text: `"contextManagement": { "tools": { "outputMasking": { "protectionThresholdTokens": ${protect}, "minPrunableThresholdTokens": ${least} } } }`,
    since: '0.38.0',
    note: `keeps the newest ${thousands(protect)} of results; on by default, takes a restart`,
  }),
  start({ protect, least }) {
    const calls = new Calls()
    /**
     * Those before `masked` are masked, those before `prunable` can be, and those from `seen` on the model has not
     * seen.
     */
    const results: Result[] = []
    let [masked, prunable, seen] = [0, 0, 0]
    let [protectedTokens, prunableTokens] = [0, 0]

    /** @returns whether that makes it smaller */
    function maskResult(window: Window, { entry }: Result): boolean {
      if (!entry.inside || !entry.message) return false
      const text = textOf(entry.message)
      const masked = mask(text, calls.toolOf(entry))
      if (masked.length >= text.length) return false
      window.replace(entry, masked)
      return true
    }

    return {
      message(window, entry) {
        calls.message(entry)
        if (entry.role === 'assistant') {
          for (; seen < results.length; seen++) protectedTokens += (results[seen] as Result).tokens
        } else if (entry.role === 'tool' && !unmaskable.has(calls.toolOf(entry))) {
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
        for (; masked < prunable; masked++) {
          const result = results[masked] as Result
          if (maskResult(window, result)) prunableTokens -= result.tokens
        }
      },
    }
  },
})
