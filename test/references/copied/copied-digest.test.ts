import fc from 'fast-check'
import { expect, test } from 'vitest'
import { Trace } from '../../../src/model/trace.ts'
import { Anchors, CopiedDigest, mostAnchors } from '../../../src/references/copied/copied-digest.ts'
import { findCopies } from '../../../src/references/copied/copies.ts'
import { type ReferenceDigest, references, referencesWithoutCopies } from '../../../src/references/digest.ts'
import { steps, traceOf } from './transcripts.ts'

const digestOf = ({ digest }: Trace): ReferenceDigest => digest as ReferenceDigest

/** Without the numbers of anchors, which are given anew. */
function copiesIn(trace: Trace) {
  const { anchor: _, occurrences, place, ...copies } = findCopies(trace, digestOf(trace))
  return { ...copies, sources: place.map((at) => occurrences.message[at] as number) }
}

test('a transcript that was kept has the copies that it had', () => {
  fc.assert(
    fc.property(steps, (list) => {
      const trace = traceOf(list)
      expect(copiesIn(Trace.of(trace.plain(), references))).toEqual(copiesIn(trace))
    }),
  )
})

test('a digest reads on where another one stopped', () => {
  fc.assert(
    fc.property(steps, (list) => {
      const { copied } = digestOf(traceOf(list))
      expect(new CopiedDigest(copied.state()).plain()).toEqual(copied.plain())
    }),
  )
})

test('anchors have the numbers of a map, however their hashes collide', () => {
  const hash = fc.constantFrom(0, 1, -1, 16, 1 << 20, 1 << 15, 33)
  fc.assert(
    fc.property(fc.array(hash, { maxLength: 20 }), hash, (hashes, other) => {
      const digest = new CopiedDigest()
      for (const hash of hashes) digest.sent.push(hash)
      const numbers = new Map([...new Set(hashes)].map((hash, number) => [hash, number]))
      const anchors = new Anchors(digest)
      expect(anchors.hashes.length).toBe(numbers.size)
      for (const hash of [...hashes, other]) expect(anchors.numberOf(hash)).toBe(numbers.get(hash) ?? -1)
    }),
  )
})

test('no more is kept than the limit, and who has reached it says so', () => {
  const digest = new CopiedDigest()
  const pairs = new Int32Array(2 * mostAnchors - 2)
  digest.stand(pairs, 0, pairs.length)
  digest.stand(pairs, 0, 2)
  expect(digest.isFull).toBe(false)
  digest.stand(pairs, 2, 4)
  expect([digest.isFull, digest.standing.length]).toEqual([true, mostAnchors])
  digest.send('a text that is sent to a tool, and that is long enough to be a copy', 'file', true)
  expect([digest.sent.length, digest.standing.length]).toEqual([0, mostAnchors])
})

test('without copies a digest has all the rest, and judges nothing', () => {
  fc.assert(
    fc.property(steps, (list) => {
      const full = traceOf(list)
      const less = traceOf(list, undefined, referencesWithoutCopies)
      const { copied: _, ...rest } = digestOf(full).plain()
      const { copied, ...own } = digestOf(less).plain()
      expect(own).toEqual(rest)
      expect([copied.isFull, copied.standing.length, copied.sent.length]).toEqual([true, 0, 0])
      expect(digestOf(Trace.of(less.plain(), referencesWithoutCopies)).copied.isFull).toBe(true)
    }),
  )
})
