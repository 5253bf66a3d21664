/** Drives a policy as an agent would, over a transcript that was read: message by message, asking before each response. */
import fc from 'fast-check'
import { expect } from 'vitest'
import { firstCell } from '../../src/app/plan.ts'
import { type Chosen, choose } from '../../src/base/chosen.ts'
import bytes from '../../src/estimators/bytes.ts'
import type { Estimator } from '../../src/estimators/estimator.ts'
import { LiveRun } from '../../src/live/run.ts'
import type { Message } from '../../src/model/message.ts'
import type { Trace } from '../../src/model/trace.ts'
import type { CachePrices, Policy } from '../../src/policies/policy.ts'
import { captureEach } from '../../src/simulator/capture.ts'
import { contextOf } from '../../src/simulator/claims.ts'
import type { Subject } from '../laws/subjects.ts'
import { traceOf } from '../simulator/arbitrary.ts'
import { planOf } from '../simulator/plan.ts'

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

/** What tells a message of a request: who says what, for which call. A summary is named by when it was asked for, and by nothing else. */
export const told = ({ role, blocks, callId, isError }: Message) => ({ role, blocks, callId, isError })

/** One without a price that takes its reasoning back only behind what has not changed. */
export const models = fc.constantFrom(null, 'claude-opus-9')

/** Only a replay knows what is to come, or what was recorded. */
export const canRunLive = ({ looksAhead, repeats }: Policy) => !looksAhead && !repeats

const system: Message[] = [{ role: 'system', line: 1, blocks: [{ type: 'text', text: 'S' }] }]

/** An agent that has these messages, one by one, is given what a replay of them shows. */
export function expectAsShown(
  { policy: plugin, values }: Pick<Subject, 'policy' | 'values'>,
  list: readonly Message[],
  budget: number,
  model: string | null,
): void {
  const policy = { plugin, values }
  const estimator = choose(bytes)
  const meter = bytes.meter({ provider: 'anthropic', model }, { bytesPerToken: 4 })
  const preamble = { system, complete: true }
  const trace = traceOf(list, [meter.message], 'anthropic', { preamble, head: { model } })
  const cell = firstCell(trace, planOf(policy, budget))
  const shown = [...captureEach(cell)]
  const given = [...requestsOf(trace, policy, estimator, budget, null, cell.facts.known.cache ?? null)]
  expect(given.map(({ tokens }) => tokens)).toEqual(shown.map(({ tokens }) => tokens))
  expect(given.map(({ messages }) => messages.map(told))).toEqual(shown.map(({ messages }) => messages.map(told)))
}
