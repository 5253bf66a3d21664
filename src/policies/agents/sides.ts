/**
 * The messages as programs hold them that know only two roles: what the model said, and what came back, tool results
 * and words of the user together, take turns.
 */
import type { Entry, Window } from '../policy.ts'

/** One message of such a program: its entries, from the first to the last. */
export interface Side {
  readonly first: Entry
  readonly last: Entry
  readonly isAssistant: boolean
}

export function sidesOf(window: Window): Side[] {
  const sides: Side[] = []
  let [first, last]: [Entry | null, Entry | null] = [null, null]
  for (let entry = window.first; entry; entry = entry.next) {
    const isOther = first && (entry.role === 'assistant') !== (first.role === 'assistant')
    // An inserted message counts as a message of its own.
    if (first && last && (isOther || entry.index < 0 || last.index < 0)) {
      sides.push({ first, last, isAssistant: first.role === 'assistant' })
      first = null
    }
    first ??= entry
    last = entry
  }
  if (first && last) sides.push({ first, last, isAssistant: first.role === 'assistant' })
  return sides
}
