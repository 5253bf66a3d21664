import fc from 'fast-check'
import { expect, test } from 'vitest'
import { fromBase64, fromBase64Anywhere, utf8Length, utf8LengthAnywhere } from '../../src/base/bytes.ts'

const texts = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.string({ unit: 'grapheme' }),
  fc.constantFrom('\ud800', 'a\udc00b'),
)

test('counts the bytes of a text as Node does, wherever it runs', () => {
  fc.assert(
    fc.property(texts, fc.nat(3), (text, times) => {
      const long = text.repeat(times === 3 ? 70_000 / Math.max(1, text.length) : times)
      expect(utf8LengthAnywhere(long)).toBe(Buffer.byteLength(long))
      expect(utf8Length(long)).toBe(Buffer.byteLength(long))
    }),
  )
})

test('counts a pair of surrogates once, wherever it stands in a long text', () => {
  const long = `${'a'.repeat(65_535)}😀${'é'.repeat(70_000)}`
  expect(utf8LengthAnywhere(long)).toBe(Buffer.byteLength(long))
})

test('reads base64 as Node does, also where lines are broken or the end is missing', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 200 }), fc.nat(3), fc.boolean(), fc.boolean(), (bytes, cut, breaks, url) => {
      const whole = Buffer.from(bytes).toString(url ? 'base64url' : 'base64')
      const text = whole.slice(0, whole.length - cut).replace(/(.{76})/g, breaks ? '$1\n' : '$1')
      expect(Buffer.from(fromBase64Anywhere(text))).toEqual(Buffer.from(text, 'base64'))
      expect(Buffer.from(fromBase64(text))).toEqual(Buffer.from(text, 'base64'))
    }),
  )
})
