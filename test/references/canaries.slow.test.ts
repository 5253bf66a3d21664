import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { caseOf, type Plan, sizersFor } from '../../src/app/plan.ts'
import bytes from '../../src/estimators/bytes.ts'
import type { References } from '../../src/model/run.ts'
import ikigai from '../../src/policies/systems/ikigai.ts'
import { TraceBuilder } from '../../src/readers/trace-builder.ts'
import { ReferenceDigest } from '../../src/references/digest.ts'
import { simulateOne } from '../../src/simulator/simulate.ts'
import { headOf } from '../simulator/arbitrary.ts'
import { type Canary, exchangeTokens, lostAt, plant } from './canaries.ts'

const head = { ...headOf('openai'), file: 'canaries.jsonl' }

/** The references of a replay at each budget. */
function referencesAt(exchanges: number, canaries: readonly Canary[], budgets: readonly number[]): References[] {
  const policy = { plugin: ikigai, values: { keepLast: 1, target: 1 } }
  const plan: Plan = {
    policies: [policy],
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
  const facts = caseOf(planted.build(), plan)
  return budgets.map((budget) => simulateOne({ policy, facts, budget }, []).references as References)
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
  it('are lost as the closed form says, at every budget', () => {
    fc.assert(
      fc.property(fc.array(canary, { minLength: 1, maxLength: 4 }), (canaries) => {
        // The request's envelope, `{"messages":[]}`, makes the size no multiple of an exchange.
        const budgets = Array.from({ length: exchanges + 1 }, (_, count) => (count + 1) * exchangeTokens + 50)
        // One matcher for all budgets: three for each took a quarter of the time.
        const found = referencesAt(exchanges, canaries, budgets).map(
          ({ mentionLost, sourceLost, named, headline }) => ({
            ...{ mentionLost, sourceLost },
            named: named.sourceLost,
            headline: headline.total,
          }),
        )
        const lost = budgets.map((budget) => lostAt(budget, canaries))
        expect(found).toEqual(lost.map((one) => ({ ...one, named: one.sourceLost, headline: 0 })))
      }),
      { numRuns: 30 },
    )
  })

  it('are lost in steps, where they lie', () => {
    const canaries = [2, 5, 5, 9].map((distance) => ({ planted: 10 - distance, repeated: null, used: 10 }))
    const budgets = [150, 250, 350, 450, 550, 650, 750, 850, 950, 1050]
    const lost = referencesAt(exchanges, canaries, budgets).map(({ sourceLostPercent }) => sourceLostPercent)
    expect(lost).toEqual([100, 75, 75, 75, 25, 25, 25, 25, 0, 0])
  })
})
