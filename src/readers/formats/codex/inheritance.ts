/**
 * What a fork copies of its parent, before anything of its own.
 *
 * Newer versions number the lines, and say which is the first of the fork's own. Where they do not and the parent is read, too,
 * copies are known by the ids of their responses, and nothing here matters. Where the parent is not among the inputs, nothing in
 * a file tells the two parts apart but when it was written: copied lines one behind the other without a pause, or with the times that
 * they had in the parent, which are before the fork's. No response of a model comes as fast. Without that rule, such a fork would
 * pay for its parent.
 */
import { type JsonObject, objectOf, stringOf } from '../../../base/json.ts'
import { timeOf } from '../../wire/bodies.ts'

/** In milliseconds. */
const pause = 500

export interface PlainInheritance {
  /** The number of the first line of its own; null where lines have none. */
  readonly ordinal: number | null
  /** When the fork began, and when the newest line was written, in milliseconds since the epoch. */
  readonly begun: number
  readonly last: number
  /** A line of the parent has been seen. */
  readonly isFound: boolean
}

export class Inheritance {
  #plain: PlainInheritance

  constructor(plain: PlainInheritance) {
    this.#plain = plain
  }

  /** @returns null for a thread that inherits nothing */
  static of(head: JsonObject, time: number | undefined): Inheritance | null {
    const base = objectOf(head.history_base)?.end_ordinal_exclusive
    // Some versions write the number as text.
    const [ordinal = null] = [head.subagent_history_start_ordinal, base].map(Number).filter((number) => number >= 0)
    if (ordinal === null && parentOf(head) === undefined) return null
    const begun = time ?? Number.NEGATIVE_INFINITY
    return new Inheritance({ ordinal, begun, last: begun, isFound: false })
  }

  get plain(): PlainInheritance {
    return this.#plain
  }

  get isFound(): boolean {
    return this.#plain.isFound
  }

  get isNumbered(): boolean {
    return this.#plain.ordinal !== null
  }

  found(): void {
    this.#plain = { ...this.#plain, isFound: true }
  }

  /** Whether a line, which follows those that were asked about before, is the first of the fork's own. */
  endsBefore(line: JsonObject): boolean {
    const { ordinal, begun, last } = this.#plain
    const time = timeOf(line.timestamp) ?? last
    this.#plain = { ...this.#plain, last: Math.max(last, time) }
    return ordinal === null ? time >= begun && time - last > pause : Number(line.ordinal) >= ordinal
  }
}

/** The thread that a thread is a fork of, or a sub-agent. */
export function parentOf(head: JsonObject): string | undefined {
  const spawn = objectOf(objectOf(objectOf(head.source)?.subagent)?.thread_spawn)
  return [head.forked_from_id, head.parent_thread_id, spawn?.parent_thread_id].map(stringOf).find((id) => id)
}
