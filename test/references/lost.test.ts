import fc from 'fast-check'
import { describe, it } from 'vitest'
import { both, expectEqual, planOf } from './both.ts'
import { droned, maskingPolicy, said, takenBack, wildPolicy, worked } from './transcripts.ts'

describe('lost references equal reading every request again', () => {
  it.each([
    ['sticky', 'of many things', said, 60],
    ['view', 'of many things', said, 60],
    ['sticky', 'of an agent at work', worked, 80],
    ['view', 'of an agent at work', worked, 80],
    ['sticky', 'of few things and much that is taken back', takenBack, 100],
  ] as const)('a policy that edits at random, %s, in transcripts %s', (kind, _, transcripts, numRuns) => {
    fc.assert(
      fc.property(transcripts, fc.integer({ min: 0, max: 1_000_000 }), (list, seed) => {
        expectEqual(both(list, planOf(wildPolicy(kind, seed), 100)))
      }),
      { numRuns },
    )
  })

  it.each(['sticky', 'view'] as const)(
    'a policy that masks nearly everything, %s, in transcripts of one thing',
    (kind) => {
      fc.assert(
        fc.property(droned, fc.integer({ min: 0, max: 1_000_000 }), (list, seed) => {
          expectEqual(both(list, planOf(maskingPolicy(kind, seed), 100)))
        }),
        { numRuns: 30 },
      )
    },
  )
})
