import fc from 'fast-check'
import { afterEach, expect, it, vi } from 'vitest'
import { simulate } from '../../../src/app/by-plan.ts'
import { sizersFor } from '../../../src/app/plan.ts'
import { resolveParams } from '../../../src/base/param.ts'
import bytes from '../../../src/estimators/bytes.ts'
import type { Entry, Policy, Window } from '../../../src/policies/policy.ts'
import forge from '../../../src/policies/systems/forge.ts'
import forgeLiteral from '../../../src/policies/systems/forge-literal.ts'
import { dropOldestLiteral, droppable, SequenceSearch } from '../../../src/policies/upstream/forge.ts'
import { messages, traceOf } from '../../simulator/arbitrary.ts'

afterEach(() => {
  vi.restoreAllMocks()
})

it.each([forge, forgeLiteral] as Policy[])('$name finds, going on, what a look from the beginning finds', (plugin) => {
  const { next } = SequenceSearch.prototype
  let found = 0
  fc.assert(
    fc.property(messages, fc.integer({ min: 0, max: 3 }), fc.constantFrom(20, 60, 150), (list, retain, budget) => {
      vi.spyOn(SequenceSearch.prototype, 'next').mockImplementation(function (this: SequenceSearch, window) {
        const range = next.call(this, window)
        const anew = next.call(new SequenceSearch(0, retain), window)
        expect([range?.from === anew?.from, range?.to === anew?.to]).toEqual([true, true])
        if (range) found++
        return range
      })
      const values = resolveParams(plugin.name, plugin.params, { retentionWindow: retain, summaryTokens: 5 })
      const plan = {
        policies: [{ plugin, values }],
        estimators: [{ plugin: bytes, values: { bytesPerToken: 4 } }],
        budgets: [budget],
      }
      simulate(traceOf(list, sizersFor(plan)(traceOf([], []).head)), plan)
    }),
    { numRuns: 150 },
  )
  expect(found).toBeGreaterThan(10)
})

it('drops the messages of the preamble once, as the printed loop does, and then stops', () => {
  const prompt = { role: 'user', isPrompt: true, calls: 0, message: null, next: null } as Entry
  const drop = vi.fn<Window['drop']>()
  let looks = 0
  const passes = dropOldestLiteral(droppable({ first: prompt, drop } as unknown as Window, 2, () => ++looks < 100))
  expect([passes, looks, drop.mock.calls.length]).toEqual([1, 2, 0])
})
