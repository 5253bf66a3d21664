import { isDeepStrictEqual } from 'node:util'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { scan } from '../../../src/references/terms/scan.ts'
import { anyText } from '../../any-text.ts'
import { pieces } from './pieces.ts'
import { slowScan } from './slow.ts'

function fast(text: string): string[] {
  const found: string[] = []
  scan(text, (textClass, raw) => found.push(`${textClass} ${raw}`))
  return found
}
const slow = (text: string): string[] => slowScan(text).map(({ textClass, raw }) => `${textClass} ${raw}`)

function expectTheSame(text: string): void {
  const [once, inTurn] = [fast(text), slow(text)]
  // Matchers are slow where they are asked twenty thousand times: they show what differs.
  if (!isDeepStrictEqual(once, inTurn)) expect(once).toEqual(inTurn)
}

test('one pass finds what the regexes find one after the other', () => {
  fc.assert(
    fc.property(fc.array(pieces, { maxLength: 24 }), (parts) => {
      expectTheSame(parts.join(''))
    }),
    { numRuns: 5000 },
  )
})

test('one pass finds the same as the regexes in any text', () => {
  fc.assert(fc.property(anyText({ maxLength: 200 }), expectTheSame), { numRuns: 1000 })
})

// The scanner reads the text through `codes`, so its work can be counted.
test.each([
  ...['a', 'A', '9', '_', '/', '.', '-', '\\', ':', '`', '<', '#', '(', '[', '用', '\ud83d', ' '],
  ...[
    'a/',
    'a/用',
    '/a',
    'C:\\',
    'C:/',
    'c:a',
    '://',
    'http://',
    'http://a',
    'ab:',
    'a-',
    '.a',
    '1.',
    '`a',
    '`ab',
    '#1',
    'aB',
    'a_',
  ],
  ...[
    '12345678-',
    'a.go-1',
    '[a',
    '/[a',
    '/(a',
    '\x1b[',
    '\x1b[1',
    '\x1b[1m',
    '~/',
    '\\n',
    '<system-reminder>',
    '<system-reminder',
    '</a>',
    'a用',
    'a/b.ts(',
  ],
])('work is linear in %j', (piece) => {
  const work = (size: number): number => {
    const text = piece.repeat(size / piece.length)
    let reads = 0
    const codes = new Proxy(new Uint16Array(size + 64), {
      get(target, at: string) {
        reads++
        return target[Number(at)]
      },
    })
    for (let i = 0; i < text.length; i++) codes[i] = text.charCodeAt(i)
    scan(text, () => {}, codes)
    return reads
  }
  const [small, large] = [work(1000), work(4000)]
  expect(large).toBeLessThan(4.2 * small)
  expect(large).toBeLessThan(4000 * 40)
})

test('a name in back-ticks and a path keep whole characters', () => {
  const whole = (key: string): boolean => !/[\ud800-\udfff]/u.test(key) // with u, only halves match
  fc.assert(
    fc.property(fc.array(pieces, { maxLength: 24 }), (parts) => {
      const text = parts.join('')
      expect(fast(text).every(whole)).toBe(true)
    }),
  )
})
