/**
 * What went wrong around recorded compactions: the same task with a full window in front, and a nearly empty one
 * behind.
 */
import type { Endpoint } from '../model/quality.ts'
import type { Mishaps } from '../model/spending.ts'
import type { Trace } from '../model/trace.ts'
import type { Outcomes } from './outcomes.ts'
import { near, ofRequest } from './quality.ts'

export interface MishapsAround {
  readonly before: Mishaps
  readonly behind: Mishaps
}

/**
 * Of each compaction, with as many requests in front as behind: up to 15, none of them beyond the next compaction on
 * that side. Null where there are none. Of several compactions before one request the last has them.
 * @param firsts of each compaction the first request behind it
 */
export function mishapsAround(
  trace: Trace,
  outcomes: Outcomes,
  firsts: readonly number[],
): readonly (MishapsAround | null)[] {
  return firsts.map((first, nth) => {
    const front = first - (firsts.slice(0, nth).findLast((other) => other < first) ?? 0)
    const over = Math.min(near, front, (firsts[nth + 1] ?? trace.requests) - first)
    if (over <= 0) return null
    return {
      before: mishapsIn(trace, outcomes, first - over, first),
      behind: mishapsIn(trace, outcomes, first, first + over),
    }
  })
}

function mishapsIn(trace: Trace, outcomes: Outcomes, from: number, to: number): Mishaps {
  const counts = new Map<Endpoint, number>()
  let [results, prompts] = [0, 0]
  for (let request = from; request < to; request++) {
    // Neither the size of the window nor the place in the exchange matters here.
    for (const { endpoint, value } of ofRequest(trace, outcomes, { size: 0, request, stretch: 0 }, 0)) {
      counts.set(endpoint, (counts.get(endpoint) ?? 0) + value)
      if (endpoint === 'failed') results++
      else if (endpoint === 'corrected') prompts++
    }
  }
  const of = (endpoint: Endpoint): number => counts.get(endpoint) ?? 0
  return {
    over: to - from,
    results,
    failed: of('failed'),
    rejected: of('rejected'),
    interrupted: of('interrupted'),
    prompts,
    corrected: of('corrected'),
  }
}
