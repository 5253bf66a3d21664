/**
 * Corrects how a transcript is counted by the usage that it recorded (filter.ts, smoother.ts): what stands beside its messages, a
 * factor for them, the share of hidden reasoning that is sent again, and what came unrecorded with each message.
 */

import { keyOf } from '../base/key.ts'
import { Passing } from '../model/passing.ts'
import { type RecordedRequest, recordedRequests } from '../model/recorded.ts'
import { thoughtsOf } from '../model/thoughts.ts'
import type { Trace } from '../model/trace.ts'
import type { UsageSums } from '../model/witness.ts'
import type { Counting } from './counting.ts'
import type { Meter, MeterContext, Scale } from './estimator.ts'
import { aboutRecorded, type Counted, ofBytes, ofModel, unrecorded } from './filter.ts'
import { reachOf, Smoother, type Spread } from './smoother.ts'

/** A request that the provider counted. */
interface Sample extends Counted {
  readonly request: number
  /** It is the first behind a cut of the context. What the agent kept and restored there is not recorded. */
  readonly isFirst: boolean
}

interface Calibration {
  readonly factor: number
  readonly thought: number
  /** Tokens beside the messages of the first request. */
  readonly preamble: number
  /** By message: tokens that came with it and are not recorded; less than 0 where too many were counted. */
  readonly unrecorded: Float64Array
  readonly spread: Spread
}

/** The scale of units that are tokens already, corrected by the transcript's usage; null where none can be compared. */
export function calibratedScale(
  trace: Trace,
  index: number,
  { meter, short }: Counting,
  context: MeterContext,
): Scale | null {
  const calibration = trace.memo(`calibration ${keyOf({ index, short, context })}`, () =>
    calibrationOf(trace, index, context.brought?.(meter) ?? meter, context),
  )
  if (calibration === null) return null
  const { factor, preamble, thought, unrecorded, spread } = calibration
  const beyond = beyondOf(trace, index)
  const thoughts = (message: number): number => (thought * beyond[message]!) / factor
  const passes = dropsThoughts(trace, context.model)
  return {
    tokens: (units) => Math.max(0, Math.ceil(factor * units - rounding)),
    units: (tokens) => tokens / factor,
    uncorrected: 1,
    reach: (units) => reachOf(spread, units),
    of: (message) => trace.units(message, index) + unrecorded[message]! / factor + (passes ? 0 : thoughts(message)),
    ...(passes ? { passing: new Passing(trace, thoughts) } : { thoughts }),
    preambleTokens: Math.round(preamble),
  }
}

const dropsThoughts = (trace: Trace, model: string | null): boolean =>
  thoughtsOf({ program: trace.head.format, model }).after === 'drops'

/** Tokens: what is a whole number of them but for rounding is no more. */
const rounding = 1e-4

function calibrationOf(trace: Trace, index: number, meter: Meter, context: MeterContext): Calibration | null {
  const samples = samplesOf(trace, index, meter, context.model)
  if (samples.length === 0) return null
  const filter = filterOf(trace, samples, meter, context)
  const { factor, thought } = filter
  const hidden = filter.hiddenInEach()
  const unrecorded = unrecordedIn(trace, index, samples, hidden, factor)
  return { factor, thought, preamble: Math.max(0, hidden[0]!), unrecorded, spread: filter.spread }
}

/** @param counted the model, and tokens that a unit of the meter usually is: of bytes it is a guess */
function filterOf(
  trace: Trace,
  samples: readonly Sample[],
  meter: Meter,
  { model, perUnit = 1, usual }: Pick<MeterContext, 'model' | 'usual'> & { readonly perUnit?: number },
): Smoother {
  const { tau, sd } = thoughtsOf({ program: trace.head.format, model })
  const recorded = meter.preamble(trace.preamble) * perUnit
  const beside = usual && { ...usual, mean: recorded + usual.mean }
  const hidden = trace.preamble.complete ? aboutRecorded(recorded) : (beside ?? unrecorded)
  const factor = model === null || perUnit !== 1 ? ofBytes : ofModel
  const filter = new Smoother([hidden, factor, { mean: tau, sd }])
  for (const sample of samples) filter.update(sample)
  return filter
}

/** A message has at least and at most so many times what is counted of it; the next ones make up for the rest. */
const [least, most] = [0.25, 4]

