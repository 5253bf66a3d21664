/**
 * `duragent-shipped`: what duragent 0.5.4 does. The layers are those of `duragent`, with 40000 tokens of history.
 *
 * Its faults are kept:
 * - Each iteration masks the results in the middle again, even those already masked, so the number in a mask shrinks to
 *   the size of the mask itself.
 * - A group to drop is an assistant's calls, the results right after them and one user message that starts with
 *   `[steering]`. If the user typed something else during a step, its later results lose their call.
 *
 * The program ends a loop after ten iterations with an error; a recorded loop may be longer, and is simulated to its
 * end. The list of messages that layer 3c counts has the system prompt. Tool definitions the program counts nowhere:
 * the run's estimator does, `--measure native` does not. Law: view.
 */

import { integer } from '../../base/param.ts'
import { type Message, textOf } from '../../model/message.ts'
import { definePolicy } from '../catalogue/define-policy.ts'
import type { Entry, Window } from '../policy.ts'
import { maskText } from '../primitives/mask-tool-results.ts'
import { groupsToDrop, iterationGroups, type LoopKind, programCounter } from '../upstream/duragent.ts'
import { duragentParams, startDuragent } from './duragent.ts'

function loopKind(entry: Entry): LoopKind {
  if (entry.role === 'assistant') return entry.calls > 0 ? 'calls' : 'other'
  if (entry.role === 'tool') return 'result'
  const steers = entry.role === 'user' && entry.isPrompt && entry.message !== null
  return steers && textOf(entry.message).startsWith('[steering]') ? 'steering' : 'other'
}

/** Masks a result again. @returns whether that changed nothing */
export function maskAgain(window: Window, entry: Entry): boolean {
  const text = maskText(window.tokensOf(entry, entry))
  if (textOf(entry.message as Message) === text) return true
  window.replace(entry, text)
  return false
}

export default definePolicy({
  name: 'duragent-shipped',
  summary: "duragent's three layers as the program implements them",
  source: 'giosakti/duragent c39a858 (0.5.4), crates/duragent/src/context and session',
  ownBudget: 'named-window',
  params: {
    ...duragentParams,
    maxHistoryTokens: integer({
      default: 40_000,
      min: 0,
      help: 'most tokens of history at the start of a loop; 0 = no cap',
    }),
  },
  kind: 'view',
  inserts: true,
  text: true,
  native: programCounter,
  availableIn: ['duragent'],
  turnOn({ maxHistoryTokens, maxToolResultTokens, truncation, keepFirst, keepLast, maxOutputTokens }, budget) {
    const model = [`max_input_tokens: ${budget}`, `max_output_tokens: ${maxOutputTokens}`]
    const context = [
      `max_history_tokens: ${maxHistoryTokens}`,
      `max_tool_result_tokens: ${maxToolResultTokens}`,
      `tool_result_truncation: ${truncation}`,
      `tool_result_keep_first: ${keepFirst}`,
      `tool_result_keep_last: ${keepLast}`,
    ]
    return {
      file: 'agent.yaml',
      text: `{ model: { ${model.join(', ')} }, session: { context: { ${context.join(', ')} } } }`,
      note: 'beside the keys of `model` that stand there',
    }
  },
  start: (values) =>
    startDuragent(values, {
      // Masking the results before `done` again would change nothing.
      mask(window, results, { from, to }, done) {
        let settled = Math.max(done, from)
        for (let index = settled; index < to; index++) {
          if (maskAgain(window, results[index] as Entry) && index === settled) settled++
        }
        return settled
      },
      counted: (window) => window.tokens,
      dropSteps(window, loop, goal) {
        const groups = iterationGroups(loop.map(loopKind))
        const tokens = groups.map(({ from, to }) => window.tokensOf(loop[from] as Entry, loop[to] as Entry))
        for (const { from, to } of groups.slice(0, groupsToDrop(tokens, window.tokens, goal))) {
          for (const entry of loop.slice(from, to + 1)) window.drop(entry, entry)
        }
      },
    }),
})
