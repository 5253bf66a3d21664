import fc from 'fast-check'
import { expect, test } from 'vitest'
import { utf8Length } from '../../src/policies/text.ts'
import { anyText } from '../any-text.ts'

const halves = fc.string({ unit: fc.nat({ max: 0xffff }).map((code) => String.fromCharCode(code)) })

test('the length of a text in UTF-8 is that of its encoding, with halves of characters, too', () => {
  fc.assert(
    fc.property(fc.oneof(anyText(), halves), (text) => {
      expect(utf8Length(text)).toBe(new TextEncoder().encode(text).length)
    }),
  )
})
