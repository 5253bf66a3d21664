import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { policies } from '../../src/policies/index.ts'
import { both, expectEqual, planOf } from './both.ts'
import { type Said, said } from './transcripts.ts'

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
