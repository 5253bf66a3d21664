import fc from 'fast-check'
import { expect, test } from 'vitest'
import { findInTwin, findInWasm } from '../../../src/references/terms/kernel.ts'
import { termsIn } from './extracted.ts'
import { pieces } from './pieces.ts'
import { slowTerms } from './slow.ts'

test.each([
  ['WebAssembly', findInWasm],
  ['its twin', findInTwin],
])('one pass of %s finds what the regexes find one after the other, in some texts', (_, find) => {
  fc.assert(
    fc.property(fc.array(pieces, { maxLength: 24 }), (parts) => {
      expect(termsIn(find, parts.join(''))).toEqual(slowTerms(parts.join('')))
    }),
    { numRuns: 400 },
  )
})
