import fc from 'fast-check'
import { expect, test } from 'vitest'
import { utf8Length } from '../../src/base/bytes.ts'
import { headBytes, tailBytes } from '../../src/policies/text.ts'
import { anyText } from '../any-text.ts'

const halves = fc.string({ unit: fc.nat({ max: 0xffff }).map((code) => String.fromCharCode(code)) })

test('the length of a text in UTF-8 is that of its encoding, with halves of characters, too', () => {
  fc.assert(
    fc.property(fc.oneof(anyText(), halves), (text) => {
      expect(utf8Length(text)).toBe(new TextEncoder().encode(text).length)
    }),
  )
})

test('the beginning and the end of a text in bytes are cut out of its whole encoding, between characters', () => {
  const isInside = (byte = 0) => (byte & 0xc0) === 0x80
  fc.assert(
    fc.property(fc.oneof(anyText(), halves), fc.nat({ max: 40 }), (text, max) => {
      const bytes = new TextEncoder().encode(text)
      const decoded = (part: Uint8Array) => (bytes.length <= max ? text : new TextDecoder().decode(part))
      let [end, start] = [Math.min(max, bytes.length), Math.max(0, bytes.length - max)]
      while (end < bytes.length && isInside(bytes[end])) end--
      while (isInside(bytes[start])) start++
      expect(headBytes(text, max)).toBe(decoded(bytes.subarray(0, end)))
      expect(tailBytes(text, max)).toBe(decoded(bytes.subarray(start)))
    }),
  )
})
