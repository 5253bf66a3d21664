import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { findInTwin, findInWasm } from '../../../src/references/terms/kernel.ts'
import { anyText } from '../../any-text.ts'
import { found } from './extracted.ts'
import { pieces } from './pieces.ts'

const cwds = fc.constantFrom('', '/home/u/app', 'C:\\work', 'src', 'a/b')

function expectTheSame(text: string, cwd: string): void {
  const [inWasm, inTwin] = [found(findInWasm, text, cwd), found(findInTwin, text, cwd)]
  // Matchers are slow where they are asked thirty thousand times: they show what differs.
  if (!isDeepStrictEqual(inWasm, inTwin)) expect(inWasm).toEqual(inTwin)
}

test('WebAssembly finds what its twin finds in texts made of what terms are made of', () => {
  fc.assert(
    fc.property(fc.array(pieces, { maxLength: 40 }), cwds, (parts, cwd) => expectTheSame(parts.join(''), cwd)),
    { numRuns: 5000 },
  )
})

test('WebAssembly finds what its twin finds wherever a term stands in a long text', () => {
  const filler = fc
    .constantFrom(' ', 'word ', 'a', 'é', '用', '\n', '12 ', 'Word. ', '—')
    .chain((unit) => fc.nat({ max: 200 }).map((count) => unit.repeat(count)))
  fc.assert(
    fc.property(fc.array(fc.oneof(filler, pieces), { maxLength: 30 }), cwds, (parts, cwd) =>
      expectTheSame(parts.join(''), cwd),
    ),
    { numRuns: 3000 },
  )
})

test('WebAssembly finds what its twin finds in any text, and with halves of characters', () => {
  const unit = fc.oneof(
    anyText({ maxLength: 20 }),
    pieces,
    fc.nat(0xffff).map((code) => String.fromCharCode(code)),
  )
  fc.assert(
    fc.property(fc.array(unit, { maxLength: 60 }), cwds, (parts, cwd) => expectTheSame(parts.join(''), cwd)),
    { numRuns: 2000 },
  )
})

test('WebAssembly finds what its twin finds in each fixture', () => {
  const files = readdirSync('fixtures', { recursive: true, encoding: 'utf8' }).map((name) => join('fixtures', name))
  const texts = files.filter((file) => statSync(file).isFile()).map((file) => readFileSync(file, 'utf8'))
  expect(texts.length).toBeGreaterThan(30)
  for (const text of texts) expectTheSame(text, '/home/u/app')
})

test.each([
  ['more terms than are handed over at once', 'src/file.ts fooBar 1.2.3 '.repeat(5000)],
  ['more keys of their own than are handed over at once', 'C:\\work\\file.ts '.repeat(5000)],
  ['more lines than are handed over at once', 'a line that is long enough to count as one\n'.repeat(9000)],
  ['a word that is a whole text', 'a_b'.repeat(50_000)],
  ['a path that is a whole text', 'a/b'.repeat(50_000)],
  ['a text with a memory of its own', `src/file.ts ${' '.repeat(1 << 22)} src/other.ts`],
])('WebAssembly finds what its twin finds in %s', (_, text) => {
  const [inWasm, inTwin] = [found(findInWasm, text), found(findInTwin, text)]
  expect(inWasm.length).toBe(inTwin.length)
  expect(inWasm.every((one, at) => one === inTwin[at])).toBe(true)
})
