/** Compares the estimator with the recorded usage of the real requests: docs/estimators.md. */

import { judge, recordedRequests } from '../model/recorded.ts'
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
