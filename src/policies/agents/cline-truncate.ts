/**
 * `cline-truncate`: what Cline did before its SDK (removed in June 2026). When the latest response has filled the
 * window up to a margin, older reads of files that were read again are replaced by a notice. If that frees less than 30
 * %, the first pair of messages stays, and behind it a half leaves, or three quarters if even half of the tokens would
 * be too many. The range begins behind what left before, and ends with a message of the model.
 *
 * Calls whose results leave (those of the first pair) get the result `result missing`; results whose calls have left
 * are dropped. The margin is 27,000 tokens of a window of 64,000, 30,000 of 128,000, 40,000 of 200,000; of others a
 * fifth, but at most 40,000. Operators: acts at `>=`. Shares are of tokens here, of characters in the program.
 *
 * Law: whole pairs, sticky; the first message stays. Worked example: of a first pair and eight messages, `half` takes
 * four (⌊8 / 4⌋ · 2), `quarter` six (⌊8 · 3 / 4 / 2⌋ · 2).
 */
import { choice } from '../../base/param.ts'
import { Calls } from '../calls.ts'
import { definePolicy } from '../catalogue/define-policy.ts'
import { LatestUsage } from '../latest-usage.ts'
import type { Entry, Window } from '../policy.ts'
import { dropBrokenPairs } from '../primitives/keep-pairs.ts'
import { type Side, sidesOf } from './sides.ts'

const notice = [{ type: 'text', text: '[This file was read again later; see there.]' }] as const
const missing = [{ type: 'text', text: 'result missing' }] as const

const readTools = new Set(['read_file', 'read', 'Read'])

/** Tokens of a response that fill the window. */
export function allowed(window: number): number {
  const margin = { 64000: 27_000, 128000: 30_000, 200000: 40_000 }[window]
  return margin === undefined ? Math.max(window - 40_000, 0.8 * window) : window - margin
}

/** Below this saved share, messages leave, too. */
const enough = 0.3

/** The sides that leave, behind the first two. */
function range(sides: readonly Side[], keep: 'half' | 'quarter'): Side[] {
  const rest = sides.length - 2
  const count = keep === 'half' ? Math.floor(rest / 4) * 2 : Math.floor((rest * 3) / 4 / 2) * 2
  const leaving = sides.slice(2, 2 + Math.max(0, count))
  while (leaving.length > 0 && !leaving.at(-1)?.isAssistant) leaving.pop()
  return leaving
}

export default definePolicy({
  name: 'cline-truncate',
  version: '3',
  summary: 'near the end of the window, drop half or three quarters of the messages behind the first pair',
  source: 'cline/cline 791d238996^, src/core/context/context-management (2026-05)',
  ownBudget: 'window',
  trigger: 'the window; acts when the latest response ends within 27,000 to 40,000 tokens of it',
  unlike: '`roo-truncate` keeps one message and always drops a half; `cline-basic` is what replaced it',
  params: {
    keep: choice({
      default: 'auto',
      of: ['auto', 'half', 'quarter'],
      help: 'how much stays: half, a quarter, or auto (half; a quarter if half is still too much)',
    }),
  },
  wholePairs: true,
  text: true,
  start({ keep }) {
    const usage = new LatestUsage()
    const calls = new Calls()
    const answered = new Set<number>()
    /** Reads by path, older ones first. */
    const reads = new Map<string, Entry[]>()

    /** @returns tokens that it freed */
    function clearReadsAgain(window: Window): number {
      const before = window.tokens
      for (const entries of reads.values()) {
        for (const entry of entries.splice(0, entries.length - 1)) if (entry.inside) window.replace(entry, notice)
      }
      return before - window.tokens
    }

    function truncate(window: Window, most: number): void {
      const sides = sidesOf(window)
      const leaving = range(sides, keep === 'auto' ? (window.tokens / 2 > most ? 'quarter' : 'half') : keep)
      const [first, last] = [leaving[0]?.first, leaving.at(-1)?.last]
      if (!first || !last) return
      const pair = sides[1] as Side
      const open = new Set<number>()
      for (let entry: Entry | null = pair.first; entry && entry !== pair.last.next; entry = entry.next) {
        for (let call = entry.call; call < entry.call + entry.calls; call++) open.add(call)
      }
      for (let entry: Entry | null = first; entry; ) {
        const next: Entry | null = entry === last ? null : entry.next
        if (entry.role === 'tool' && open.has(entry.call)) window.replace(entry, missing)
        else window.drop(entry, entry)
        entry = next
      }
      dropBrokenPairs(window, answered)
    }

    return {
      message(window, entry) {
        usage.message(window, entry)
        calls.message(entry)
        if (entry.role !== 'tool') return
        answered.add(entry.call)
        const call = calls.of(entry)
        const input = call?.input as { readonly path?: unknown; readonly file_path?: unknown } | null | undefined
        const path = call && readTools.has(call.name) ? (input?.path ?? input?.file_path) : undefined
        if (typeof path !== 'string') return
        const earlier = reads.get(path)
        if (earlier) earlier.push(entry)
        else reads.set(path, [entry])
      },
      request(window) {
        const most = allowed(window.budget)
        if (usage.tokens === 0 || usage.tokens < most) return
        usage.reset()
        const before = window.tokens - window.preambleTokens
        if (clearReadsAgain(window) < enough * before) truncate(window, most)
      },
    }
  },
})
