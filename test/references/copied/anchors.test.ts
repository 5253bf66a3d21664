import fc from 'fast-check'
import { expect, test } from 'vitest'
import { anchorLength } from '../../../src/references/copied/anchors.ts'
import type { Find } from '../../../src/references/terms/find.ts'
import { findInTwin, findInWasm } from '../../../src/references/terms/kernel.ts'
import { anyText } from '../../any-text.ts'
import { folded, slowAnchors, winnowed } from './slow.ts'

const anchorsOf = (text: string, find: Find = findInTwin): [hash: number, at: number][] => {
  const found: [number, number][] = []
  find(text, '', null, null, (pairs, from, to) => {
    for (let at = from; at < to; at += 2) found.push([pairs[at] as number, pairs[at + 1] as number])
  })
  return found
}

const line = fc.constantFrom(
  'export function alpha(one: string): void {',
  '    12→\treturn  one.length',
  '42:const gamma = beta(1)',
  '- a point of a list',
  'see src/references/copied/anchors.ts:12, C:\\app\\src\\a.ts or https://example.dev/a?b=1#c',
  'a/b/c or aWordWithoutAnySlash1234',
  '====================================',
  'é用',
  '',
  '   ',
  '\r',
)
const text = fc.oneof(
  fc.array(line, { maxLength: 8 }).map((lines) => lines.join('\n')),
  anyText({ maxLength: 80 }),
  // Any character may stand in a path, or end it.
  fc
    .array(
      fc.oneof(
        fc.constant('/words'),
        fc.integer({ min: 1, max: 160 }).map((code) => String.fromCharCode(code)),
      ),
      { maxLength: 80 },
    )
    .map((parts) => parts.join('')),
  fc.array(fc.constantFrom('ab', 'a', ' ', '\n', '1:'), { maxLength: 80 }).map((parts) => parts.join('')),
)

test.each([
  ['WebAssembly', findInWasm],
  ['its twin', findInTwin],
])('%s finds the least of each eight neighbours', (_, find) => {
  fc.assert(
    fc.property(text, (text) => {
      expect(anchorsOf(text, find)).toEqual(slowAnchors(text))
    }),
    { numRuns: 2000 },
  )
  const numbers = Array.from({ length: 60000 }, (_, at) => at).join(' ')
  for (const long of ['a word, another one, and a third.\n'.repeat(3000) + numbers, '=-='.repeat(2000), numbers])
    expect(anchorsOf(long, find)).toEqual(slowAnchors(long))
})

test('an anchor stands where it says, and equal characters have equal anchors', () => {
  const known = new Map<string, number>()
  fc.assert(
    fc.property(text, (text) => {
      const plain = folded(text)
      for (const [hash, at] of anchorsOf(text)) {
        const characters = plain.slice(at, at + anchorLength)
        expect(characters.length).toBe(anchorLength)
        expect(known.get(characters) ?? hash).toBe(hash)
        known.set(characters, hash)
      }
    }),
  )
})

test('there are no more anchors than characters, and of long texts two for each nine', () => {
  fc.assert(
    fc.property(text, (text) => {
      expect(anchorsOf(text).length).toBeLessThanOrEqual(folded(text).length)
    }),
  )
  const long = Array.from({ length: 20000 }, (_, at) => (at * 7919).toString(36)).join(' ')
  expect(anchorsOf(long).length / long.length).toBeCloseTo(2 / 9, 1)
})

test('no stretch of characters that is long enough is without an anchor', () => {
  const least = anchorLength + winnowed - 1
  fc.assert(
    fc.property(text, (text) => {
      const starts = anchorsOf(text).map(([, at]) => at)
      for (let from = 0; from + least <= folded(text).length; from++) {
        expect(starts.some((at) => at >= from && at + anchorLength <= from + least)).toBe(true)
      }
    }),
  )
})

test('a stretch that two texts share has the same anchors in both', () => {
  fc.assert(
    fc.property(text, text, text, text, text, (before, after, shared, others, ends) => {
      const least = anchorLength + winnowed - 1
      const [one, other] = [`${before}\n${shared}\n${after}`, `${others}\n${shared}\n${ends}`]
      if (folded(shared).length < least) return
      const hashes = new Set(anchorsOf(other).map(([hash]) => hash))
      expect(anchorsOf(one).some(([hash]) => hashes.has(hash))).toBe(true)
    }),
  )
})
