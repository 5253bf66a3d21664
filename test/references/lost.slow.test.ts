import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { resolveParams } from '../../src/base/param.ts'
import bytes from '../../src/estimators/bytes.ts'
import type { LossCounts, References } from '../../src/model/run.ts'
import type { Trace } from '../../src/model/trace.ts'
import { policies } from '../../src/policies/index.ts'
import type { Policy } from '../../src/policies/policy.ts'
import { type Plan, sizersFor } from '../../src/simulator/plan.ts'
import { replayOne } from '../../src/simulator/simulate.ts'
import { Capture, countSlowly } from './slow.ts'
import { type Said, said, traceOf, wildPolicy } from './transcripts.ts'

function planOf(policy: Policy, budget: number, given: Record<string, string> = {}): Plan {
  return {
    policies: [{ plugin: policy, values: resolveParams(policy.name, policy.params, given) }],
    estimators: [{ plugin: bytes, values: { bytesPerToken: 4 } }],
    budgets: [budget],
    preamble: 0,
    model: null,
    provider: null,
    native: false,
    references: true,
  }
}

function both(
  list: readonly Said[],
  plan: Plan,
): { fast: References; slow: ReturnType<typeof countSlowly>; trace: Trace } {
  const trace = traceOf(list, sizersFor(plan)({ provider: 'openai', model: null } as never))
  const capture = new Capture(trace)
  const { references } = replayOne(trace, plan, [capture])
  return { fast: references as References, slow: countSlowly(trace, capture.sent), trace }
}

function expectEqual({ fast, slow }: { fast: References; slow: ReturnType<typeof countSlowly> }): void {
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

describe('lost references equal reading every request again', () => {
  it.each([
    ['ikigai', {}],
    ['drop-oldest', {}],
    ['drop-oldest', { target: '0.5' }],
    ['drop-messages', {}],
    ['fill-newest', {}],
    ['drop-steps', { scope: 'all' }],
    ['mask-tool-results', { keepFirst: '1', keepLast: '1', scope: 'all' }],
    ['truncate-tool-results', { max: '3' }],
    ['summarise-oldest', { tokens: '5' }],
    ['insert-notice', {}],
    ['duragent', {}],
    ['forge', {}],
    ['keep-all', {}],
  ])('for %s %j', (name, given) => {
    const policy = policies.get(name)
    fc.assert(
      fc.property(said, fc.constantFrom(0, 30, 80, 150, 400), (list, budget) => {
        expectEqual(both(list, planOf(policy, budget, given)))
      }),
      { numRuns: 40 },
    )
  })

  it.each(['sticky', 'view'] as const)('a policy that edits at random, %s', (kind) => {
    fc.assert(
      fc.property(said, fc.integer({ min: 0, max: 1_000_000 }), (list, seed) => {
        expectEqual(both(list, planOf(wildPolicy(kind, seed), 100)))
      }),
      { numRuns: 200 },
    )
  })
})

it.each(['sticky', 'view'] as const)(
  'the same content is lost where no terms are looked for, by a policy that is %s',
  (kind) => {
    let lost = 0
    fc.assert(
      fc.property(said, fc.integer({ min: 0, max: 1_000_000 }), (list, seed) => {
        const plan = planOf(wildPolicy(kind, seed), 100)
        const sizers = sizersFor(plan)({ provider: 'openai', model: null } as never)
        const [whole, content] = [true, false].map(
          (terms) => replayOne(traceOf(list, sizers, undefined, terms), plan, []).references as References,
        )
        expect({ ...content?.headline, partlyLost: content?.partlyLost }).toEqual({
          ...whole?.headline,
          partlyLost: whole?.partlyLost,
        })
        expect(content?.named.total).toBe(0)
        lost += content?.headline.sourceLost ?? 0
      }),
      { numRuns: 40 },
    )
    expect(lost).toBeGreaterThan(0)
  },
)

describe('a walk over what is gone', () => {
  const say = (kind: Said['kind'], words: readonly string[]): Said => ({
    kind,
    words,
    path: 5,
    tool: 'Grep',
    reset: false,
  })

  // Only sixty results mention the file, until the agent asks for it again and again.
  const list: Said[] = [say('prompt', ['go'])]
  for (let nth = 0; nth < 60; nth++) list.push(say('call', []), say('result', ['src/part0/file0.ts']))
  for (let nth = 0; nth < 30; nth++) list.push(say('call', []), say('result', []))
  for (let nth = 0; nth < 5; nth++) list.push(say('answer', ['src/part0/file0.ts']))

  it.each([
    ['mask-tool-results', { keepFirst: '0', keepLast: '1' }, 5],
    ['mask-tool-results', { keepFirst: '1', keepLast: '1' }, 0],
    ['drop-steps', { keepLast: '2' }, 5],
  ])('%s %j loses the source in %i requests', (name, given, lost) => {
    const result = both(list, planOf(policies.get(name), 100, given))
    expectEqual(result)
    expect(result.fast.byClass.path.sourceLost).toBe(lost)
  })
})
