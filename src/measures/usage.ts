/** Compares the estimator with the recorded usage of the real requests: docs/estimators.md. */

import { type RecordedRequest, recordedRequests } from '../model/recorded.ts'
import { type RecordedUsage, roundPercent } from '../model/run.ts'
import type { Sizes } from '../model/sizes.ts'
import type { Trace } from '../model/trace.ts'

/** Undefined if no request can be compared. */
export function recordedUsage(trace: Trace, sizes: Sizes): RecordedUsage | undefined {
  const { requests: compared, recounts } = recordedRequests(trace, sizes)
  if (compared.length === 0) return undefined
  const { requests, inputTokens, biasPercent, meanAbsolutePercent } = judge(compared, ({ units }) =>
    sizes.tokens(sizes.preamble + units),
  )
  return {
    requests,
    inputTokens,
    biasPercent: roundPercent(biasPercent),
    meanAbsolutePercent: roundPercent(meanAbsolutePercent),
    unexplainedCuts: recounts.filter(({ unexplained }) => unexplained).length,
  }
}

export interface Judgement {
  readonly requests: number
  readonly inputTokens: number
  readonly biasPercent: number
  readonly meanAbsolutePercent: number
  /** Per request, in percent; negative if the estimate is too low. */
  readonly errors: readonly number[]
}

/** Compares estimates with recorded usage. @param tokens the estimate of a request */
export function judge(requests: readonly RecordedRequest[], tokens: (request: RecordedRequest) => number): Judgement {
  let recorded = 0
  let estimated = 0
  let absolute = 0
  const errors: number[] = []
  for (const one of requests) {
    const { input, anchor } = one
    const estimate = anchor ? anchor.input + tokens(one) - tokens(anchor) : tokens(one)
    recorded += input
    estimated += estimate
    absolute += Math.abs(estimate - input) / input
    errors.push((100 * (estimate - input)) / input)
  }
  return {
    requests: requests.length,
    inputTokens: recorded,
    biasPercent: recorded === 0 ? 0 : (100 * (estimated - recorded)) / recorded,
    meanAbsolutePercent: requests.length === 0 ? 0 : (100 * absolute) / requests.length,
    errors,
  }
}
