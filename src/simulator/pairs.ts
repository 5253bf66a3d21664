/**
 * Counts the tool results in the window without their call, and the calls without their results. The counts are updated
 * as messages enter and leave, because searching the whole window before each request would be quadratic.
 */
import type { Trace } from '../model/trace.ts'

export class Pairs {
  /** Results inside the window without their call. */
  orphanResults = 0
  /** Calls inside the window without a result. */
  orphanCalls = 0
  readonly #made: Uint8Array
  readonly #answers: Uint8Array
  readonly #trace: Trace

  constructor(trace: Trace) {
    this.#trace = trace
    this.#made = new Uint8Array(trace.calls)
    this.#answers = new Uint8Array(trace.calls)
  }

  /** Transcript message `index` enters the window (`by` 1) or leaves it (`by` -1). */
  move(index: number, by: 1 | -1): void {
    const role = this.#trace.role(index)
    if (role === 'assistant') {
      const from = this.#trace.call(index)
      for (let call = from; call < from + this.#trace.callCount(index); call++) {
        this.#made[call] = by === 1 ? 1 : 0
        const answers = this.#answers[call] as number
        if (answers === 0) this.orphanCalls += by
        else this.orphanResults -= by * answers
      }
    } else if (role === 'tool') {
      const call = this.#trace.call(index)
      if (call < 0) {
        this.orphanResults += by
        return
      }
      const before = this.#answers[call] as number
      const after = before + by
      this.#answers[call] = after
      if (!this.#made[call]) this.orphanResults += by
      else if (before === 0 || after === 0) this.orphanCalls -= by
    }
  }
}
