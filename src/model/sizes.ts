/**
 * Sizes: how the parts of a request add up to its tokens. Sizes are in the units of an estimator (bytes, for `bytes`),
 * because units add up exactly and tokens do not. A request is the sum of its preamble, its messages and their joins, and
 * is converted to tokens once at the end.
 */
import type { Message } from './message.ts'
import type { Trace } from './trace.ts'

/** Units that a message adds beyond its own, depending on the message before it. */
export interface Joins {
  /** It is the first message of the request. */
  readonly first: number
  /** There is a message before it. */
  readonly next: number
  /** It shares one wire message with the one before it. */
  readonly continued: number
}

/** One estimator's sizes of one transcript. */
export interface Sizes {
  /** Units of a request without messages. */
  readonly preamble: number
  readonly joins: Joins
  /** Units of transcript message `index` by itself. */
  of(index: number): number
  /** Units of a message that is not in the transcript: replaced or inserted. */
  message(message: Message): number
  tokens(units: number): number
  /** The inverse of `tokens`. */
  units(tokens: number): number
  /** What `unitsBefore` gives, for sizes that many runs share. */
  readonly before?: Float64Array
}

/**
 * Units that a message adds beyond its own.
 * @param isFirst it is the first message of the request
 * @param continues it shares one wire message with the one before it
 */
export function joinOf({ first, next, continued }: Joins, isFirst: boolean, continues: boolean): number {
  return isFirst ? first : continues ? continued : next
}

/** The fewest and the most units that a message can add to a request, whatever stands in front of it. */
export function unitsWithin(
  trace: Trace,
  { joins, of }: Pick<Sizes, 'joins' | 'of'>,
  index: number,
): { readonly least: number; readonly most: number } {
  const { first, next, continued } = joins
  const other = trace.continues(index) ? continued : next
  const units = of(index)
  return {
    least: Math.max(0, units + Math.min(first, next, other)),
    most: Math.max(0, units + Math.max(first, next, other)),
  }
}

/** Prefix sums: units of the transcript's messages before each index, joins included. Callers must not change the array. */
export function unitsBefore(trace: Trace, sizes: Pick<Sizes, 'joins' | 'of' | 'before'>): Float64Array {
  if (sizes.before) return sizes.before
  const sums = new Float64Array(trace.length + 1)
  for (let index = 0; index < trace.length; index++) {
    sums[index + 1] = (sums[index] as number) + sizes.of(index) + joinOf(sizes.joins, false, trace.continues(index))
  }
  return sums
}

/** Tokens of the messages from `from` to before `to`, rounded once: as if others came before them, so wherever they stand. */
export function tokensBetween(trace: Trace, sizes: Sizes, from: number, to: number): number {
  const sums = unitsBefore(trace, sizes)
  return sizes.tokens((sums[to] as number) - (sums[from] as number))
}
