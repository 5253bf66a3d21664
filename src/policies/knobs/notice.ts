/** A notice in place of the messages that left, renewed as more leave. */
import type { Entry, Inserted, Window } from '../policy.ts'

export class GapNotice {
  #entry: Entry | null = null
  /** Index of the newest message that left. */
  #newest = -1

  /** An entry has left. */
  left({ index }: Entry): void {
    this.#newest = Math.max(this.#newest, index)
  }

  remove(window: Window): void {
    if (this.#entry?.inside) window.drop(this.#entry, this.#entry)
    this.#entry = null
  }

  /** Costs O(entries in front of the gap). */
  set(window: Window, message: Inserted): void {
    let before = window.first
    while (before && before.index <= this.#newest) before = before.next
    this.#entry = window.insert(before, message)
  }

  forget(): void {
    this.#entry = null
    this.#newest = -1
  }
}
