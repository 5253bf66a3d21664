/** The recorded usage of the real requests: docs/estimators.md. */

import { recordedRequests } from '../model/recorded.ts'
import type { RecordedUsage } from '../model/run.ts'
import type { Sizes } from '../model/sizes.ts'
import type { Trace } from '../model/trace.ts'

/** Undefined if no request can be compared. */
export function recordedUsage(trace: Trace, sizes: Sizes): RecordedUsage | undefined {
  const { requests, recounts } = recordedRequests(trace, sizes)
  if (requests.length === 0) return undefined
  return {
    requests: requests.length,
    inputTokens: requests.reduce((sum, { input }) => sum + input, 0),
    unexplainedCuts: recounts.filter(({ unexplained }) => unexplained).length,
  }
}
