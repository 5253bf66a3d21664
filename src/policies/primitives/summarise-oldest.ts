/**
 * `summarise-oldest`: once over budget, the oldest exchanges, as many as it takes, are replaced by one summary, and later
 * summaries swallow the earlier ones. What the model would write is not known here, so a placeholder stands for it that
 * is counted as `tokens` tokens, or as what it replaces where that is less: no summary is longer than the text.
 * Law: whole pairs, sticky. Not monotone: a larger budget cuts later, and then may cut more.
 */
import { choice, integer } from '../../base/param.ts'
import { definePolicy, type Entry, type Window, type WindowExchange } from '../policy.ts'
import { lowWater, target } from '../watermark.ts'

/** Replaces a range by a placeholder of at most `tokens` tokens. */
export function summariseRange(
  window: Window,
  from: Entry,
  to: Entry,
  { role, tokens }: { readonly role: 'user' | 'assistant'; readonly tokens: number },
): Entry {
  const size = Math.min(tokens, window.tokensOf(from, to))
  return window.summarise(from, to, { role, blocks: [{ type: 'text', text: `[summary, ${size} tokens]` }] }, size)
}

export default definePolicy({
  name: 'summarise-oldest',
  summary: 'replace the oldest exchanges by a summary of so many tokens, while over budget',
  source: 'forge, Agent Context Sliding Window Compaction; claude-code and codex compaction',
  params: {
    tokens: integer({ default: 2000, min: 1, help: 'tokens of the summary' }),
    keepLast: integer({ default: 1, min: 1, help: 'newest exchanges that are never summarised' }),
    role: choice({ default: 'user', of: ['user', 'assistant'], help: 'whose message the summary is' }),
    target,
  },
  kind: 'sticky',
  monotone: false,
  wholePairs: true,
  inserts: true,
  text: false,
  start: ({ tokens, keepLast, role, target }) => ({
    request(window) {
      const goal = lowWater(window, target)
      const from = window.first
      let exchange: WindowExchange | null = window.oldestExchange
      if (goal === null || !from || !exchange) return
      let read = exchange.first === from ? 0 : window.tokensOf(from, exchange.first.previous ?? from)
      let to: Entry | null = null
      for (let left = window.exchangeCount; left > keepLast && exchange; left--) {
        const next: WindowExchange | null = window.nextExchange(exchange)
        const last: Entry | null = next?.first.previous ?? window.last
        if (!last) break
        read += window.tokensOf(exchange.first, last)
        to = last
        if (window.tokens - read + Math.min(tokens, read) <= goal) break
        exchange = next
      }
      if (to && read > tokens) summariseRange(window, from, to, { role, tokens })
    },
  }),
})
