/**
 * The whole history: the requests if nothing were ever pruned. It gives the `full` figures of every run, and is the window
 * of a policy that never edits, for which no list of messages is needed.
 */
import type { Sent } from '../measures/measure.ts'
import { Exchanges } from '../model/exchanges.ts'
import type { Role } from '../model/message.ts'
import { joinOf, type Sizes, unitsBefore } from '../model/sizes.ts'
import type { Trace } from '../model/trace.ts'
import type { Contents, InsideMessage } from './contents.ts'

export class WholeHistory implements Sent, Contents {
  count = 0
  readonly edits = 0
  readonly addedEmpty = 0
  readonly pairs = { orphanResults: 0, orphanCalls: 0 }
  firstRole: Role | null = null
  readonly lostLatestUser = false
  readonly sequence = null
  readonly presence = null
  readonly #trace: Trace
  readonly #sizes: Sizes
  readonly #sums: Float64Array
  /** Index of its first message. */
  #from = 0

  constructor(trace: Trace, sizes: Sizes) {
    this.#trace = trace
    this.#sizes = sizes
    this.#sums = unitsBefore(trace, sizes)
  }

  get sentTokens(): number {
    const sizes = this.#sizes
    const from = this.#from
    if (this.count === 0) return sizes.tokens(sizes.preamble)
    const place = sizes.joins.first - joinOf(sizes.joins, false, this.#trace.continues(from))
    const messages = (this.#sums[from + this.count] as number) - (this.#sums[from] as number)
    return sizes.tokens(sizes.preamble + messages + place)
  }

  append(index: number): void {
    this.count++
    if (this.firstRole !== null) return
    const role = this.#trace.role(index)
    if (role !== 'system') this.firstRole = role
  }

  /** The history starts anew. */
  clear(): void {
    this.#from += this.count
    this.count = 0
    this.firstRole = null
  }

  exchanges(): Set<number> {
    const exchanges = new Exchanges(this.#trace)
    const inside = new Set<number>()
    for (let index = this.#from; index < this.#from + this.count; index++) inside.add(exchanges.holding(index))
    return inside
  }

  messages(): InsideMessage[] {
    const exchanges = new Exchanges(this.#trace)
    const end = this.#from + this.count
    return (this.#trace.messages ?? []).slice(this.#from, end).map((message, at) => {
      const index = this.#from + at
      return {
        index,
        exchange: exchanges.holding(index),
        message,
        replaced: false,
        joined: at > 0 && this.#trace.continues(index),
        size: this.#sizes.of(index),
      }
    })
  }
}
