/**
 * Fits the three numbers that turn units into the tokens of a transcript's recorded usage:
 *
 *     input = preamble + factor * units + thought * beyond
 *
 * They minimise the sum of relative errors (least absolute deviations), so a few odd requests have little effect, such as
 * unrecorded context or tools added later. The first request counts as much as all others: it has almost nothing but the
 * preamble, which later requests drift away from, and a window after a cut is as small. The expected values count as much
 * as half a request. Tried and worse: least squares (outliers), Theil and Sen's slope (cannot separate three numbers),
 * growth from request to request (its errors add up over a session).
 */

import { keyOf } from '../base/key.ts'
import { fewestToCorrect, recordedRequests } from '../model/recorded.ts'
import type { Trace } from '../model/trace.ts'
import type { UsageSums } from '../model/witness.ts'
import type { Counting } from './counting.ts'
import type { Meter, MeterContext, Scale } from './estimator.ts'
import { keepsThoughts } from './family-meter.ts'
import { addEquation, openSamples, precision } from './samples.ts'

/** A request with recorded usage; see RecordedRequest. */
export interface Sample {
  readonly input: number
  readonly units: number
  /** Output tokens of the responses it contains, beyond their units: the hidden reasoning. */
  readonly beyond: number
  readonly anchor: Sample | null
}

export interface Calibration {
  /** Tokens per unit. */
  readonly factor: number
  /** Tokens in front of the messages. */
  readonly preamble: number
  /** The share of the hidden reasoning that later requests contain. */
  readonly thought: number
}

/** What is expected before looking at the usage. */
export interface Expected {
  readonly thought: number
  /** Units of the preamble if the transcript records all of it, else null. */
  readonly preambleUnits: number | null
}

/** Rounds of reweighting, after which the sum of errors no longer changes. */
const rounds = 40
/** The least tokens per unit, whatever usage a transcript records. */
const smallest = 0.05

/** @returns the numbers that fit the samples; without samples the expected ones */
export function calibrate(samples: readonly Sample[], expected: Expected): Calibration {
  const own = expected.preambleUnits
  let fitted: Triple = [0, 1, expected.thought]
  const allowed: readonly (readonly [number, number])[] = [
    [0, own === null ? Infinity : 0],
    [smallest, Infinity],
    [0, 1],
  ]
  const { heads, units, beyond, tokens, inputs, sums, addSamples } = openSamples(samples.length)
  for (const [at, { input, anchor, ...sample }] of samples.entries()) {
    heads[at] = anchor ? 0 : 1
    units[at] = anchor ? sample.units - anchor.units : sample.units + (own ?? 0)
    beyond[at] = anchor ? sample.beyond - anchor.beyond : sample.beyond
    tokens[at] = anchor ? input - anchor.input : input
    inputs[at] = input
  }
  for (let round = 0; round < rounds; round++) {
    const [preamble, factor, thought] = fitted
    sums.fill(0)
    addSamples(preamble, factor, thought)
    // A negligible weight, but without it nothing would determine the preamble if every request has an anchor.
    addEquation(sums, 1, 0, 0, 0, Number.EPSILON ** 2)
    addEquation(sums, 0, 1, 0, 1, 0.5 / Math.max(precision, Math.abs(factor - 1)))
    addEquation(sums, 0, 0, 1, expected.thought, 0.5 / Math.max(precision, Math.abs(thought - expected.thought)))
    const solved = solve(sums, allowed)
    // Figures so far apart that rounding leaves nothing of some; or the next round would give the same.
    if (!solved.every(Number.isFinite) || solved.every((value, at) => value === fitted[at])) break
    fitted = solved
  }
  const [preamble, factor, thought] = fitted
  return { preamble: preamble + factor * (own ?? 0), factor, thought }
}

/**
 * Requests with usage.
 * @param index the meter's number in the trace
 * @param perUnit tokens that a unit of the meter usually is
 */
function samplesOf(trace: Trace, index: number, meter: Meter, perUnit = 1): Sample[] {
  const beyond = beyondOf(trace, index, perUnit)
  const byUnits = recordedRequests(trace, {
    of: (message) => trace.units(message, index),
    message: (message) => meter.message(message),
    joins: meter.joins(trace.preamble),
  }).requests
  const byBeyond = recordedRequests(trace, {
    of: (message) => beyond[message]!,
    message: () => 0,
    joins: () => 0,
  }).requests
  // One walk sums the units, the other the tokens beyond them; both give the same requests.
  return byUnits.map(({ input, units, anchor }, at): Sample => {
    const other = byBeyond[at]!
    const from = anchor && {
      input: anchor.input,
      units: anchor.units * perUnit,
      beyond: other.anchor!.units,
      anchor: null,
    }
    return { input, units: units * perUnit, beyond: other.units, anchor: from }
  })
}

/** By message index: the recorded output of a response beyond its own tokens, 0 for all other messages. */
function beyondOf(trace: Trace, index: number, perUnit = 1): Float64Array {
  const beyond = new Float64Array(trace.length)
  for (let request = 0; request < trace.requests; request++) {
    const message = trace.requestAt(request)
    const units = trace.units(message, index) * perUnit
    const output = trace.output(request) ?? 0
    // Many sessions record only the first figure of a stream, a few tokens.
    if (output >= 0.8 * units) beyond[message] = Math.max(0, output - units)
  }
  return beyond
}

