/** The request that a policy would send: what `window` prints. */
import type { Trace } from '../model/trace.ts'
import { providers } from '../providers/index.ts'
import { requestBody } from '../providers/provider.ts'
import { messagesAt } from '../simulator/capture.ts'
import type { Plan } from '../simulator/simulate.ts'

/**
 * The body of request `request` under the first policy, estimator and budget of the plan, as the provider's API takes it.
 * @param trace read for this plan, with its messages kept
 * @param request index from 0; the number of requests means the one after the last response
 */
export function requestBodyAt(trace: Trace, plan: Plan, request: number): Record<string, unknown> {
  const provider = plan.provider ?? trace.head.provider
  return requestBody(providers[provider], trace.preamble, messagesAt(trace, plan, request))
}
