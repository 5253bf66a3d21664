/**
 * `as-recorded`: what the recorded agent did itself. At a recorded compaction, the same messages leave, and the recorded
 * summary and what the agent restored replace them; where it cleared tool results, the same results are cleared. Nothing
 * else happens, whatever the budget. Where recorded usage shows that the context was larger or smaller, the difference is
 * inserted or removed: the oldest tool results first, as agents do. It is there to compare other policies with: for them
 * the history is the whole conversation, without the agent's own summaries.
 *
 * Law: sticky. Pairs that the agent broke stay broken.
 */
import { definePolicy } from './catalogue/define-policy.ts'
import type { Entry, Window } from './policy.ts'

const unknown = {
  role: 'user',
  blocks: [{ type: 'text', text: '[what the agent put in here is not recorded]' }],
} as const

export default definePolicy({
  name: 'as-recorded',
  summary: 'replay the compactions that the recorded agent did itself',
  source: 'the transcript',
  monotone: true,
  inserts: true,
  budgetless: true,
  repeats: true,
  summariesShareThePrompt: true,
  start(_values, { compactions, clearings, recounts }) {
    // Without occasions nothing is edited, and a replay without edits is cheaper.
    if (compactions.length + clearings.length + recounts.length === 0) return {}
    let [compacted, cleared, counted] = [0, 0, 0]
    /** What the agent restored after the last compaction. */
    let restored: Entry[] = []
    let isNew = true
    return {
      request(window, { messages }) {
        if (isNew) skip(window.first?.index ?? messages)
        for (let clearing = clearings[cleared]; clearing && clearing.at <= messages; clearing = clearings[++cleared]) {
          // Compactions before the clearing come first; one at the same place came after it.
          compact(window, clearing.at - 1)
          for (let entry = window.first; entry; entry = entry.next) {
            const left = clearing.left.get(entry.index)
            if (left) window.replace(entry, left)
          }
          if (!clearing.restored) continue
          for (const entry of restored) window.drop(entry, entry)
          restored = []
        }
        compact(window, messages)
        while (recounts[counted] && recounts[counted]!.at < messages) counted++
        if (recounts[counted]?.at === messages) settle(window, recounts[counted]!.input)
      },
    }

    /** The context was what the provider counted: what is too much leaves, oldest results first, and what lacks comes in. */
    function settle(window: Window, input: number): void {
      while (window.tokens > input && restored.length > 0) {
        const entry = restored.pop() as Entry
        window.drop(entry, entry)
      }
      for (let entry = window.first; entry && window.tokens > input; entry = entry.next) {
        if (entry.index >= 0 && entry.role === 'tool') window.replace(entry, [])
      }
      const missing = input - window.tokens
      if (missing <= 0) return
      let place = window.first
      while (place && place.index < 0) place = place.next
      restored.push(window.insert(place, unknown, missing))
    }

    /** Skips what was done to the history before message `from`, which is gone. */
    function skip(from: number): void {
      while (from > 0 && compactions[compacted] && compactions[compacted]!.at <= from) compacted++
      while (from > 0 && clearings[cleared] && clearings[cleared]!.at <= from) cleared++
      isNew = false
    }

    function compact(window: Window, to: number): void {
      for (
        let compaction = compactions[compacted];
        compaction && compaction.at <= to;
        compaction = compactions[++compacted]
      ) {
        let kept: Entry | null = window.first
        while (kept && kept.index < compaction.keptFrom) kept = kept.next
        const last = kept ? kept.previous : window.last
        if (compaction.head) {
          let first: Entry | null = window.first
          for (const left = compaction.restored?.length ?? 0; first && first.index < left; ) first = first.next
          if (first && last && first.index <= last.index) window.drop(first, last)
          continue
        }
        const [summary, ...more] = compaction.summary.map(({ role, blocks }) => ({ role, blocks }))
        if (summary && window.first && last) window.summarise(window.first, last, summary)
        else {
          if (window.first && last) window.drop(window.first, last)
          if (summary) window.insert(kept, summary)
        }
        for (const message of more) window.insert(kept, message)
        restored = (compaction.restored ?? []).map(({ role, blocks }) => window.insert(kept, { role, blocks }))
      }
    }
  },
})
