/** After `/clear` everything is as in a session that begins there: no policy may remember what was before. */
import { isDeepStrictEqual } from 'node:util'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import bytes from '../../src/estimators/bytes.ts'
import { cacheBehaviour } from '../../src/measures/cache-behaviour.ts'
import type { Message } from '../../src/model/message.ts'
import { builtinModels } from '../../src/models/lookup.ts'
import { pricingOf } from '../../src/models/pricing.ts'
import { replay } from '../../src/simulator/replay.ts'
import { sizesOf } from '../../src/simulator/sizes.ts'
import { EditableWindow } from '../../src/simulator/window.ts'
import { traceOf } from '../simulator/arbitrary.ts'
import { itemsOf } from '../simulator/check-window.ts'
import { type Subject, start, subjects } from './subjects.ts'
import { transcriptsUpTo } from './transcripts.ts'

const system: Message[] = [{ role: 'system', line: 1, blocks: [{ type: 'text', text: 'S' }] }]

/** A transcript in which the history begins anew at message `reset`; at 0 it just begins. */
function sized(list: readonly Message[], reset: number) {
  const context = { provider: 'anthropic', model: null } as const
  const values = { bytesPerToken: 4 }
  const meter = bytes.meter(context, values)
  const preamble = { system, complete: true }
  const trace = traceOf(list, [meter.message], 'anthropic', { preamble, resets: [reset] })
  const sizes = sizesOf(trace, 0, meter, bytes.scale(trace, 0, values, context))
  const pricing = pricingOf(trace, null, 'anthropic', builtinModels)
  return { trace, sizes, pricing, cache: cacheBehaviour(trace, sizes, pricing, 'ideal', 'anthropic') }
}

/** The window at each request from message `from` on. */
function windowsOf({ policy, values }: Subject, given: ReturnType<typeof sized>, budget: number, from: number) {
  const windows: unknown[] = []
  const { trace, ...by } = given
  replay(trace, { policy: start(policy, values), kind: policy.kind, budget, modelWindow: null, ...by }, [
    {
      request({ message, sentTokens }, window) {
        if (message < from || !(window instanceof EditableWindow)) return
        const inside = itemsOf(window).map(({ index, role, size, message }) => ({
          ...{ index: index < 0 ? -1 : index - from, role, size, blocks: message?.blocks },
        }))
        windows.push({ message: message - from, sentTokens, inside })
      },
    },
  ])
  return windows
}

const some = transcriptsUpTo(4)
const cases = fc
  .sample(fc.tuple(some, some, fc.constantFrom(30, 120, 300, 700)), 16)
  // People clear between two exchanges.
  .map(([before, list, budget]) => ({
    before,
    after: list.slice(list.findIndex(({ role }) => role === 'user')),
    budget,
  }))
  .map(({ before, after, budget }) => ({
    ...{ budget, reset: before.length },
    whole: sized([...before, ...after], before.length),
    rest: sized(after, 0),
  }))

describe('what was said before the history began anew', () => {
  it.each(subjects.filter(({ rests }) => !rests))('makes no difference to $name', (subject) => {
    for (const { budget, reset, whole, rest } of cases) {
      const [before, alone] = [windowsOf(subject, whole, budget, reset), windowsOf(subject, rest, budget, 0)]
      if (!isDeepStrictEqual(before, alone)) expect(before).toEqual(alone)
    }
  })
})
