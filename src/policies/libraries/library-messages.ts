/** Messages as most libraries have them: the results that follow one another are one message. */
import type { Entry, Window } from '../policy.ts'
import { entriesFrom } from '../primitives/drop-steps.ts'

export type LibraryMessage = readonly [Entry, ...Entry[]]

/** The messages inside, from `first` on. Costs O(entries). */
export function libraryMessages(first: Entry | null): LibraryMessage[] {
  const messages: [Entry, ...Entry[]][] = []
  for (const entry of entriesFrom(first)) {
    const last = messages.at(-1)
    // Results that became neighbours because a message between them left are still two messages.
    const follows = last?.[0].role === 'tool' && entry.index === (last.at(-1) as Entry).index + 1
    if (last && entry.role === 'tool' && follows) last.push(entry)
    else messages.push([entry])
  }
  return messages
}

export function dropAll(window: Window, messages: readonly LibraryMessage[]): void {
  for (const message of messages) for (const entry of message) window.drop(entry, entry)
}

/** How many messages are inside, as a library counts them. */
export class MessageCount {
  count = 0
  #last: Entry | null = null

  /** A message has come behind all others. */
  message(entry: Entry): void {
    if (entry.role !== 'tool' || this.#last?.role !== 'tool') this.count++
    this.#last = entry
  }
}
