/**
 * When each message left the window: what `history` and `export` say of it comes from here, so that they say the same.
 * Which messages have left is told by a look at each request; when they left, by the window.
 */
import type { Sent } from '../measures/measure.ts'
import type { Leaving } from '../model/stored.ts'
import type { Trace } from '../model/trace.ts'

export class Leavings {
  /** For each index the latest recorded time of the messages before it, or NaN. */
  readonly times: Float64Array
  readonly #trace: Trace
  readonly #policy: string
  /** Of each message, the first request without it; -1 while it is inside, or is not there yet. */
  readonly #left: Int32Array
  /** Of each message that has left, the message before which it did. */
  readonly #before: Int32Array
  /** The user cleared the history in front of it. */
  readonly #cleared: Uint8Array
  /** As of the last look: all messages before `from` are outside for good; and the first message not looked at. */
  #from = 0
  #until = 0
  #edits = 0
  #returns = 0

  constructor(trace: Trace, policy: string) {
    this.#trace = trace
    this.#policy = policy
    this.times = latestTimes(trace)
    this.#left = new Int32Array(trace.length).fill(-1)
    this.#before = new Int32Array(trace.length)
    this.#cleared = new Uint8Array(trace.length)
  }

  /**
   * Compares the window with what it was at the last request. A policy that renders its view anew drops the same
   * messages before each request: they have been outside since the first of these.
   * @param next the message before which it looks
   */
  look(request: number, next: number, { presence, sequence }: Sent): void {
    // A response may itself begin the history anew.
    for (let index = this.#until; index <= next && index < this.#trace.length; index++) {
      if (!this.#trace.isReset(index)) continue
      for (let message = this.#from; message < index; message++) {
        if ((this.#left[message] as number) >= 0) continue
        this.#leave(message, request, index)
        this.#cleared[message] = 1
      }
      this.#from = index
    }
    this.#until = next + 1
    if (presence === null || sequence?.edits === this.#edits) return
    const back = presence.returns !== this.#returns
    // Messages that a policy never takes back are looked at once: a sliding window would otherwise take quadratic time.
    let from = back ? 0 : this.#from
    let outside = true
    for (let index = from; index < next; index++) {
      if (presence.has(index)) {
        outside = false
        this.#left[index] = -1
        this.#cleared[index] = 0
      } else {
        if ((this.#left[index] as number) < 0) this.#leave(index, request, presence.leftBefore(index))
        if (outside) from = index + 1
      }
    }
    this.#from = from
    this.#edits = sequence?.edits ?? 0
    this.#returns = presence.returns
  }

  of(index: number): Leaving {
    const request = this.#left[index] as number
    if (request < 0) return inside
    const by = this.#cleared[index] === 1 ? 'reset' : this.#policy
    return { request, time: known(this.times[this.#before[index] as number]), by }
  }

  /** When the last of the messages left; while one of them is inside, none has. */
  ofRange(from: number, to: number): Leaving {
    let last = from
    for (let index = from; index < to; index++) {
      if ((this.#left[index] as number) < 0) return inside
      if ((this.#before[index] as number) > (this.#before[last] as number)) last = index
    }
    return this.of(last)
  }

  #leave(message: number, request: number, before: number): void {
    this.#left[message] = request
    this.#before[message] = before
  }
}

/** For each index the latest recorded time of the messages before it, in milliseconds since the epoch, or NaN. */
function latestTimes(trace: Trace): Float64Array {
  const times = new Float64Array(trace.length + 1).fill(Number.NaN)
  for (let at = 0; at < trace.length; at++) times[at + 1] = known(trace.messages?.[at]?.time) ?? (times[at] as number)
  return times
}

export const inside: Leaving = { request: null, time: null, by: null }

export const known = (time: number | undefined): number | null =>
  time === undefined || !Number.isFinite(time) ? null : time
