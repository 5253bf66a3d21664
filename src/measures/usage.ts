/** The estimator against the usage that the provider recorded for the requests that happened: docs/estimators.md. */

import { judge, recordedRequests, type Weights } from '../model/recorded.ts'
import { type RecordedUsage, roundPercent } from '../model/run.ts'
import type { Trace } from '../model/trace.ts'

/** How a run counts. */
interface Counting extends Weights {
  /** Units of a request without messages. */
  readonly preamble: number
  tokens(units: number): number
}

/** Undefined where no request with usage can be compared. */
export function recordedUsage(trace: Trace, counting: Counting): RecordedUsage | undefined {
  const { requests: compared } = recordedRequests(trace, counting)
  if (compared.length === 0) return undefined
  const { requests, inputTokens, biasPercent, meanAbsolutePercent } = judge(compared, ({ weight }) =>
    counting.tokens(counting.preamble + weight),
  )
  return {
    requests,
    inputTokens,
    biasPercent: roundPercent(biasPercent),
    meanAbsolutePercent: roundPercent(meanAbsolutePercent),
  }
}
