/** Lost references as a run counts them, and the slow, obvious way. */
import { expect } from 'vitest'
import { firstCell, type Plan, sizersFor } from '../../src/app/plan.ts'
import { resolveParams } from '../../src/base/param.ts'
import bytes from '../../src/estimators/bytes.ts'
import type { LossCounts, References } from '../../src/model/run.ts'
import type { Trace } from '../../src/model/trace.ts'
import type { Policy } from '../../src/policies/policy.ts'
import { simulateOne } from '../../src/simulator/simulate.ts'
import { Capture, countSlowly } from './slow.ts'
import { type Said, traceOf } from './transcripts.ts'

export function planOf(policy: Policy, budget: number, given: Record<string, string> = {}): Plan {
  return {
    policies: [{ plugin: policy, values: resolveParams(policy.name, policy.params, given) }],
    estimators: [{ plugin: bytes, values: { bytesPerToken: 4 } }],
    budgets: [budget],
    preamble: 0,
    model: null,
    provider: null,
    native: false,
    references: true,
    copies: true,
  }
}

export function both(
  list: readonly Said[],
  plan: Plan,
): { fast: References; slow: ReturnType<typeof countSlowly>; trace: Trace } {
  const trace = traceOf(list, sizersFor(plan)({ provider: 'openai', model: null } as never))
  const capture = new Capture(trace)
  const { references } = simulateOne(firstCell(trace, plan), [capture])
  return { fast: references as References, slow: countSlowly(trace, capture.sent), trace }
}

export function expectEqual({ fast, slow }: { fast: References; slow: ReturnType<typeof countSlowly> }): void {
  const counts = ({ total, mentionLost, sourceLost, selfSourced }: LossCounts) => ({
    total,
    mentionLost,
    sourceLost,
    selfSourced,
  })
  const { faultTokens: _, ...rereads } = fast.rereads
  expect({
    all: counts(fast),
    headline: counts(fast.headline),
    named: counts(fast.named),
    warm: counts(fast.warm),
    byClass: fast.byClass,
    exchangesHit: fast.exchangesHit,
    partlyLost: fast.partlyLost,
    rereads,
  }).toEqual(slow)
}