/**
 * The scale of units that are tokens already, corrected by the transcript's usage; null if too few requests have usage.
 * Hidden reasoning is added to the responses in the transcript.
 */
export function calibratedScale(
  trace: Trace,
  index: number,
  { meter, short }: Counting,
  context: MeterContext,
): Scale | null {
  const calibration = trace.memo(`calibration ${keyOf({ index, short, context })}`, () =>
    calibrationOf(trace, index, context.brought?.(meter) ?? meter, context.model),
  )
  if (calibration === null) return null
  const { factor, preamble, thought } = calibration
  const beyond = beyondOf(trace, index)
  return {
    tokens: (units) => Math.ceil(factor * units),
    units: (tokens) => tokens / factor,
    uncorrected: 1,
    of: (message) => trace.units(message, index) + (thought * beyond[message]!) / factor,
    ...(preamble !== null && { preambleTokens: Math.round(preamble) }),
  }
}

/** @returns `preamble` null where no request tells it; null if too few requests have usage */
function calibrationOf(
  trace: Trace,
  index: number,
  meter: Meter,
  model: string | null,
): (Omit<Calibration, 'preamble'> & { readonly preamble: number | null }) | null {
  const samples = samplesOf(trace, index, meter)
  if (samples.length < fewestToCorrect) return null
  const preambleUnits = trace.preamble.complete ? meter.preamble(trace.preamble) : null
  const { factor, preamble, thought } = calibrate(samples, { thought: expectedThought(model), preambleUnits })
  return { factor, thought, preamble: samples.some(({ anchor }) => anchor === null) ? preamble : null }
}

/** Tokens per byte by the transcript's usage; null if too few requests have usage. @param index a meter of bytes */
export function tokensPerByte(trace: Trace, index: number, meter: Meter): number | null {
  const usual = 4
  const samples = samplesOf(trace, index, meter, 1 / usual).map(withoutThoughts)
  if (samples.length < fewestToCorrect) return null
  return calibrate(samples, { thought: 0, preambleUnits: null }).factor / usual
}

function withoutThoughts({ input, units, anchor }: Sample): Sample {
  return { input, units, beyond: 0, anchor: anchor && withoutThoughts(anchor) }
}

/**
 * The requests with usage summed up, with the fit to them; null where there are none. Unlike a calibration it is never used
 * to count, so one request is enough.
 * @param index the meter's number in the trace
 * @param perUnit tokens that a unit of the meter usually is
 */
export function usageSums(
  trace: Trace,
  index: number,
  meter: Meter,
  perUnit: number,
  model: string | null,
): UsageSums | null {
  const samples = samplesOf(trace, index, meter, perUnit)
  if (samples.length === 0) return null
  const own = trace.preamble.complete ? meter.preamble(trace.preamble) * perUnit : null
  const { factor, preamble, thought } = calibrate(samples, { thought: expectedThought(model), preambleUnits: own })
  const sums = { requests: samples.length, inputTokens: 0, heads: 0, tokens: 0, beyond: 0, anchored: 0 }
  for (const { input, units, beyond, anchor } of samples) {
    sums.inputTokens += input
    sums.heads += anchor ? 0 : 1
    sums.tokens += anchor ? units - anchor.units : units + (own ?? 0)
    sums.beyond += anchor ? beyond - anchor.beyond : beyond
    sums.anchored += anchor?.input ?? 0
  }
  return { ...sums, fit: { preamble: preamble - factor * (own ?? 0), factor, thought } }
}

const expectedThought = (model: string | null): number => (model !== null && keepsThoughts(model) ? 1 : 0)

type Triple = readonly [number, number, number]

/** An unknown that leaves its range is fixed at the range's end, and the others are solved again. */
function solve(sums: Float64Array, allowed: readonly (readonly [number, number])[]): Triple {
  const held: (number | null)[] = allowed.map(([low, high]) => (low === high ? low : null))
  for (;;) {
    const solution = solveFor(sums, held)
    const outside = solution.findIndex((value, at) => value < allowed[at]![0] || value > allowed[at]![1])
    if (outside === -1) return solution
    held[outside] = Math.min(allowed[outside]![1], Math.max(allowed[outside]![0], solution[outside]!))
  }
}

function solveFor(sums: Float64Array, held: readonly (number | null)[]): Triple {
  const rows = held.map((value, at) => {
    if (value !== null) return [0, 1, 2, 3].map((column) => (column === at ? 1 : column === 3 ? value : 0))
    return [...sums.subarray(4 * at, 4 * at + 4)]
  })
  for (let at = 0; at < 3; at++) {
    const pivot = rows[at]!
    const lead = pivot[at]!
    for (const [other, row] of rows.entries()) {
      // A column of zeros (no reasoning) leaves its unknown at the expected value, whose weight is never zero.
      if (other === at || row[at] === 0) continue
      const factor = row[at]! / lead
      for (let column = at; column < 4; column++) row[column]! -= factor * pivot[column]!
    }
  }
  return [rows[0]![3]! / rows[0]![0]!, rows[1]![3]! / rows[1]![1]!, rows[2]![3]! / rows[2]![2]!]
}
