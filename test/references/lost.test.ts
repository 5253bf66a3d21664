import fc from 'fast-check'
import { describe, it } from 'vitest'
import { both, expectEqual, planOf } from './both.ts'
import { said, takenBack, wildPolicy } from './transcripts.ts'

describe('lost references equal reading every request again', () => {
  it.each([
    ['sticky', 'of many things', said, 100],
    ['view', 'of many things', said, 100],
    ['sticky', 'of few things and much that is taken back', takenBack, 300],
  ] as const)('a policy that edits at random, %s, in transcripts %s', (kind, _, transcripts, numRuns) => {
    fc.assert(
      fc.property(transcripts, fc.integer({ min: 0, max: 1_000_000 }), (list, seed) => {
        expectEqual(both(list, planOf(wildPolicy(kind, seed), 100)))
      }),
      { numRuns },
    )
  })
})
