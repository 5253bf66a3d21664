/**
 * `roo-truncate`: what Roo Code does when it has to cut without a summary. If the latest response and the message
 * behind it have more than nine tenths of the window less the room for an answer, half of the messages behind the first
 * one leave, an even number of them, and a message of the user says how many. With `condense` it takes its first
 * choice: everything is replaced by a summary in the user's role.
 *
 * Operators: acts at `>`. Messages are those of the program, in which tool results and words of the user share one. It
 * is said to be undone by rewinding; here nothing comes back.
 *
 * Law: whole pairs, sticky; the first message stays (without `condense`). Worked example: of nine messages ⌊8 / 2⌋ = 4
 * leave; of eleven ⌊10 / 2⌋ = 5, made even: 4.
 */
import { flag, integer } from '../../base/param.ts'
import { definePolicy } from '../catalogue/define-policy.ts'
import { LatestUsage } from '../latest-usage.ts'
import type { Window } from '../policy.ts'
import { wholeRange } from '../primitives/keep-pairs.ts'
import { summariseRange } from '../primitives/summarise-oldest.ts'
import { sidesOf } from './sides.ts'

/** Drops half of the messages behind the first. */
function truncate(window: Window): void {
  const sides = sidesOf(window)
  const half = Math.floor((sides.length - 1) / 2)
  const count = half - (half % 2)
  const [from, to] = [sides[1]?.first, sides[count]?.last]
  const range = count > 0 && from && to ? wholeRange(from, to) : null
  if (!range) return
  const before = range.to.next
  window.drop(range.from, range.to)
  const text = `[Sliding window truncation: ${count} messages hidden to reduce context]`
  window.insert(before, { role: 'user', blocks: [{ type: 'text', text }] })
}

export default definePolicy({
  name: 'roo-truncate',
  version: '3.51',
  summary: 'near the end of the window, drop half of the messages behind the first',
  source: 'RooCodeInc/Roo-Code cb83656718, src/core/context-management (2026-04-14)',
  ownBudget: 'window',
  trigger: 'the window; acts over nine tenths of it less `maxOutput`',
  unlike: '`cline-truncate` keeps two messages, and looks for files that were read twice first',
  params: {
    maxOutput: integer({ default: 8_192, min: 0, help: 'most tokens of an answer' }),
    condense: flag({ default: false, help: 'replace everything by a summary instead' }),
    summaryTokens: integer({ default: 2_000, min: 1, help: 'tokens of the summary, with `condense`' }),
  },
  wholePairs: true,
  inserts: true,
  start({ maxOutput, condense, summaryTokens }) {
    const usage = new LatestUsage()
    return {
      message: (window, entry) => usage.message(window, entry),
      request(window) {
        // What came behind the latest response is one message of the program.
        if (usage.tokens === 0 || window.tokens <= 0.9 * window.budget - maxOutput) return
        usage.reset()
        if (!condense) truncate(window)
        else if (window.first && window.last) {
          summariseRange(window, window.first, window.last, { role: 'user', tokens: summaryTokens })
        }
      },
    }
  },
})
