import fc from 'fast-check'
import { expect, it } from 'vitest'
import type { ReferenceDigest } from '../../src/references/digest.ts'
import { latestUses } from '../../src/references/latest-uses.ts'
import { said, traceOf } from './transcripts.ts'

it('the uses since a request are those of all requests that are not older', () => {
  let [some, older] = [0, 0]
  fc.assert(
    fc.property(said, fc.nat(5), (list, from) => {
      const trace = traceOf(list, [])
      const digest = trace.digest as ReferenceDigest
      const all = latestUses(trace, digest)
      const late = latestUses(trace, digest, from)
      expect(late).toEqual(all.map((request) => (request >= from ? request : -1)))
      if (late.some((request) => request >= 0)) some++
      if (all.some((request) => request >= 0 && request < from)) older++
    }),
    { numRuns: 300, seed: 18 },
  )
  expect(some).toBeGreaterThan(40)
  expect(older).toBeGreaterThan(40)
})
