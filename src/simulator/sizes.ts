/** Binds an estimator to one transcript: the sizes by which a run counts. */
import { exact } from '../base/exact.ts'
import { once } from '../base/once.ts'
import type { Meter, Scale } from '../estimators/estimator.ts'
import type { Message } from '../model/message.ts'
import { HistorySizes, type Joins, type Sizes } from '../model/sizes.ts'
import type { Trace } from '../model/trace.ts'

/** Tokens that are not derived from the transcript's messages. */
export interface Given {
  /** Replaces the preamble that the transcript records. */
  readonly preamble?: number
  /** Stands beside the preamble that the transcript records. */
  readonly hidden?: number
  /** Size of the missing beginning of a transcript, for which its first message is a placeholder. */
  readonly unknownHistory?: number
}

export function sizesOf(trace: Trace, index: number, meter: Meter, scale: Scale, given: Given = {}): Sizes {
  const joinsOf = meter.joins(trace.preamble)
  /** What a policy wrote is counted whenever it comes into a window, and the same message often does. */
  const written = new WeakMap<Message, number>()
  const unknown = given.unknownHistory === undefined ? null : exact(scale.units(given.unknownHistory))
  const joins: Joins = (end, shape) => exact(joinsOf(end, shape))
  const of = (message: number): number =>
    message === 0 && unknown !== null ? unknown : exact(scale.of?.(message) ?? trace.units(message, index))
  const { passing } = scale
  const history = once(() => new HistorySizes(trace, { joins, of, ...(passing && { passing }) }))
  return {
    preamble: exact(
      given.preamble === undefined
        ? meter.preamble(trace.preamble) + scale.units(given.hidden ?? 0)
        : scale.units(given.preamble),
    ),
    joins,
    of,
    ...(passing && { passing }),
    thoughts: (message) =>
      Math.min(of(message), exact(trace.thoughts(message, index) + (scale.thoughts?.(message) ?? 0))),
    ...(scale.reach && { reach: scale.reach }),
    uncorrected: (message) => {
      const units = trace.units(message, index)
      return scale.uncorrected === undefined ? scale.tokens(units) : Math.ceil(scale.uncorrected * units)
    },
    get history() {
      return history()
    },
    message: (message) => {
      const units = written.get(message) ?? exact(meter.message(message))
      written.set(message, units)
      return units
    },
    tokens: (units) => scale.tokens(units),
    units: (tokens) => exact(scale.units(tokens)),
  }
}
