/** The window as it stood when one request went out: what `window` prints. */
import type { Trace } from '../model/trace.ts'
import type { Placed } from '../providers/provider.ts'
import { type Plan, replayOne } from './simulate.ts'

/**
 * The messages of request `at` under the first policy, estimator and budget of the plan. `at` may be the number of
 * requests: then it is the request that would follow the last response. Needs a trace that kept its messages.
 */
export function messagesAt(trace: Trace, plan: Plan, at: number): Placed[] {
  let placed: Placed[] = []
  replayOne(trace, plan, [
    {
      request: ({ index }, window) => {
        if (index === at) placed = window.messages()
      },
      end: (window) => {
        if (at === trace.requests) placed = window.messages()
      },
    },
  ])
  return placed
}
