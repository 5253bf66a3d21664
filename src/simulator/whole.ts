/**
 * The whole history: the requests if nothing were ever pruned. It gives the `full` figures of every run, and is the
 * window of a policy that never edits, for which no list of messages is needed.
 */
import type { Sent } from '../measures/measure.ts'
import { Exchanges } from '../model/exchanges.ts'
import type { Role } from '../model/message.ts'
import { Growing, type HistorySizes, historySizes, type Sizes } from '../model/sizes.ts'
import type { Trace } from '../model/trace.ts'
import type { Contents, InsideMessage } from './contents.ts'

export class WholeHistory implements Sent, Contents {
  count = 0
  readonly edits = 0
  readonly addedEmpty = 0
  readonly stripped = 0
  readonly pairs = { orphanResults: 0, orphanCalls: 0 }
  firstRole: Role | null = null
  readonly hasLatestPrompt = true
  readonly sequence = null
  readonly presence = null
  readonly unwritten = new Map<never, never>()
  readonly #trace: Trace
  readonly #sizes: Sizes
  readonly #history: HistorySizes
  /** Index of its first message. */
  #from = 0
  #exchanges: Exchanges | null = null
  /** The first exchange that may have come or left since somebody asked. */
  #moved = -1

  constructor(trace: Trace, sizes: Sizes) {
    this.#trace = trace
    this.#sizes = sizes
    this.#history = historySizes(trace, sizes)
  }

  get sentTokens(): number {
    const { tokens, preamble } = this.#sizes
    return tokens(preamble + this.#history.request(this.#from, this.#from + this.count))
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

  holds(exchange: number): boolean {
    return this.count > 0 && exchange >= this.#holding(this.#from) && exchange <= this.#latest
  }

  takeMoved(): number[] {
    const from = this.#moved
    this.#moved = this.#holding(this.#from)
    return Array.from({ length: Math.max(0, this.#latest + 1 - from) }, (_, at) => from + at)
  }

  /** The exchange of the newest message, even if that is gone. */
  get #latest(): number {
    return this.#holding(this.#from + this.count - 1)
  }

  #holding(index: number): number {
    this.#exchanges ??= new Exchanges(this.#trace)
    return this.#exchanges.holding(index)
  }

  messages(): InsideMessage[] {
    const end = this.#from + this.count
    const growing = new Growing(this.#sizes.joins)
    return (this.#trace.messages ?? []).slice(this.#from, end).map((message, at) => {
      const index = this.#from + at
      return {
        index,
        exchange: this.#holding(index),
        message,
        replaced: false,
        units: growing.add(this.#trace.shape(index), this.#sizes.of(index)),
      }
    })
  }
}
