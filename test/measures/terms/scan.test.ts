import fc from 'fast-check'
import { expect, test } from 'vitest'
import { scan } from '../../../src/measures/terms/scan.ts'
import { slowScan } from './slow.ts'

function fast(text: string): string[] {
  const found: string[] = []
  scan(text, (textClass, raw) => found.push(`${textClass} ${raw}`))
  return found
}
const slow = (text: string): string[] => slowScan(text).map(({ textClass, raw }) => `${textClass} ${raw}`)

const pieces = fc.constantFrom(
  ...'/ \\ . : - _ ` # @ ~ % $ ( ) [ ] { } < > * & , ; " \' = a b n B E x 1 12 12345 é 在 里 文 。 … 😀 //  ://'.split(
    ' ',
  ),
  ...' |\n|\\n|\\t|src|auth.ts|.ts|https|http://|https://x.y|file:///|C:\\|c:\\\\|D:/|~/|../|./|a/|(app)|[id]|()|``|fooBar|foo_bar'.split(
    '|',
  ),
  ...'TypeError|ENOENT|TS2345|E0382|ERR_X|HTTPServer|URLs|abc1234|0a1b2c3d|v1|1.2.3|.5|#42|#1|&#39;|getUser()'.split(
    '|',
  ),
  ...'12345678-1234-1234-1234-123456789abc|-1234|.go-52-x|.go-7|<system-reminder>|</system-reminder>|</div>|_é'.split(
    '|',
  ),
)

test('one pass finds what the regexes find one after the other', () => {
  fc.assert(
    fc.property(fc.array(pieces, { maxLength: 24 }), (parts) => {
      const text = parts.join('')
      expect(fast(text)).toEqual(slow(text))
    }),
    { numRuns: 20_000 },
  )
})

test('… and in any text', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 200 }), (text) => {
      expect(fast(text)).toEqual(slow(text))
    }),
    { numRuns: 3000 },
  )
})
