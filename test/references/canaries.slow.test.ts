import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { CurveBuilder } from '../../src/app/curve.ts'
import { type Plan, sizersFor } from '../../src/app/plan.ts'
import bytes from '../../src/estimators/bytes.ts'
import ikigai from '../../src/policies/systems/ikigai.ts'
import { TraceBuilder } from '../../src/readers/trace-builder.ts'
import { ReferenceDigest } from '../../src/references/digest.ts'
import { headOf } from '../simulator/arbitrary.ts'
import { type Canary, exchangeTokens, lostAt, plant } from './canaries.ts'

const head = { ...headOf('openai'), file: 'canaries.jsonl' }

function curveOf(exchanges: number, canaries: readonly Canary[], budgets: readonly number[], onePass: boolean) {
  const { suffix, ...plain } = ikigai
  const plan: Plan = {
    policies: [
      { plugin: onePass ? { ...plain, ...(suffix ? { suffix } : {}) } : plain, values: { keepLast: 1, target: 1 } },
    ],
    estimators: [{ plugin: bytes, values: { bytesPerToken: 4 } }],
    budgets,
    preamble: 'auto',
    model: null,
    provider: 'openai',
    native: false,
    references: true,
  }
  const planted = new TraceBuilder(head, sizersFor(plan)(head), false, new ReferenceDigest(head))
  planted.preamble = { system: [], complete: true }
  for (const message of plant(exchanges, canaries)) planted.add(message)
  const builder = new CurveBuilder(plan)
  builder.add(builder.measure(planted.build()))
  return builder.result({ over: 'nothing', percent: 1 }, false)[0] as ReturnType<CurveBuilder['result']>[number]
}

const exchanges = 24

const canary: fc.Arbitrary<Canary> = fc
  .uniqueArray(fc.integer({ min: 0, max: exchanges - 1 }), { minLength: 3, maxLength: 3 })
  .chain((places) => fc.constantFrom(true, false).map((repeats) => ({ places, repeats })))
  .map(({ places, repeats }) => {
    const [planted = 0, middle = 0, used = 0] = [...places].sort((a, b) => a - b)
    return { planted, repeated: repeats ? middle : null, used }
  })

describe('planted canaries', () => {
  it.each([true, false])('are lost as the closed form says, at every budget (one pass: %s)', (onePass) => {
    fc.assert(
      fc.property(fc.array(canary, { minLength: 1, maxLength: 4 }), (canaries) => {
        // The request's envelope, `{"messages":[]}`, makes the size no multiple of an exchange.
        const budgets = Array.from({ length: exchanges + 1 }, (_, count) => (count + 1) * exchangeTokens + 50)
        const curve = curveOf(exchanges, canaries, budgets, onePass)
        // One matcher for all budgets: three for each took a quarter of the time.
        const found = curve.points.map(({ references }) => ({
          mentionLost: references?.mentionLost,
          sourceLost: references?.sourceLost,
          named: references?.named.sourceLost,
          headline: references?.headline.total,
        }))
        const lost = curve.points.map(({ budget }) => lostAt(budget, canaries))
        expect(found).toEqual(lost.map((one) => ({ ...one, named: one.sourceLost, headline: 0 })))
      }),
      { numRuns: onePass ? 150 : 30 },
    )
  })

  it('bend the curve where they lie, and place no knee, as they are names', () => {
    const canaries = [2, 5, 5, 9].map((distance) => ({ planted: 10 - distance, repeated: null, used: 10 }))
    const budgets = [150, 250, 350, 450, 550, 650, 750, 850, 950, 1050]
    const { points, knee } = curveOf(exchanges, canaries, budgets, true)
    expect(points.map(({ references }) => references?.sourceLostPercent)).toEqual([
      100, 75, 75, 75, 25, 25, 25, 25, 0, 0,
    ])
    expect(knee).toBeNull()
  })
})
