/**
 * `haystack-window`: the sliding window of Haystack's agents. From `compactAt` of the model's window on (`>=`), the
 * oldest exchanges leave until the request has at most `compactTo` of it; of the last exchange, which stays with its
 * prompt, the oldest steps leave if that is not enough, but never the newest. A note of the user's says how many
 * messages left: in front, or behind the last prompt if steps of its own left. A later note takes the place of an
 * earlier one, and counts it, too.
 *
 * The note is not counted when the program decides what leaves. If nothing could leave but an earlier note, nothing
 * does.
 *
 * Law: whole pairs, sticky. Worked example, window 100, exchanges of 30 tokens: 60 go out, 90 are cut to the newest
 * one.
 */
import { flag, number } from '../../base/param.ts'
import { definePolicy } from '../catalogue/define-policy.ts'
import type { Entry } from '../policy.ts'
import { firstCut } from '../primitives/drop-oldest.ts'
import { dropOldestSteps, entriesFrom, stepsOf } from '../primitives/drop-steps.ts'

export default definePolicy({
  name: 'haystack-window',
  version: '2',
  summary: 'near the end of the window, drop exchanges, then steps, until far less is left',
  source: 'deepset-ai/haystack 5ea4c946, haystack/hooks/compaction (2026)',
  ownBudget: 'window',
  trigger: "the model's window; acts at `compactAt` of it",
  unlike: '`drop-oldest:target=…` acts above the budget and never takes steps out of the last exchange',
  params: {
    compactAt: number({ default: 0.7, min: 0, max: 1, help: 'share of the window at which it acts' }),
    compactTo: number({ default: 0.4, min: 0, max: 1, help: 'share of the window that it leaves' }),
    note: flag({ default: true, help: 'insert a note that says how many messages left' }),
  },
  wholePairs: true,
  inserts: true,
  turnOn: ({ compactAt, compactTo, note }, budget) => ({
    file: 'your code, with Haystack, in Agent(…)',
    text: `hooks={"before_llm": [CompactionHook(compactor=SlidingWindowCompactor(${note ? '' : 'omission_note=None'}), context_window=${budget}, compact_at=${compactAt}, compact_to=${compactTo})]}`,
  }),
  start({ compactAt, compactTo, note }) {
    let latest: Entry | null = null
    return {
      request(window) {
        if (window.tokens < window.budget * compactAt) return
        const before = window.omitted
        const goal = Math.floor(window.budget * compactTo)
        // An earlier note leaves in any case, but not alone.
        const isOver = () => window.tokens - (latest?.inside ? window.tokensOf(latest, latest) : 0) > goal
        for (let last = firstCut(window, 1); last && window.first && isOver(); last = firstCut(window, 1)) {
          window.drop(window.first, last)
        }
        const prompt = window.newestExchange?.first ?? null
        const exchanges = window.omitted
        if (isOver()) dropOldestSteps(window, stepsOf(entriesFrom(prompt)), isOver, 1)
        if (window.omitted === before || !note) return
        const count = window.omitted - before + (latest ? 1 : 0)
        if (latest?.inside) window.drop(latest, latest)
        const text = `[${count} earlier messages were removed from this conversation to free up context and cannot be recovered.]`
        const place = window.omitted > exchanges && prompt?.isPrompt ? prompt.next : window.first
        latest = window.insert(place, { role: 'user', blocks: [{ type: 'text', text }] })
      },
    }
  },
})
