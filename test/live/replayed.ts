/** Drives a policy as an agent would, over a transcript that was read: message by message, asking before each response. */
import type { Chosen } from '../../src/base/chosen.ts'
import type { Estimator } from '../../src/estimators/estimator.ts'
import { LiveRun } from '../../src/live/run.ts'
import type { Message } from '../../src/model/message.ts'
import type { Trace } from '../../src/model/trace.ts'
import type { CachePrices, Policy } from '../../src/policies/policy.ts'
import { contextOf } from '../../src/simulator/claims.ts'

/** A request: its messages, and its tokens. */
export interface Requested {
  readonly messages: readonly Message[]
  readonly tokens: number
}

/** Whether an agent could have had these messages in one history: nothing of it inherited, lost or begun anew. */
export function isOneHistory(trace: Trace): boolean {
  const { forkMessage, headless } = trace.head
  if (trace.messages === null || headless === true || (forkMessage ?? 0) > 0) return false
  return !trace.messages.some((_, index) => trace.isReset(index))
}

/** The requests of an agent that had the transcript's messages, from the first to the one after the last response. */
export function* requestsOf(
  trace: Trace,
  policy: Chosen<Policy>,
  { plugin, values }: Chosen<Estimator>,
  budget: number,
  preambleTokens: number | null = null,
  cache: CachePrices | null = null,
): Generator<Requested> {
  const { head, preamble } = trace
  const context = contextOf(head, { provider: null, model: null })
  const run = LiveRun.begin({
    ...{ policy, budget, head, preamble, preambleTokens, cache },
    meter: plugin.meter(context, values),
    scale: (begun) => plugin.scale(begun, 0, values, context),
  })
  const sent = (): Requested => ({ messages: run.inside.map(({ message }) => message), tokens: run.window.sentTokens })
  const wake = () => run.wake(run.requests < trace.requests ? trace.requestTime(run.requests) : Number.NaN)
  for (const [index, message] of (trace.messages ?? []).entries()) {
    wake()
    if (trace.isResponse(index)) {
      run.request()
      yield sent()
    }
    run.message(message)
  }
  wake()
  run.idle()
  run.request()
  yield sent()
}
