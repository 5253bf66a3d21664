/**
 * `crush-auto`: Crush stops after a step that leaves no more than 20,000 tokens of a window of more than 200,000, or a
 * fifth of a smaller one. Everything is replaced by a summary in the user's role. If the step was not the end of a
 * turn, the prompt is asked again, in a sentence that says why.
 *
 * Operators: acts at `<=` of what is left. Without a known window the program never acts.
 *
 * Law: whole pairs, sticky. Worked example: window 100,000: a response that ends at 80,000 tokens is the last before a
 * summary, one at 79,999 is not; window 300,000: at 280,000.
 */
import { integer } from '../../base/param.ts'
import { textOf } from '../../model/message.ts'
import { definePolicy } from '../catalogue/define-policy.ts'
import { LatestUsage } from '../latest-usage.ts'
import type { Entry, Window } from '../policy.ts'
import { summariseRange } from '../primitives/summarise-oldest.ts'

const large = 200_000
const largeRest = 20_000
const smallShare = 0.2

/** Tokens of the window that must be left. */
export function restOf(window: number): number {
  return window > large ? largeRest : Math.floor(window * smallShare)
}

export default definePolicy({
  name: 'crush-auto',
  version: '0.1',
  summary: 'near the end of the window, replace everything by a summary and ask an interrupted prompt again',
  source: 'charmbracelet/crush 37f36e938 and 004515c4, internal/agent/agent.go (2026)',
  ownBudget: 'window',
  trigger: 'the window; acts when a step leaves a fifth of it, or 20,000 tokens of more than 200,000',
  unlike: '`goose-auto` waits for the next prompt; `claude-code-auto` attaches files',
  params: { summaryTokens: integer({ default: 2_000, min: 1, help: 'tokens of the summary' }) },
  wholePairs: true,
  inserts: true,
  text: true,
  start({ summaryTokens }) {
    const usage = new LatestUsage()
    let prompt: Entry | null = null

    function compact(window: Window, to: Entry): void {
      if (window.first) summariseRange(window, window.first, to, { role: 'user', tokens: summaryTokens })
    }

    return {
      message(window, entry) {
        usage.message(window, entry)
        if (entry.isPrompt) prompt = entry
      },
      request(window) {
        const { last } = window
        if (usage.tokens === 0 || !last || window.budget - usage.tokens > restOf(window.budget)) return
        usage.reset()
        if (last === prompt) {
          // The turn had ended, and the summary was written before this prompt came.
          if (prompt.previous) compact(window, prompt.previous)
          return
        }
        const asked = prompt?.message ? textOf(prompt.message) : ''
        compact(window, last)
        const text = `The previous session was interrupted because it got too long, the initial user request was: \`${asked}\``
        window.insert(null, { role: 'user', blocks: [{ type: 'text', text }] })
      },
    }
  },
})
