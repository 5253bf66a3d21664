import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { jsonLength, jsonStringLength } from '../../src/base/json-length.ts'

const slow = (value: unknown) => Buffer.byteLength(JSON.stringify(value))

/** Any UTF-16 text, lone surrogates included, with many awkward code units. */
const unit = fc.oneof(
  { weight: 3, arbitrary: fc.integer({ min: 0x20, max: 0x7e }) },
  fc.integer({ min: 0, max: 0xffff }),
  fc.integer({ min: 0xd7ff, max: 0xe000 }),
  fc.constantFrom(
    0,
    8,
    9,
    10,
    12,
    13,
    0x1f,
    0x20,
    0x22,
    0x5c,
    0x7f,
    0x80,
    0x7ff,
    0x800,
    0xd800,
    0xdbff,
    0xdc00,
    0xdfff,
    0xfffd,
  ),
)
const anyText = fc.array(unit, { maxLength: 300 }).map((units) => String.fromCharCode(...units))

describe('jsonStringLength', () => {
  it('is what JSON.stringify would write, for every UTF-16 unit alone and in a long text', () => {
    for (let code = 0; code <= 0xffff; code++) {
      const text = String.fromCharCode(code)
      if (jsonStringLength(text) !== slow(text)) expect.fail(`U+${code.toString(16)}`)
    }
    const every = String.fromCharCode(...Array.from({ length: 0xffff }, (_, code) => (code * 7919) & 0xffff))
    expect(jsonStringLength(every.repeat(3))).toBe(slow(every.repeat(3)))
  })

  it('is what JSON.stringify would write, for any text', () => {
    fc.assert(
      fc.property(anyText, (text) => {
        expect(jsonStringLength(text)).toBe(slow(text))
      }),
      { numRuns: 800 },
    )
  })

  it('is right wherever a long text is cut into chunks', () => {
    fc.assert(
      fc.property(
        anyText,
        fc.integer({ min: -305, max: 5 }),
        fc.constantFrom('a', '\n', '€'),
        (text, shift, padding) => {
          const long = padding.repeat((1 << 16) + shift) + text + padding.repeat(1 << 16)
          expect(jsonStringLength(long)).toBe(slow(long))
        },
      ),
      { numRuns: 80 },
    )
  })
})

describe('jsonLength', () => {
  it('is what JSON.stringify would write, for any JSON value', () => {
    const { value } = fc.letrec((tie) => ({
      value: fc.oneof(
        { depthSize: 'small' },
        fc.constantFrom(null, true, false, undefined, Number.NaN, Number.POSITIVE_INFINITY, -0, 1e21, 1e-7, 5e-324),
        fc.double(),
        fc.integer(),
        anyText,
        fc.array(tie('value')),
        fc.dictionary(anyText, tie('value')),
      ),
    }))
    fc.assert(
      fc.property(value, (each) => {
        expect(jsonLength(each)).toBe(each === undefined ? 0 : slow(each))
      }),
      { numRuns: 800 },
    )
  })

  it.each([
    ['a key __proto__', JSON.parse('{"__proto__":{"a":1}}')],
    [
      'members JSON has no word for',
      { a: undefined, b: () => 1, c: Symbol('c'), d: [undefined, () => 1, Symbol('d')] },
    ],
    ['only such members', { a: undefined }],
    ['a sparse array', new Array(3)],
  ])('agrees with JSON.stringify on %s', (_, value) => {
    expect(jsonLength(value)).toBe(slow(value))
  })

  it('does not overflow the stack', () => {
    const depth = 200_000
    expect(jsonLength(JSON.parse(`${'[{"a":'.repeat(depth)}1${'}]'.repeat(depth)}`))).toBe(8 * depth + 1)
  })
})
