/** How a run counts: an estimator bound to one transcript, so that a request's tokens are a sum and one conversion. */
import type { Meter, Scale } from '../estimators/estimator.ts'
import type { Sizes } from '../model/sizes.ts'
import type { Trace } from '../model/trace.ts'

/** @param preambleTokens replaces what the transcript records, in tokens */
export function sizesOf(trace: Trace, index: number, meter: Meter, scale: Scale, preambleTokens?: number): Sizes {
  const { first, next, continued } = meter.joins(trace.preamble)
  return {
    preamble: exact(preambleTokens === undefined ? meter.preamble(trace.preamble) : scale.units(preambleTokens)),
    joins: { first: exact(first), next: exact(next), continued: exact(continued) },
    of: (message) => exact(scale.of?.(message) ?? trace.units(message, index)),
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
