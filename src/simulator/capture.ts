/** The messages of the window at one request: what the command `window` prints. */
import type { Trace } from '../model/trace.ts'
import type { Placed } from '../providers/provider.ts'
import { type Plan, replayOne } from './simulate.ts'

/**
 * The messages of request `at` under the plan's first policy, estimator and budget. If `at` equals the number of requests,
 * it is the request that would follow the last response. Needs a trace with its messages.
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
