/**
 * `as-recorded`: what the recorded agent did itself. At a recorded compaction, the same messages leave, and the
 * recorded summary and what the agent restored replace them; where it cleared tool results, the same results are
 * cleared. Nothing else happens, whatever the budget. Where recorded usage shows that the context was larger or
 * smaller, the difference is inserted or removed: the oldest tool results first, as agents do. It is there to compare
 * other policies with: for them the history is the whole conversation, without the agent's own summaries.
 *
 * Law: sticky. Pairs that the agent broke stay broken.
 */
import { definePolicy } from './catalogue/define-policy.ts'
import type { Entry, Moment, PolicyContext, PolicyRun, Window } from './policy.ts'

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
  start(_values, context) {
    const { compactions, clearings, recounts } = context
    // A run without occasions edits nothing, and a replay without edits is cheaper.
    return compactions.length + clearings.length + recounts.length === 0 ? {} : new AsRecordedRun(context)
  },
})

class AsRecordedRun implements PolicyRun {
  readonly #compactions: PolicyContext['compactions']
  readonly #clearings: PolicyContext['clearings']
  readonly #recounts: PolicyContext['recounts']
  /** How many of each are behind. */
  #compacted = 0
  #cleared = 0
  #counted = 0
  /** What the agent restored after the last compaction. */
  #restored: Entry[] = []
  #isNew = true

  constructor({ compactions, clearings, recounts }: PolicyContext) {
    this.#compactions = compactions
    this.#clearings = clearings
    this.#recounts = recounts
  }

  request(window: Window, { messages }: Moment): void {
    if (this.#isNew) this.#skip(window.first?.index ?? messages)
    for (
      let clearing = this.#clearings[this.#cleared];
      clearing && clearing.at <= messages;
      clearing = this.#clearings[++this.#cleared]
    ) {
      // Compactions before the clearing come first; one at the same place came after it.
      this.#compact(window, clearing.at - 1)
      for (let entry = window.first; entry; entry = entry.next) {
        const left = clearing.left.get(entry.index)
        if (left) window.replace(entry, left)
      }
      if (!clearing.restored) continue
      for (const entry of this.#restored) window.drop(entry, entry)
      this.#restored = []
    }
    this.#compact(window, messages)
    while ((this.#recounts[this.#counted]?.at ?? Infinity) < messages) this.#counted++
    const recount = this.#recounts[this.#counted]
    if (recount?.at === messages) this.#settle(window, recount.input)
  }

  /**
   * The context was what the provider counted: what is too much leaves, oldest results first, and what lacks comes in.
   */
  #settle(window: Window, input: number): void {
    while (window.tokens > input && this.#restored.length > 0) {
      const entry = this.#restored.pop() as Entry
      window.drop(entry, entry)
    }
    for (let entry = window.first; entry && window.tokens > input; entry = entry.next) {
      if (entry.index >= 0 && entry.role === 'tool') window.replace(entry, [])
    }
    const missing = input - window.tokens
    if (missing <= 0) return
    let place = window.first
    while (place && place.index < 0) place = place.next
    this.#restored.push(window.insert(place, unknown, missing))
  }

  /** Skips what was done to the history before message `from`, which is gone. */
  #skip(from: number): void {
    const isGone = (one: { readonly at: number } | undefined) => from > 0 && one !== undefined && one.at <= from
    while (isGone(this.#compactions[this.#compacted])) this.#compacted++
    while (isGone(this.#clearings[this.#cleared])) this.#cleared++
    this.#isNew = false
  }

  #compact(window: Window, to: number): void {
    for (
      let compaction = this.#compactions[this.#compacted];
      compaction && compaction.at <= to;
      compaction = this.#compactions[++this.#compacted]
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
      this.#restored = (compaction.restored ?? []).map(({ role, blocks }) => window.insert(kept, { role, blocks }))
    }
  }
}
