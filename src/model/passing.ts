/**
 * Hidden reasoning of models that drop it at the next prompt behind their answer: a message adds it to the requests of its
 * exchange, and to none after that.
 */
import { exact } from '../base/exact.ts'
import { findExchanges } from './exchanges.ts'
import type { Trace } from './trace.ts'

export class Passing {
  /** Units of the messages before each. */
  readonly #before: Float64Array
  /** By the end of a request: the first of its messages whose reasoning has not passed. */
  readonly #since: Int32Array

  /** @param of units of transcript message `index` that pass */
  constructor(trace: Trace, of: (index: number) => number) {
    this.#before = new Float64Array(trace.length + 1)
    this.#since = new Int32Array(trace.length + 1)
    for (const { to, state } of findExchanges(trace)) if (state === 'complete') this.#since[to + 1] = to
    for (let index = 0; index < trace.length; index++) {
      this.#before[index + 1] = this.#before[index]! + exact(of(index))
      this.#since[index + 1] ||= this.#since[index]!
    }
  }

  /** Of transcript message `index`. */
  of(index: number): number {
    return this.#units(index, index + 1)
  }

  /** The first message whose reasoning is still in a request with the messages before `end`. */
  since(end: number): number {
    return this.#since[end]!
  }

  /** Of the messages `from` to before `to`, in a request that ends with them. */
  inRequest(from: number, to: number): number {
    return this.#units(Math.min(to, Math.max(from, this.since(to))), to)
  }

  /** Whether it has passed between two requests. */
  hasPassed(to: number, end: number): boolean {
    return this.since(end) > this.since(to)
  }

  #units(from: number, to: number): number {
    return this.#before[to]! - this.#before[from]!
  }
}
