import fc from 'fast-check'
import { expect, it } from 'vitest'
import { firstCell, sizersFor } from '../../src/app/plan.ts'
import keepAll from '../../src/policies/keep-all.ts'
import type { ReferenceDigest } from '../../src/references/digest.ts'
import { latestUses } from '../../src/references/latest-uses.ts'
import { type Loss, LostReferences } from '../../src/references/lost.ts'
import { simulateOne } from '../../src/simulator/simulate.ts'
import { planOf } from './both.ts'
import { said, traceOf, worked } from './transcripts.ts'

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

it('a message was last used by the last response with a use of which it is the newest source, or else mention', () => {
  fc.assert(
    fc.property(fc.oneof(said, worked), (list) => {
      const plan = planOf(keepAll, 0)
      const trace = traceOf(list, sizersFor(plan)({ provider: 'openai', model: null } as never))
      const digest = trace.digest as ReferenceDigest
      const latest = new Array<number>(trace.length).fill(-1)
      const used = ({ request, mention, source }: Loss) => {
        latest[source >= 0 ? source : mention] = request
      }
      const judged = new LostReferences(trace, digest, {} as never, used, 'every')
      simulateOne(firstCell(trace, plan), [{ request: (request) => judged.request(request) }])
      expect([...latestUses(trace, digest)]).toEqual(latest)
    }),
    { numRuns: 60 },
  )
})
