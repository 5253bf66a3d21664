/**
 * `mask-tool-results`: of the tool results, the first `keepFirst` and the last `keepLast` stay readable; those between are
 * replaced by a line that says how much was there (duragent, layer 3b, "Observation Masking"). The calls stay. Both 0 is
 * off. `scope=exchange` is the layer: each exchange counts its results anew; `scope=all` counts them all.
 *
 * `when=always` is the layer's rule, and it changes the middle of the request at almost every step, which no prompt cache
 * survives. `when=over` waits until the budget is passed, and then masks, oldest first, down to `target` of it.
 *
 * A result is masked once: the number in the line stays what it was. `duragent-shipped` masks its own lines again.
 * Law: whole pairs, sticky. Not monotone: what is masked depends on the count of results, not on what fits.
 */
import { choice, integer } from '../../base/param.ts'
import { definePolicy, type Entry } from '../policy.ts'
import { lowWater, target } from '../watermark.ts'

/** Which of `count` results are masked: half-open, empty when nothing is. */
export function maskedRange(count: number, keepFirst: number, keepLast: number): { from: number; to: number } {
  if ((keepFirst === 0 && keepLast === 0) || count <= keepFirst + keepLast) return { from: 0, to: 0 }
  return { from: keepFirst, to: count - keepLast }
}

/** What stands in place of a result of so many tokens. */
export function maskText(tokens: number): string {
  return `[result masked — ~${tokens} tokens removed]`
}

export const maskParams = {
  keepFirst: integer({ default: 2, min: 0, help: 'first tool results that stay readable' }),
  keepLast: integer({ default: 5, min: 0, help: 'last tool results that stay readable' }),
} as const

export default definePolicy({
  name: 'mask-tool-results',
  aliases: ['mask-results'],
  summary: 'replace the tool results between the first and the last few by a line each',
  source: 'duragent, Context Window Management, sub-layer 3b',
  params: {
    ...maskParams,
    scope: choice({ default: 'exchange', of: ['exchange', 'all'], help: 'results of the running exchange, or all' }),
    when: choice({ default: 'always', of: ['always', 'over'], help: 'at each request, or only over budget' }),
    target,
  },
  kind: 'sticky',
  monotone: false,
  wholePairs: true,
  text: true,
  start({ keepFirst, keepLast, scope, when, target }) {
    let results: Entry[] = []
    let done = 0
    const reset = () => {
      results = []
      done = 0
    }
    return {
      message(_window, entry) {
        if (scope === 'exchange' && entry.isPrompt) reset()
        if (entry.role === 'tool') results.push(entry)
      },
      request(window) {
        const goal = when === 'over' ? lowWater(window, target) : -1
        if (goal === null) return
        const { from, to } = maskedRange(results.length, keepFirst, keepLast)
        for (done = Math.max(done, from); done < to && window.tokens > goal; done++) {
          const entry = results[done] as Entry
          if (entry.inside) window.replace(entry, maskText(window.tokensOf(entry, entry)))
        }
      },
      reset,
    }
  },
})
