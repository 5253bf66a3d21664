/** Random texts of any code points but lone surrogates. */
import fc from 'fast-check'

/** All code points but the surrogates, numbered from 0. */
const codePoints = 0x110000 - 0x800

/**
 * What `fc.string({ unit: 'binary' })` gives, without the table of a million characters that it makes first: it takes a
 * second in each process.
 */
export const codePoint = fc.nat(codePoints - 1).map(
  (number) => String.fromCodePoint(number < 0xd800 ? number : number + 0x800),
  (text) => {
    const code = typeof text === 'string' && text !== '' ? (text.codePointAt(0) as number) : -1
    if (code < 0 || String.fromCodePoint(code) !== text || (code >= 0xd800 && code < 0xe000)) throw new Error('not one')
    return code < 0xd800 ? code : code - 0x800
  },
)

export const anyText = (constraints: fc.StringSharedConstraints = {}): fc.Arbitrary<string> =>
  fc.string({ ...constraints, unit: codePoint })
