/** The lint for functions that are handed to `map` by name and take its index for something else. */
import ts from 'typescript'
import { expect, it } from 'vitest'
import { looseCallbacks } from '../../tools/lint/callbacks.mjs'

const head = `
  const one = (word: string) => word
  const indented = (word: string, indent = 0) => word + indent
  const numbered = (word: string, at: number) => word + at
  const all = (...words: unknown[]) => words
  const summed = (sum: number, word: string, per?: number) => sum + word.length * (per ?? 1)
  const tools = { words: ['a'], write: indented, sink: (given: (word: string) => void) => given('a') }
`

/** What is found in these lines, by the name of the method and of the function. */
function foundIn(...lines: readonly string[]): string[] {
  const text = head + lines.join('\n')
  const options = { target: ts.ScriptTarget.ES2023, lib: ['lib.es2023.d.ts'], types: [] }
  const host = ts.createCompilerHost(options)
  const { getSourceFile } = host
  host.getSourceFile = (name, version) =>
    name === 'it.ts' ? ts.createSourceFile(name, text, version) : getSourceFile(name, version)
  return looseCallbacks(ts.createProgram(['it.ts'], options, host)).map((line) => line.replace(/^it\.ts:\d+: /, ''))
}

it('finds one wherever the index is handed on, and says what it is', () => {
  expect(
    foundIn(
      'tools.words.map(indented)',
      'tools.words.map(tools.write)',
      'tools.words?.forEach(all)',
      'Array.from(tools.words, indented)',
      'tools.words.reduce(summed, 0)',
      'tools.words.map(parseInt)',
      'new Set(tools.words).forEach(indented)',
    ),
  ).toEqual([
    'map(indented)',
    'map(tools.write)',
    'forEach(all)',
    'from(indented)',
    'reduce(summed)',
    'map(parseInt)',
    'forEach(indented)',
  ])
})

it('leaves what takes only its subject, what wants the index, and what hands on no more', () => {
  expect(
    foundIn(
      'tools.words.map(one)',
      'tools.words.map(numbered)',
      'tools.words.map((word) => indented(word))',
      'tools.words.filter(Boolean).map(Number)',
      'tools.sink(indented)',
    ),
  ).toEqual([])
})
