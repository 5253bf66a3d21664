/**
 * Sizes that learn from the usage of the responses so far, and from nothing that comes later: the tokens of a request are what
 * the provider counted for the one before it, and for what came since, the estimate times the ratio that held so far.
 */
import type { Message } from '../model/message.ts'
import type { Joins, Sizes } from '../model/sizes.ts'

/** Estimated tokens for which the ratio counts as 1 before any usage is known: what came before is worth as much as that. */
const prior = 4_000
/** How far usage is believed against the estimate: beyond it something else than these messages was counted. */
const bounds = [0.5, 2] as const

/** A request that the provider counted. */
interface Counted {
  /** Estimated tokens of its messages, without what stands in front of them. */
  readonly messages: number
  /** Tokens of the whole input. */
  readonly input: number
}

export class LearnedSizes implements Sizes {
  preamble: number
  readonly joins: Joins
  readonly #sizes: Sizes
  #ratio = 1
  #grown = { estimated: prior, counted: prior }
  #latest: Counted | null = null

  constructor(sizes: Sizes) {
    this.#sizes = sizes
    this.preamble = sizes.preamble
    this.joins = sizes.joins
  }

  of(index: number): number {
    return this.#sizes.of(index)
  }

  message(message: Message): number {
    return this.#sizes.message(message)
  }

  tokens(units: number): number {
    const tokens = this.#sizes.tokens(units)
    return this.#ratio === 1 ? tokens : Math.ceil(tokens * this.#ratio)
  }

  units(tokens: number): number {
    return this.#sizes.units(tokens / this.#ratio)
  }

  /**
   * The provider has counted a request.
   * @param units of its messages
   * @param input tokens of the whole
   * @returns by how many units more than before stands in front of the messages
   */
  learn(units: number, input: number): number {
    const messages = this.#sizes.tokens(units)
    const before = this.#latest
    this.#latest = { messages, input }
    // Where the window was cut in between, both have shrunk, and what was counted for the cut part is not known.
    if (before && messages > before.messages && input > before.input) {
      this.#grown.estimated += messages - before.messages
      this.#grown.counted += input - before.input
      const [least, most] = bounds
      this.#ratio = Math.min(most, Math.max(least, this.#grown.counted / this.#grown.estimated))
    }
    const known = this.preamble
    this.preamble = this.#sizes.units(Math.max(0, input - messages * this.#ratio) / this.#ratio)
    return this.preamble - known
  }
}
