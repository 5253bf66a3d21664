/**
 * `as-recorded`: what the recorded agent did itself. Where its transcript shows a compaction, the same messages leave and
 * the same summary comes in their place; nothing else happens, whatever the budget. A row to compare the others with:
 * for every other policy the history is what was really said, without the recorder's summaries.
 *
 * Law: sticky; what the agent broke stays broken.
 */
import { definePolicy, type Entry } from './policy.ts'

export default definePolicy({
  name: 'as-recorded',
  summary: 'replay the compactions that the recorded agent did itself',
  source: 'the transcript',
  params: {},
  kind: 'sticky',
  monotone: true,
  wholePairs: false,
  inserts: true,
  text: false,
  summariesShareThePrompt: true,
  start(_values, { compactions }) {
    let next = 0
    return {
      request(window, { messages }) {
        for (
          let compaction = compactions[next];
          compaction && compaction.at <= messages;
          compaction = compactions[++next]
        ) {
          let kept: Entry | null = window.first
          while (kept && kept.index < compaction.keptFrom) kept = kept.next
          const last = kept ? kept.previous : window.last
          const [summary, ...more] = compaction.summary.map(({ role, blocks }) => ({ role, blocks }))
          if (summary && window.first && last) window.summarise(window.first, last, summary)
          else if (window.first && last) window.drop(window.first, last)
          for (const message of more) window.insert(kept, message)
        }
      },
    }
  },
})
