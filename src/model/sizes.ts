/**
 * Sizes: how the parts of a request add up to its tokens. Sizes are in the units of an estimator (bytes, for `bytes`),
 * because units add up exactly and tokens do not. A request is the sum of its preamble, its messages and their joins, and
 * is converted to tokens once at the end.
 */
import { type Message, shapes } from './message.ts'
import type { Passing } from './passing.ts'
import type { Trace } from './trace.ts'

/**
 * Units that a message adds beyond its own.
 * @param end what stands in front of it: 0 for nothing, else the shape of the message at the end, and if that is an answer, of
 * all answers there together
 * @param shape its own
 */
export type Joins = (end: number, shape: number) => number

/** Every end that there is. */
export const ends: readonly number[] = [
  0,
  ...[1, 2, 3, 4, 1 | shapes.native],
  ...[shapes.calls, shapes.text, shapes.calls | shapes.text].map((has) => shapes.answer | has),
]

/** What stands in front of most messages, where nothing else is known of it. */
export const answered = shapes.answer | shapes.text

/** One estimator's sizes of one transcript. */
export interface Sizes {
  /** Units of a request without messages. */
  readonly preamble: number
  readonly joins: Joins
  /** Units of transcript message `index` by itself. */
  of(index: number): number
  /** Hidden reasoning beside that, where the model drops it at the next prompt. */
  readonly passing?: Passing
  /** Units of the reasoning within `of`: what leaves a request whose provider drops it. */
  thoughts?(index: number): number
  /** Tokens by which nine of ten requests are off at most, where usage corrects the count. @param units of its messages */
  reach?(units: number): number
  /** Tokens of transcript message `index` by itself, before recorded usage corrects them; absent where it never does. */
  uncorrected?(index: number): number
  /** Units of a message that is not in the transcript: replaced or inserted. */
  message(message: Message): number
  tokens(units: number): number
  /** The inverse of `tokens`. */
  units(tokens: number): number
  /** The history, for sizes that many runs share. */
  readonly history?: HistorySizes
}

/** Units that a message adds beyond its own. One of no units stands in no request. */
export function joinOf(joins: Joins, end: number, shape: number, units: number): number {
  return units === 0 ? 0 : joins(end, shape)
}

/** What a request ends with behind a message. */
export function endBehind(end: number, shape: number, units: number): number {
  if (units === 0) return end
  const own = shape & ~shapes.continues
  return isAnswer(end) && isAnswer(own) ? end | own : own
}

const isAnswer = (shape: number): boolean => (shape & shapes.role) === shapes.answer

/** A request that grows message by message. */
export class Growing {
  /** See `Joins`. */
  end: number
  readonly #joins: Joins

  constructor(joins: Joins, end = 0) {
    this.#joins = joins
    this.end = end
  }

  /** @returns what the message adds, its join included */
  add(shape: number, units: number): number {
    const added = units + joinOf(this.#joins, this.end, shape, units)
    this.end = endBehind(this.end, shape, units)
    return added
  }
}

/** Messages `from` to before `to` of a transcript. */
export interface Stretch {
  readonly from: number
  readonly to: number
  /** What the first of them adds. */
  readonly units: number
}

/** The messages of a transcript one behind the other. */
export class HistorySizes {
  /** Units of the messages before each index, joins included. Callers must not change the array. */
  readonly before: Float64Array
  readonly #trace: Trace
  readonly #sizes: Pick<Sizes, 'joins' | 'of' | 'passing'>
  /** What it ends with in front of each. */
  readonly #ends: Uint8Array

  constructor(trace: Trace, sizes: Pick<Sizes, 'joins' | 'of' | 'passing'>) {
    this.#trace = trace
    this.#sizes = sizes
    this.before = new Float64Array(trace.length + 1)
    this.#ends = new Uint8Array(trace.length + 1)
    const growing = new Growing(sizes.joins, answered)
    for (let index = 0; index < trace.length; index++) {
      this.before[index + 1] = (this.before[index] as number) + growing.add(trace.shape(index), sizes.of(index))
      this.#ends[index + 1] = growing.end
    }
  }

  /** Units of the join of message `index` in the course of the history. */
  join(index: number): number {
    return this.between(index, index + 1) - this.#sizes.of(index)
  }

  /** Units of the messages `from` to before `to` in the course of the history. */
  between(from: number, to: number): number {
    return (this.before[to] as number) - (this.before[from] as number)
  }

  /** The same in a request that is nothing else. */
  request(from: number, to: number): number {
    let sum = this.#sizes.passing?.inRequest(from, to) ?? 0
    for (const { from: first, to: behind, units } of this.stretches(from, to))
      sum += units + this.between(first + 1, behind)
    return sum
  }

  /**
   * The stretches of a request that begins with message `from`: in each, all messages add what they do in the course of the
   * history, except for the first, of which it is said.
   */
  *stretches(from: number, to: number): Generator<Stretch> {
    const growing = new Growing(this.#sizes.joins)
    for (let first = from; first < to; ) {
      const units = growing.add(this.#trace.shape(first), this.#sizes.of(first))
      const behind = growing.end === this.#ends[first + 1] ? to : first + 1
      yield { from: first, to: behind, units }
      first = behind
    }
  }
}

export function historySizes(trace: Trace, sizes: Pick<Sizes, 'joins' | 'of' | 'passing' | 'history'>): HistorySizes {
  return sizes.history ?? new HistorySizes(trace, sizes)
}

/** The fewest and the most units that a message can add to a request, whatever stands in front of it. */
export function unitsWithin(
  trace: Trace,
  { joins, of }: Pick<Sizes, 'joins' | 'of'>,
): (index: number) => { readonly least: number; readonly most: number } {
  const known = new Map<number, readonly number[]>()
  return (index) => {
    const [shape, units] = [trace.shape(index), of(index)]
    if (units === 0) return { least: 0, most: 0 }
    const joined = known.get(shape) ?? ends.map((end) => joins(end, shape)).sort((one, other) => one - other)
    known.set(shape, joined)
    return { least: Math.max(0, units + (joined[0] as number)), most: Math.max(0, units + (joined.at(-1) as number)) }
  }
}
