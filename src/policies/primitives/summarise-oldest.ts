/**
 * `summarise-oldest`: once over budget, replaces as many of the oldest exchanges as necessary by one summary. A later
 * summary includes the earlier one. The text that a model would write is not known, so a placeholder is counted as
 * `tokens` tokens, or as the size of what it replaces if that is less: no summary is longer than its text.
 * Law: whole pairs, sticky. Not monotone: a larger budget cuts later, and then may cut more.
 */
import { choice, integer } from '../../base/param.ts'
import { definePolicy } from '../catalogue/define-policy.ts'
import type { Entry, Window } from '../policy.ts'
import { lowWater, target } from '../watermark.ts'
import { cutsOf } from './drop-oldest.ts'

export interface Placeholder {
  readonly role: 'user' | 'assistant'
  readonly tokens: number
  /** Entries that stay, in front of the summary. */
  readonly keeps?: (entry: Entry) => boolean
}

/** Replaces a range by a placeholder of at most `tokens` tokens. */
export function summariseRange(window: Window, from: Entry, to: Entry, { role, tokens, keeps }: Placeholder): Entry {
  const size = Math.min(tokens, window.tokensOf(from, to))
  const blocks = [{ type: 'text', text: `[summary, ${size} tokens]` }] as const
  return window.summarise(from, to, { role, blocks }, size, keeps)
}

export default definePolicy({
  name: 'summarise-oldest',
  summary: 'replace the oldest exchanges by a summary of a set size, while over budget',
  source: 'forge, Agent Context Sliding Window Compaction; claude-code and codex compaction',
  params: {
    tokens: integer({ default: 2000, min: 1, help: 'tokens of the summary' }),
    keepLast: integer({ default: 1, min: 1, help: 'newest exchanges that are never summarised' }),
    role: choice({ default: 'user', of: ['user', 'assistant'], help: 'the role of the summary' }),
    target,
  },
  wholePairs: true,
  inserts: true,
  start({ tokens, keepLast, role, target }) {
    /** @returns whether it summarised anything */
    function summarise(window: Window): boolean {
      const goal = lowWater(window, target)
      const from = window.first
      if (goal === null || !from) return false
      const fits = (read: number) => window.tokens - read + Math.min(tokens, read) <= goal
      let read = 0
      let to: Entry | null = null
      for (const last of cutsOf(window, keepLast)) {
        read += window.tokensOf(to?.next ?? from, last)
        to = last
        if (fits(read)) {
          // Each part was rounded up; the whole may be less.
          read = window.tokensOf(from, last)
          if (fits(read)) break
        }
      }
      if (!to || read <= tokens) return false
      summariseRange(window, from, to, { role, tokens })
      return true
    }
    return {
      request(window) {
        // Once, as a rule: the total is rounded, too.
        while (summarise(window));
      },
    }
  },
})
