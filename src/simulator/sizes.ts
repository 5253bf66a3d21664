/** How a run counts: an estimator bound to one transcript, so that a request's tokens are a sum and one conversion. */
import type { Joins, Meter, Price } from '../estimators/estimator.ts'
import type { Message } from '../model/message.ts'
import type { Trace } from '../model/trace.ts'

export interface Sizes {
  /** Units of a request without messages. */
  readonly preamble: number
  readonly joins: Joins
  /** Units of transcript message `index`. */
  of(index: number): number
  /** Units of a message that is not in the transcript as it stands: replaced or inserted. */
  message(message: Message): number
  tokens(units: number): number
  /** The inverse of `tokens`. */
  units(tokens: number): number
}

/** @param preambleTokens replaces what the transcript records, in tokens */
export function sizesOf(trace: Trace, index: number, meter: Meter, price: Price, preambleTokens?: number): Sizes {
  const { first, next, continued } = meter.joins(trace.preamble)
  return {
    preamble: exact(preambleTokens === undefined ? meter.preamble(trace.preamble) : price.units(preambleTokens)),
    joins: { first: exact(first), next: exact(next), continued: exact(continued) },
    of: (message) => exact(price.of?.(message) ?? trace.units(message, index)),
    message: (message) => exact(meter.message(message)),
    tokens: (units) => price.tokens(units),
    units: (tokens) => exact(price.units(tokens)),
  }
}

const grain = 2 ** 20

/**
 * To a millionth of a unit, in binary: sums of such numbers are exact in any order, and without that a request that was
 * added up message by message and one that was added up after a cut could be rounded to different tokens.
 */
function exact(units: number): number {
  return Math.round(units * grain) / grain
}
