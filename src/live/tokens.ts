/**
 * Sizes that learn from the usage of the responses so far, and from nothing that comes later: the filter of the
 * estimators (src/estimators/filter.ts), with what it knows at the latest request.
 */
import { aboutRecorded, ofModel, SizeFilter, unrecorded } from '../estimators/filter.ts'
import type { Message } from '../model/message.ts'
import type { Joins, Sizes } from '../model/sizes.ts'

export class LiveSizes implements Sizes {
  preamble: number
  readonly joins: Joins
  readonly #sizes: Sizes
  readonly #filter: SizeFilter

  constructor(sizes: Sizes) {
    const told = sizes.tokens(sizes.preamble)
    this.#sizes = sizes
    this.preamble = sizes.preamble
    this.joins = sizes.joins
    // No reasoning is hidden from an agent that has its history.
    this.#filter = new SizeFilter([told > 0 ? aboutRecorded(told) : unrecorded, ofModel])
  }

  of(index: number): number {
    return this.#sizes.of(index)
  }

  thoughts(index: number): number {
    return this.#sizes.thoughts?.(index) ?? 0
  }

  message(message: Message): number {
    return this.#sizes.message(message)
  }

  tokens(units: number): number {
    return Math.ceil(this.#filter.factor * this.#sizes.tokens(units))
  }

  units(tokens: number): number {
    return this.#sizes.units(tokens / this.#filter.factor)
  }

  /**
   * The provider has counted a request.
   * @param units of its messages
   * @param input tokens of the whole
   * @returns by how many units more than before stands in front of the messages
   */
  learn(units: number, input: number): number {
    const known = this.preamble
    this.#filter.update({ input, tokens: this.#sizes.tokens(units), beyond: 0 })
    this.preamble = this.units(Math.max(0, this.#filter.hidden))
    return this.preamble - known
  }
}
