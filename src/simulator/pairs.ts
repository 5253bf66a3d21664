/**
 * Counts the tool results in the window whose call has left it, and the calls whose results have: what the transcript
 * itself tore apart is not counted. The counts are updated as messages come, enter and leave, because searching the
 * whole window before each request would be quadratic.
 */
import { grown } from '../base/column.ts'
import type { Trace } from '../model/trace.ts'

export class Pairs {
  /** Results inside the window, without their call. */
  orphanResults = 0
  /** Calls inside the window, without any of the results that have come. */
  orphanCalls = 0
  /** By call, in the window and in the whole history: whether it was made, and how many results it has. */
  #made: Uint8Array
  #results: Uint8Array
  #everMade: Uint8Array
  #everResults: Uint8Array
  readonly #trace: Trace

  constructor(trace: Trace) {
    this.#trace = trace
    this.#made = new Uint8Array(trace.calls)
    this.#results = new Uint8Array(trace.calls)
    this.#everMade = new Uint8Array(trace.calls)
    this.#everResults = new Uint8Array(trace.calls)
  }

  /** Transcript message `index` has come: the whole history has it, wherever it goes. */
  come(index: number): void {
    if (this.#trace.calls > this.#made.length) this.#grow()
    this.#add(index, 1, this.#everMade, this.#everResults)
  }

  /** Transcript message `index` enters the window (`by` 1) or leaves it (`by` -1). */
  move(index: number, by: 1 | -1): void {
    this.#add(index, by, this.#made, this.#results)
  }

  /** Whether the call was made since the history last began. */
  wasMade(call: number): boolean {
    return this.#everMade[call] === 1
  }

  /** Whether the call was made, and is not inside any more. */
  hasLeft(call: number): boolean {
    return this.#everMade[call] === 1 && this.#made[call] === 0
  }

  /** Of the calls of message `index`, which is inside, only those are left that `isKept` names by their place in it. */
  keep(index: number, isKept: (place: number) => boolean): void {
    const from = this.#trace.call(index)
    for (let place = 0; place < this.#trace.callCount(index); place++) {
      this.#count(from + place, -1)
      this.#made[from + place] = isKept(place) ? 1 : 0
      this.#count(from + place, 1)
    }
  }

  /** The trace has more calls than it had: it is still being written. */
  #grow(): void {
    const { calls } = this.#trace
    this.#made = grown(this.#made, calls)
    this.#results = grown(this.#results, calls)
    this.#everMade = grown(this.#everMade, calls)
    this.#everResults = grown(this.#everResults, calls)
  }

  #add(index: number, by: 1 | -1, made: Uint8Array, results: Uint8Array): void {
    const role = this.#trace.role(index)
    if (role === 'assistant') {
      const from = this.#trace.call(index)
      for (let call = from; call < from + this.#trace.callCount(index); call++) {
        this.#count(call, -1)
        made[call] = by === 1 ? 1 : 0
        this.#count(call, 1)
      }
    } else if (role === 'tool') {
      const call = this.#trace.call(index)
      // No call for this result was ever recorded.
      if (call < 0) return
      this.#count(call, -1)
      results[call] = (results[call] as number) + by
      this.#count(call, 1)
    }
  }

  #count(call: number, by: 1 | -1): void {
    const results = this.#results[call] as number
    if (!this.#made[call]) {
      if (this.#everMade[call]) this.orphanResults += by * results
    } else if (results === 0 && this.#everResults[call]) this.orphanCalls += by
  }
}
