/** How a run counts: an estimator bound to one transcript, so that a request's tokens are a sum and one conversion. */
import type { Meter, Scale } from '../estimators/estimator.ts'
import type { Sizes } from '../model/sizes.ts'
import type { Trace } from '../model/trace.ts'

/** Tokens that are known from elsewhere than the messages. */
export interface Given {
  /** Replaces the preamble that the transcript records. */
  readonly preamble?: number
  /** What the first message of a transcript without its head stands for. */
  readonly unknownHistory?: number
}

export function sizesOf(trace: Trace, index: number, meter: Meter, scale: Scale, given: Given = {}): Sizes {
  const { first, next, continued } = meter.joins(trace.preamble)
  const unknown = given.unknownHistory === undefined ? null : exact(scale.units(given.unknownHistory))
  return {
    preamble: exact(given.preamble === undefined ? meter.preamble(trace.preamble) : scale.units(given.preamble)),
    joins: { first: exact(first), next: exact(next), continued: exact(continued) },
    of: (message) =>
      message === 0 && unknown !== null ? unknown : exact(scale.of?.(message) ?? trace.units(message, index)),
    message: (message) => exact(meter.message(message)),
    tokens: (units) => scale.tokens(units),
    units: (tokens) => exact(scale.units(tokens)),
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
