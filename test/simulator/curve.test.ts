import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { CurveBuilder } from '../../src/app/curve.ts'
import { type Plan, sizersFor } from '../../src/app/plan.ts'
import { resolveParams } from '../../src/base/param.ts'
import { estimators } from '../../src/estimators/index.ts'
import { policies } from '../../src/policies/index.ts'
import type { Policy } from '../../src/policies/policy.ts'
import { said, traceOf, worked } from '../references/transcripts.ts'

const grid = [10, 25, 40, 60, 90, 130, 180, 250, 400, 1000, 0]

function planOf(
  policy: Policy,
  given: Record<string, string>,
  estimator: string,
  preamble: number,
  model = 'claude-sonnet-4-5',
): Plan {
  const counter = estimators.get(estimator)
  return {
    policies: [{ plugin: policy, values: resolveParams(policy.name, policy.params, given) }],
    estimators: [{ plugin: counter, values: resolveParams(estimator, counter.params, {}) }],
    budgets: grid,
    preamble,
    model,
    provider: 'anthropic',
    native: false,
    references: true,
  }
}

/** The same policy without the declaration that it keeps a suffix. */
function silent({ suffix: _, ...plugin }: Policy): Policy {
  return plugin
}

describe('the curve in one pass equals a replay of each budget', () => {
  it.each([
    ['ikigai', {}],
    ['ikigai', { keepLast: '2' }],
    ['drop-oldest', {}],
    ['drop-oldest', { keepLast: '3' }],
    ['drop-oldest', { on: 'exchange' }],
    ['drop-messages', {}],
    ['drop-messages', { keepLast: '0' }],
  ])('for %s %j', (name, given) => {
    const policy = policies.get(name)
    fc.assert(
      fc.property(
        fc.oneof(said, worked),
        fc.constantFrom('bytes', 'anthropic'),
        fc.constantFrom(0, 17),
        // The second takes its reasoning back only behind what has not changed.
        fc.constantFrom('claude-sonnet-4-5', 'claude-opus-5-5'),
        (list, estimator, preamble, model) => {
          const plan = planOf(policy, given, estimator, preamble, model)
          const trace = traceOf(list, sizersFor(plan)({ ...head, provider: 'anthropic' }))
          const curves = [plan, { ...plan, policies: [{ ...plan.policies[0], plugin: silent(policy) }] }].map((one) => {
            const builder = new CurveBuilder(one as Plan)
            builder.add(builder.measure(trace))
            return builder.result({ over: 'nothing', percent: 1 }, false)[0]
          })
          expect(curves.map((curve) => curve?.method)).toEqual(['one-pass', 'replay'])
          expect({ ...curves[0], method: 'replay' }).toEqual(curves[1])
        },
      ),
      { numRuns: 12 },
    )
  })
})

it('leaves out the budgets that say nothing, and of the others the smallest beyond sixteen', () => {
  let full = 0
  const budgets = [...Array.from({ length: 24 }, (_, nth) => 10 + 12 * nth), 0]
  fc.assert(
    fc.property(said, (list) => {
      const plan = { ...planOf(policies.get('drop-messages'), {}, 'bytes', 0), budgets }
      const builder = new CurveBuilder(plan)
      builder.add(builder.measure(traceOf(list, sizersFor(plan)({ ...head, provider: 'anthropic' }))))
      const [all, some] = [false, true].map((trim) => builder.result({ over: 'nothing', percent: 1 }, trim)[0]?.points)
      if (!all || !some) throw new Error('there is no curve')
      const [from, last] = [some[0], some.at(-1)].map((end) => all.findIndex(({ budget }) => budget === end?.budget))
      if (from === undefined || last === undefined) throw new Error('there is no point')
      expect(some).toEqual(all.slice(from, last + 1))
      const prunesNothing = all.findIndex((point) => point.savedTokens === 0 && point.overBudgetRequests === 0)
      expect(last).toBe(prunesNothing)
      expect(some.length).toBeLessThanOrEqual(16)
      if (some.length === 16) full++
      else if (from > 0) expect(all[from - 1]?.sentTokens).toBe(all[from]?.sentTokens)
    }),
    { numRuns: 60 },
  )
  expect(full).toBeGreaterThan(5)
})

const head = {
  file: 'random.jsonl',
  conversation: null,
  format: 'test',
  model: null,
  cwd: null,
  parent: null,
  forkMessage: null,
}
