import fc from 'fast-check'
import { expect, test } from 'vitest'
import { scan } from '../../../src/references/terms/scan.ts'
import { pieces } from './pieces.ts'
import { slowScan } from './slow.ts'

test('one pass finds what the regexes find one after the other, in some texts', () => {
  fc.assert(
    fc.property(fc.array(pieces, { maxLength: 24 }), (parts) => {
      const found: string[] = []
      scan(parts.join(''), (textClass, raw) => found.push(`${textClass} ${raw}`))
      expect(found).toEqual(slowScan(parts.join('')).map(({ textClass, raw }) => `${textClass} ${raw}`))
    }),
    { numRuns: 400 },
  )
})
