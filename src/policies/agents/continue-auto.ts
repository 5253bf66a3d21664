/**
 * `continue-auto`: the command line of Continue compacts before a request that leaves no room for the largest answer
 * and a margin: as many tokens as the answer, but at least a fifth of what the answer leaves, and at most 15,000.
 * Everything is replaced by a summary in the assistant's role; the prompt that is about to be answered stays behind it.
 * The largest answer is 35 % of the window, at most 64,000 tokens, unless it is configured.
 *
 * Operators: acts at `>=`. Its fault is kept: the conversation then begins with a message of the assistant, which some
 * providers refuse. Inside a loop of tools a user's message "continue" follows here, as no request ends with the
 * assistant.
 *
 * Law: whole pairs, sticky. Worked example: window 200,000: the answer may have 64,000; 136,000 are left, a fifth is
 * 27,200, the margin 15,000: it acts at 121,000 tokens.
 */
import { integer } from '../../base/param.ts'
import { definePolicy } from '../catalogue/define-policy.ts'
import { thousands } from '../catalogue/thousands.ts'
import { summariseRange } from '../primitives/summarise-oldest.ts'

const largestMargin = 15_000

/** Tokens of a request at which it acts. @param maxOutput 0 = the default */
export function threshold(window: number, maxOutput: number): number {
  const answer = maxOutput || Math.ceil(Math.min(0.35 * window, 64_000))
  const rest = window - answer
  return rest - Math.min(Math.max(answer, 0.2 * rest), largestMargin)
}

export default definePolicy({
  name: 'continue-auto',
  version: '1.5',
  summary: 'when no room for an answer is left, replace everything by a summary',
  source: 'continuedev/continue d0a3c0b626 and 04e35c5d, extensions/cli/src/compaction.ts and util/tokenizer.ts (2026)',
  ownBudget: 'window',
  trigger: 'the window; acts when a request leaves less than the largest answer and up to 15,000 tokens more',
  unlike: '`claude-code-auto` attaches files; `opencode-compact` keeps a tail',
  params: {
    maxOutput: integer({
      default: 0,
      min: 0,
      help: 'most tokens of an answer; 0 = 35 % of the window, at most 64,000',
    }),
    summaryTokens: integer({ default: 2_000, min: 1, help: 'tokens of the summary' }),
  },
  wholePairs: true,
  inserts: true,
  summariesShareThePrompt: true,
  turnOn: ({ maxOutput }, budget) => {
    const answer = maxOutput > 0 ? `, maxTokens: ${maxOutput}` : ''
    return {
      file: '~/.continue/config.yaml, in the entry of the model',
      text: `defaultCompletionOptions: { contextLength: ${budget}${answer} }`,
      note: `compacts at ${thousands(threshold(budget, maxOutput))}`,
    }
  },
  start({ maxOutput, summaryTokens }) {
    let isNew = false
    return {
      message() {
        isNew = true
      },
      request(window) {
        const { first, last } = window
        if (!isNew || !first || !last || window.tokens < threshold(window.budget, maxOutput)) return
        isNew = false
        const to = last.isPrompt ? last.previous : last
        if (!to) return
        summariseRange(window, first, to, { role: 'assistant', tokens: summaryTokens })
        if (to === last) window.insert(null, { role: 'user', blocks: [{ type: 'text', text: 'continue' }] })
      },
    }
  },
})
