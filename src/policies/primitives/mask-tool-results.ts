/**
 * `mask-tool-results`: keeps the first `keepFirst` and the last `keepLast` tool results, and replaces each of those
 * between by a line that says how long its text was, at four bytes per token (duragent, layer 3b, "Observation
 * Masking"). The calls stay. If both are 0, nothing is masked. `scope=exchange` is duragent's layer: each exchange
 * counts its own results; `scope=all` counts them all.
 *
 * `when=always` is duragent's rule. It changes the middle of the request at almost every step, which breaks the prompt
 * cache. `when=over` waits until a request is over budget, and then masks, oldest first, down to `target` of it.
 *
 * A result is masked once, so the number in the line stays. (`duragent-shipped` masks its own lines again.)
 * Law: whole pairs, sticky. Not monotone: what is masked depends on the number of results, not on what fits.
 */
import { choice, integer } from '../../base/param.ts'
import { type Message, textOf } from '../../model/message.ts'
import { definePolicy } from '../catalogue/define-policy.ts'
import type { Entry, Window } from '../policy.ts'
import { estimateTokens } from '../text.ts'
import { lowWater, target } from '../watermark.ts'

/** The range of results to mask, of `count` in all; `to` is exclusive, and an empty range means none. */
export function maskedRange(count: number, keepFirst: number, keepLast: number): { from: number; to: number } {
  if ((keepFirst === 0 && keepLast === 0) || count <= keepFirst + keepLast) return { from: 0, to: 0 }
  return { from: keepFirst, to: count - keepLast }
}

/** The line that replaces a result of that many tokens. */
export function maskText(tokens: number | '{tokens}'): string {
  return `[result masked — ~${tokens} tokens removed]`
}

/** Puts the line in the place of a result. */
export function maskResult(window: Window, entry: Entry): void {
  window.replace(entry, maskText(estimateTokens(textOf(entry.message as Message))))
}

export const maskParams = {
  keepFirst: integer({ default: 2, min: 0, help: 'first tool results that are not masked' }),
  keepLast: integer({ default: 5, min: 0, help: 'last tool results that are not masked' }),
} as const

export default definePolicy({
  name: 'mask-tool-results',
  aliases: ['mask-results'],
  summary: 'replace each tool result between the first and the last few by one line',
  source: 'duragent, Context Window Management, sub-layer 3b',
  params: {
    ...maskParams,
    scope: choice({
      default: 'exchange',
      of: ['exchange', 'all'],
      help: 'which results: of the current exchange, or all',
    }),
    when: choice({
      default: 'always',
      of: ['always', 'over'],
      help: 'when it acts: at each request, or only over the budget',
    }),
    target,
  },
  wholePairs: true,
  text: true,
  start({ keepFirst, keepLast, scope, when, target }) {
    let results: Entry[] = []
    let done = 0
    return {
      message(_window, entry) {
        if (scope === 'exchange' && entry.isPrompt) {
          results = []
          done = 0
        }
        if (entry.role === 'tool') results.push(entry)
      },
      request(window) {
        const goal = when === 'over' ? lowWater(window, target) : -1
        if (goal === null) return
        const { from, to } = maskedRange(results.length, keepFirst, keepLast)
        for (done = Math.max(done, from); done < to && window.tokens > goal; done++) {
          const entry = results[done] as Entry
          if (entry.inside) maskResult(window, entry)
        }
      },
    }
  },
})
