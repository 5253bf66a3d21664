/**
 * Measures how well requests are predicted that the estimator has not been calibrated on: sizes are fitted to the
 * recorded usage before a transcript's first cut only, and the requests after it are predicted. A transcript without a
 * cut is fitted on its first half and predicted on its second.
 */

import { sentAsRecorded } from '../model/recorded.ts'
import { type Foresight, type ForesightTest, type PredictionInterval, roundPercent } from '../model/run.ts'
import type { Sizes } from '../model/sizes.ts'
import type { Trace } from '../model/trace.ts'

/** A request whose recorded usage was hidden from the estimator, and its prediction. */
export interface ForeseenRequest {
  readonly request: number
  /** Tokens. */
  readonly recorded: number
  readonly foreseen: number
  /** It is the first request after a cut: what the agent added there is not in the fitted part. */
  readonly first: boolean
  /** Tokens by which nine of ten such predictions are off at most; null where no usage tells. */
  readonly reach: number | null
}

export interface Predictions {
  /** What separates the fitted requests from the predicted ones, or why there are none. */
  readonly test: ForesightTest
  readonly requests: readonly ForeseenRequest[]
}

/** A request, and how far off its prediction was. */
export interface Missed {
  readonly request: number
  readonly recorded: number
  readonly errorPercent: number
}

const fewestForInterval = 30

/** @param count computes the sizes of a transcript; it gets one with only part of the usage */
export function foresee(trace: Trace, count: (seen: Trace) => Sizes): Predictions {
  const recorded = recordedInputs(trace)
  if (recorded.length === 0) return { test: 'no-usage', requests: [] }
  const cut = firstCut(trace)
  const before = recorded.filter(({ request }) => cut === null || request < cut)
  const from = cut ?? before[before.length >> 1]?.request ?? 0
  const tested = recorded.filter(({ request }) => request >= from).length
  if (recorded.length === tested || tested === 0) return { test: 'few-requests', requests: [] }
  return { test: cut === null ? 'half' : 'cut', requests: foreseeFrom(trace, count, from) }
}

/** Predicts the requests from number `from` on by the usage of those before it. */
export function foreseeFrom(trace: Trace, count: (seen: Trace) => Sizes, from: number): ForeseenRequest[] {
  const { windows, reaches, firsts } = recordedWindows(trace, count(trace.withoutUsageFrom(from)))
  return recordedInputs(trace).flatMap(({ request, input }) =>
    request < from
      ? []
      : [
          {
            request,
            recorded: input,
            foreseen: windows[request]!,
            first: firsts.has(request),
            reach: reaches[request]!,
          },
        ],
  )
}

const mostWorst = 3

/** Those that are farthest off, first. */
export function worstOf({ requests }: Predictions): Missed[] {
  return requests
    .map((one) => ({ request: one.request, recorded: one.recorded, errorPercent: roundPercent(errorOf(one)) }))
    .sort((a, b) => Math.abs(b.errorPercent) - Math.abs(a.errorPercent) || a.request - b.request)
    .slice(0, mostWorst)
}

/** In percent of what was recorded; negative if too little was predicted. */
const errorOf = ({ recorded, foreseen }: ForeseenRequest): number => (100 * (foreseen - recorded)) / recorded

/** The error of the predictions; null if there are none. */
export function foresightOf({ requests }: Predictions): Foresight | null {
  if (requests.length === 0) return null
  let [sum, total, absolute] = [0, 0, 0]
  for (const one of requests) {
    const { recorded, foreseen } = one
    sum += recorded
    total += foreseen
    absolute += Math.abs(errorOf(one))
  }
  return {
    requests: requests.length,
    meanAbsolutePercent: roundPercent(absolute / requests.length),
    biasPercent: roundPercent((100 * (total - sum)) / sum),
  }
}

/** The interval of the transcript's own predictions; null if there are too few to have one in twenty on either side. */
export function ownInterval({ requests }: Predictions): PredictionInterval | null {
  if (requests.length < fewestForInterval) return null
  const errors = requests.map(errorOf).sort((a, b) => a - b)
  const beyond = Math.floor(errors.length / 20)
  return {
    basis: 'transcript',
    transcripts: 1,
    lowPercent: roundPercent(errors[beyond]!),
    highPercent: roundPercent(errors[errors.length - 1 - beyond]!),
  }
}

function recordedInputs(trace: Trace): { readonly request: number; readonly input: number }[] {
  const inputs: { request: number; input: number }[] = []
  for (let request = 0; request < trace.requests; request++) {
    const input = trace.usage(request)?.input ?? 0
    if (input > 0) inputs.push({ request, input })
  }
  return inputs
}

/** Predicted tokens of each request as the recorded agent sent it, and which requests are the first after a cut. */
function recordedWindows(
  trace: Trace,
  sizes: Sizes,
): {
  windows: Float64Array
  reaches: (number | null)[]
  firsts: Set<number>
} {
  const windows = new Float64Array(trace.requests)
  const reaches: (number | null)[] = []
  const firsts = new Set<number>()
  for (const { request, units, cut } of sentAsRecorded(trace, sizes)) {
    windows[request] = sizes.tokens(sizes.preamble + units)
    reaches.push(sizes.reach?.(units) ?? null)
    if (cut !== null && request > 0) firsts.add(request)
  }
  return { windows, reaches, firsts }
}

/** The first request after a recorded cut, or null. */
function firstCut(trace: Trace): number | null {
  for (const { request, cut } of sentAsRecorded(trace, nothing)) if (cut !== null && request > 0) return request
  return null
}

const nothing = { of: () => 0, message: () => 0, joins: () => 0 }
