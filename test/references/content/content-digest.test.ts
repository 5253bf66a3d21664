import fc from 'fast-check'
import { expect, test } from 'vitest'
import { ContentDigest, Pieces } from '../../../src/references/content/content-digest.ts'
import { find } from '../../../src/references/terms/finder.ts'

const text = fc
  .array(fc.constantFrom('a line that is long enough', 'another one that is as long', 'short'), { maxLength: 4 })
  .map((lines) => lines.join('\n'))
const message = fc.record({ text, taken: fc.option(text) })

function add(digest: ContentDigest, messages: readonly { text: string; taken: string | null }[]): void {
  for (const { text, taken } of messages) {
    find(text, '', null, digest.standing.push)
    if (taken !== null) digest.take(7, taken)
    digest.endMessage()
  }
}

function held(digest: ContentDigest, count: number): unknown {
  const hashes = (of: ContentDigest['standing']) =>
    Array.from({ length: of.length }, (_, at) => [of.high(at), of.low(at)])
  return {
    standing: hashes(digest.standing),
    taken: hashes(digest.taken),
    messages: Array.from({ length: count }, (_, index) => [digest.start(index), [...digest.takesOf(index)]]),
  }
}

test('what was taken back leaves nothing behind', () => {
  const messages = fc.array(message, { maxLength: 6 })
  fc.assert(
    fc.property(messages, messages, messages, (first, abandoned, then) => {
      const [digest, fresh] = [new ContentDigest(), new ContentDigest()]
      add(digest, [...first, ...abandoned])
      digest.rewind(first.length)
      add(digest, then)
      add(fresh, [...first, ...then])
      expect(held(digest, first.length + then.length)).toEqual(held(fresh, first.length + then.length))
    }),
  )
})

test('pieces have the numbers of a map, however their hashes collide', () => {
  const half = fc.constantFrom(0, 1, -1, 16, 1 << 20)
  fc.assert(
    fc.property(fc.array(fc.tuple(half, half), { maxLength: 40 }), half, half, (added, high, low) => {
      const [pieces, map] = [new Pieces(added.length), new Map<string, number>()]
      for (const [high, low] of added) {
        const key = `${high} ${low}`
        if (!map.has(key)) map.set(key, map.size)
        expect(pieces.add(high, low)).toBe(map.get(key))
      }
      expect(pieces.count).toBe(map.size)
      expect(pieces.idOf(high, low)).toBe(map.get(`${high} ${low}`) ?? -1)
    }),
  )
})
