/**
 * What is simulated is what is shipped: an agent is given, step by step, the very requests that `window --at` shows of the same
 * messages.
 */
import { existsSync } from 'node:fs'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { firstCell, type Plan } from '../../src/app/plan.ts'
import { windowRequests } from '../../src/app/window.ts'
import { type Chosen, choose } from '../../src/base/chosen.ts'
import { estimators } from '../../src/estimators/index.ts'
import { openFile, readTraces, type Trace } from '../../src/index.ts'
import type { Message } from '../../src/model/message.ts'
import { policies } from '../../src/policies/index.ts'
import type { Policy } from '../../src/policies/policy.ts'
import { captureEach } from '../../src/simulator/capture.ts'
import { subjects } from '../laws/subjects.ts'
import { transcripts } from '../laws/transcripts.ts'
import { traceOf } from '../simulator/arbitrary.ts'
import { planOf } from '../simulator/plan.ts'
import { isOneHistory, requestsOf } from './replayed.ts'

/** What tells a message of a request: who says what, for which call. A summary is named by when it was asked for, and by nothing else. */
const told = ({ role, blocks, callId, isError }: Message) => ({ role, blocks, callId, isError })

/** Only a replay knows what is to come, or what was recorded. */
const canRunLive = ({ looksAhead, repeats }: Policy) => !looksAhead && !repeats

describe('an agent is given what a replay shows', () => {
  const bytes = choose(estimators.get('bytes'))
  const system: Message[] = [{ role: 'system', line: 1, blocks: [{ type: 'text', text: 'S' }] }]
  for (const subject of subjects.filter(({ policy }) => canRunLive(policy))) {
    it(subject.name, () => {
      const policy = { plugin: subject.policy, values: subject.values }
      fc.assert(
        fc.property(transcripts, fc.integer({ min: 20, max: 700 }), (list, budget) => {
          const meter = estimators.get('bytes').meter({ provider: 'anthropic', model: null }, bytes.values)
          const trace = traceOf(list, [meter.message], 'anthropic', { preamble: { system, complete: true } })
          const shown = [...captureEach(firstCell(trace, planOf(policy, budget)))]
          const given = [...requestsOf(trace, policy, bytes, budget)]
          expect(given.map(({ tokens }) => tokens)).toEqual(shown.map(({ tokens }) => tokens))
          expect(given.map(({ messages }) => messages.map(told))).toEqual(
            shown.map(({ messages }) => messages.map(told)),
          )
        }),
        { numRuns: 40 },
      )
    })
  }
})