/** What is hidden in a request, and was not in the one before, came with the messages in between. */
function unrecordedIn(
  trace: Trace,
  index: number,
  samples: readonly Sample[],
  hidden: readonly number[],
  factor: number,
): Float64Array {
  const unrecorded = new Float64Array(trace.length)
  let debt = 0
  for (let at = 1; at < samples.length; at++) {
    const { request, isFirst } = samples[at]!
    if (isFirst) {
      debt = 0
      continue
    }
    const [from, to] = [trace.requestAt(samples[at - 1]!.request), trace.requestAt(request)]
    let units = 0
    for (let message = from; message < to; message++) units += trace.units(message, index)
    if (units <= 0) continue
    const came = hidden[at]! - hidden[at - 1]! + debt
    const told = Math.min((most - 1) * factor * units, Math.max((least - 1) * factor * units, came))
    debt = came - told
    for (let message = from; message < to; message++) unrecorded[message] = (told * trace.units(message, index)) / units
  }
  return unrecorded
}

/**
 * The requests that the provider counted, in order.
 * @param index the meter's number in the trace
 * @param perUnit tokens that a unit of the meter usually is
 */
function samplesOf(trace: Trace, index: number, meter: Meter, model: string | null, perUnit = 1): Sample[] {
  const beyond = beyondOf(trace, index, perUnit)
  const of = (message: number): number => beyond[message]!
  const byUnits = recordedRequests(trace, {
    of: (message) => trace.units(message, index),
    message: (message) => meter.message(message),
    joins: meter.joins(trace.preamble),
  }).requests
  const byBeyond = recordedRequests(trace, {
    ...(dropsThoughts(trace, model) ? { of: () => 0, passing: new Passing(trace, of) } : { of }),
    message: () => 0,
    joins: () => 0,
  }).requests
  const sampleOf = ({ request, input, units }: RecordedRequest, beyond: number, isFirst: boolean): Sample => ({
    ...{ request, input, beyond, isFirst },
    tokens: units * perUnit,
  })
  // One walk sums the units, the other the tokens beyond them; both give the same requests.
  return byUnits.flatMap((one, at) => {
    const { anchor } = one
    const other = byBeyond[at]!
    const own = sampleOf(one, other.units, false)
    if (anchor === null || anchor === byUnits[at - 1]?.anchor) return [own]
    return [sampleOf(anchor, other.anchor!.units, true), own]
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

const bytesPerToken = 4

/** Tokens per byte by the transcript's usage; null where none can be compared. @param index a meter of bytes */
export function tokensPerByte(trace: Trace, index: number, meter: Meter): number | null {
  const perUnit = 1 / bytesPerToken
  const samples = samplesOf(trace, index, meter, null, perUnit)
  return samples.length === 0 ? null : filterOf(trace, samples, meter, { model: null, perUnit }).factor * perUnit
}

/**
 * The requests with usage summed up, with the fit to them; null where there are none.
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
  const samples = samplesOf(trace, index, meter, model, perUnit)
  if (samples.length === 0) return null
  const { factor, thought } = filterOf(trace, samples, meter, { model, perUnit })
  const sums = { requests: 0, inputTokens: 0, heads: 0, tokens: 0, beyond: 0, anchored: 0 }
  const grown = { recorded: 0, counted: 0 }
  const own = trace.preamble.complete ? meter.preamble(trace.preamble) * perUnit : 0
  let anchor: Sample | null = null
  for (const [at, sample] of samples.entries()) {
    const before = samples[at - 1]
    if (before && !sample.isFirst && sample.input > before.input) {
      grown.recorded += sample.input - before.input
      grown.counted += sample.tokens - before.tokens + sample.beyond - before.beyond
    }
    if (sample.isFirst) {
      anchor = sample
      continue
    }
    sums.requests++
    sums.inputTokens += sample.input
    sums.heads += anchor ? 0 : 1
    sums.tokens += sample.tokens - (anchor?.tokens ?? -own)
    sums.beyond += sample.beyond - (anchor?.beyond ?? 0)
    sums.anchored += anchor?.input ?? 0
  }
  const { inputTokens, heads, tokens, beyond, anchored } = sums
  const preamble = heads === 0 ? 0 : (inputTokens - anchored - factor * tokens - thought * beyond) / heads
  return {
    ...sums,
    growth: grown.counted > 0 ? grown.recorded / grown.counted : null,
    fit: { preamble, factor, thought },
  }
}
