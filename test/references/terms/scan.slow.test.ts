import { readFileSync } from 'node:fs'
import { isDeepStrictEqual } from 'node:util'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { plainMemory } from '../../../src/base/wasm.ts'
import { boilerplateTags } from '../../../src/references/terms/boilerplate.ts'
import { KIND } from '../../../src/references/terms/characters.ts'
import { findInTwin } from '../../../src/references/terms/kernel.ts'
import { endsUrl, neverLast } from '../../../src/references/terms/urls.ts'
import { anyText } from '../../any-text.ts'
import { termsIn } from './extracted.ts'
import { pieces } from './pieces.ts'
import { slowTerms } from './slow.ts'

const fast = (text: string): string[] => termsIn(findInTwin, text)

function expectTheSame(text: string): void {
  const [once, inTurn] = [fast(text), slowTerms(text)]
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

type Table = 'kinds' | 'endsUrl' | 'neverLast'
type Twin = Readonly<Record<Table, { readonly value: number }>> & {
  room(length: number): number
  addTag(length: number): void
  scan(): void
}

/** Scans a text with the twin. @returns how often it reads a character */
function readsIn(text: string): number {
  let reads = 0
  const counted = class extends Uint16Array {
    constructor(buffer: ArrayBuffer) {
      super(buffer)
      // biome-ignore lint/correctness/noConstructorReturn: what the twin is given is the proxy
      return new Proxy(this, {
        get(target, at: string) {
          reads++
          return target[Number(at)]
        },
      })
    }
  }
  const module = { exports: (_: object): unknown => null }
  new Function('module', 'Uint16Array', readFileSync('dist/wasm/references.cjs', 'utf8'))(module, counted)
  const memory = plainMemory()
  const none = () => {}
  const host = { takeTerms: none, takePieces: none, takeAnchors: none }
  const twin = module.exports({ env: { memory }, host }) as Twin
  for (const [table, of] of Object.entries({ kinds: KIND, endsUrl, neverLast }))
    new Uint8Array(memory.buffer).set(of, twin[table as Table].value)
  const write = (text: string): void => {
    const at = twin.room(text.length)
    Buffer.from(memory.buffer).write(text, at, 'utf16le')
  }
  for (const tag of boilerplateTags) {
    write(tag)
    twin.addTag(tag.length)
  }
  write(text)
  reads = 0
  twin.scan()
  return reads
}

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
  const work = (size: number): number => readsIn(piece.repeat(size / piece.length))
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
