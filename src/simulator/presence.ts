/**
 * Tells of each message of the transcript whether it is in the window as recorded, in the window with other content, or
 * gone, and before which message it left. It takes four bytes per message and is updated as messages enter and leave,
 * so measures need not walk the window.
 */
import { Column } from '../base/column.ts'
import type { Presence } from '../measures/measure.ts'
import type { Message } from '../model/message.ts'
import type { Trace } from '../model/trace.ts'
import type { Entry } from '../policies/policy.ts'

const inside = -1

export class Places implements Presence {
  pruned = false
  returns = 0
  readonly replaced: number[] = []
  readonly moved: { message: Message; by: 1 | -1 }[] = []
  /** Of each message that has come: before which one it left last, or `inside`. */
  readonly #left = Column.int32()
  readonly #replaced = new Map<number, Entry>()
  readonly #inserted = new Set<Entry>()
  readonly #trace: Trace
  readonly #first: () => Entry | null

  /** @param first returns the current first item of the window */
  constructor(trace: Trace, first: () => Entry | null) {
    this.#trace = trace
    this.#first = first
  }

  get from(): number {
    let item = this.#first()
    while (item && item.index < 0) item = item.next
    return item ? item.index : this.#trace.length
  }

  has(index: number): boolean {
    return this.#left.at(index) === inside
  }

  leftBefore(index: number): number {
    return this.#left.at(index)
  }

  replacement(index: number): Message | null {
    return this.#replaced.size === 0 ? null : (this.#replaced.get(index)?.message ?? null)
  }

  /** The item enters the window (`by` 1) or leaves it (`by` -1). */
  move({ index }: Entry, by: 1 | -1): void {
    if (index < 0) return
    while (this.#left.length <= index) this.#left.push(0)
    this.#left.set(index, by === 1 ? inside : this.#left.length)
  }

  /** @param before its content until now */
  replace(item: Entry, before: Message): void {
    this.pruned = true
    if (item.index < 0) {
      if (this.#inserted.has(item)) this.moved.push({ message: before, by: -1 })
      this.#bringIn(item)
    } else {
      this.#replaced.set(item.index, item)
      this.replaced.push(item.index)
    }
  }

  /** The item has its recorded content again, or is inside again. */
  restore(item: Entry): void {
    this.returns++
    this.#replaced.delete(item.index)
  }

  insert(item: Entry): void {
    this.pruned = true
    this.#bringIn(item)
  }

  drop(item: Entry): void {
    this.pruned = true
    this.#takeOut(item)
  }

  clear(): void {
    this.#replaced.clear()
    for (const item of this.#inserted) this.#takeOut(item)
  }

  #bringIn(item: Entry): void {
    this.#inserted.add(item)
    if (item.message) this.moved.push({ message: item.message, by: 1 })
  }

  #takeOut(item: Entry): void {
    if (this.#inserted.delete(item) && item.message) this.moved.push({ message: item.message, by: -1 })
  }
}
