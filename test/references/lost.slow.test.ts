import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { firstCell, sizersFor } from '../../src/app/plan.ts'
import type { References } from '../../src/model/run.ts'
import { policies } from '../../src/policies/index.ts'
import { simulateOne } from '../../src/simulator/simulate.ts'
import { both, expectEqual, planOf } from './both.ts'
import { type Said, said, traceOf, wildPolicy } from './transcripts.ts'

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
          (terms) => simulateOne(firstCell(traceOf(list, sizers, undefined, terms), plan), []).references as References,
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
    back: 0,
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
