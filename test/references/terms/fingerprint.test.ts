import fc from 'fast-check'
import { expect, test } from 'vitest'
import { fingerprint } from '../../../src/base/fingerprint.ts'
import { fingerprintInWasm } from '../../../src/references/terms/kernel.ts'
import { anyText } from '../../any-text.ts'

const units = fc.string({ unit: fc.nat({ max: 0xffff }).map((code) => String.fromCharCode(code)) })

test('WebAssembly gives texts the number that TypeScript gives them', () => {
  fc.assert(
    fc.property(fc.array(fc.oneof(anyText(), units), { maxLength: 4 }), (texts) => {
      expect(fingerprintInWasm(texts)).toBe(fingerprint(texts))
    }),
    { numRuns: 1000 },
  )
})

test.each([
  ['as long as are kept in memory', 1 << 22],
  ['longer than those', (1 << 22) + 1],
])('and texts %s', (_, length) => {
  const texts = ['one', '漢字 🎉 and more '.repeat(length / 14 + 1).slice(0, length)]
  expect(fingerprintInWasm(texts)).toBe(fingerprint(texts))
})
