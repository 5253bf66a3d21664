/** Results whose call has left. Calls whose results have left stay: see each policy's header. */
import type { Entry, Window } from '../policy.ts'
import { entriesFrom } from '../primitives/drop-steps.ts'

/** Drops them. Costs O(entries inside). */
export function dropBrokenResults(window: Window): void {
  const made = new Set<number>()
  const broken: Entry[] = []
  for (const entry of entriesFrom(window.first)) {
    for (let call = entry.call; entry.calls > 0 && call < entry.call + entry.calls; call++) made.add(call)
    if (entry.role === 'tool' && entry.call >= 0 && !made.has(entry.call)) broken.push(entry)
  }
  for (const entry of broken) window.drop(entry, entry)
}
