import fc from 'fast-check'
import { expect, test } from 'vitest'
import { findInTwin } from '../../../src/references/terms/kernel.ts'
import { linesOf } from '../slow.ts'

function piecesOf(text: string): string[] {
  const pieces: string[] = []
  findInTwin(text, '', null, (high, low) => pieces.push(`${high} ${low}`))
  return pieces
}

const line = '  if (window.tokens > budget) drop(oldest)'

test.each([
  ['a tab for blanks, and one more', '\tif (window.tokens  >\tbudget) drop(oldest)  '],
  ['a number of Claude Code', '    12→  if (window.tokens > budget) drop(oldest)'],
  ['a number of cat -n', '     7\t  if (window.tokens > budget) drop(oldest)'],
  ['a number of grep -n', '12:  if (window.tokens > budget) drop(oldest)'],
  ['a number of opencode', '00012| if (window.tokens > budget) drop(oldest)'],
  ['a number and a bar', '  12 |   if (window.tokens > budget) drop(oldest)'],
  ['the numbers of before and after', '   426  428 │   if (window.tokens > budget) drop(oldest)'],
  ['a file and a number of rg', 'src/a-b/window.ts:12:  if (window.tokens > budget) drop(oldest)'],
  ['a line beside a match', 'src/a-b/window.ts-12-  if (window.tokens > budget) drop(oldest)'],
  ['an added line', '+  if (window.tokens > budget) drop(oldest)'],
  ['a removed line', '-  if (window.tokens > budget) drop(oldest)'],
  ['the line end of Windows', '  if (window.tokens > budget) drop(oldest)\r\n'],
])('a line is the same behind %s', (_, shown) => {
  expect(piecesOf(shown)).toEqual(piecesOf(line))
  expect(piecesOf(shown)).toHaveLength(1)
})

test('a line of 24 characters is no piece, and one of 25 is', () => {
  expect(piecesOf('a'.repeat(24))).toEqual([])
  expect(piecesOf(`${'a'.repeat(12)}   ${'b'.repeat(12)}`)).toHaveLength(1)
})

test('two lines are one piece exactly where they read the same', () => {
  const part = fc.constantFrom(
    '  ',
    '\t',
    '12',
    '→',
    ':',
    '-',
    '+',
    '|',
    ' 14 ',
    '│',
    'a.ts',
    'long enough to be a piece',
    'other',
    '\n',
    '\r\n',
    'é用',
  )
  const text = fc.array(part, { maxLength: 24 }).map((parts) => parts.join(''))
  fc.assert(
    fc.property(text, (text) => {
      const [pieces, lines] = [piecesOf(text), linesOf(text)]
      expect(pieces.map((piece) => pieces.indexOf(piece))).toEqual(lines.map((line) => lines.indexOf(line)))
    }),
    { numRuns: 2000 },
  )
})
