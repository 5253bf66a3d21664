/** Which words name a filter, and how a command is taken apart. What runs programs is tried in filter.slow.test.ts. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { moduleFilter, wordsIn } from '../../../src/cli/inputs/filter.ts'
import { filterIn } from '../../../src/cli/inputs/module-words.ts'

describe('wordsIn', () => {
  it.each<[command: string, words: string[]]>([
    ['', []],
    ['  cat  ', ['cat']],
    ['rtk read -', ['rtk', 'read', '-']],
    [`sh -c 'cat; echo "a b"'`, ['sh', '-c', 'cat; echo "a b"']],
    [`a"b \\"c"'d'`, ['ab "cd']],
    ['a\\ b', ['a b']],
    ['cat; rm -rf $HOME | `x` > y', ['cat;', 'rm', '-rf', '$HOME', '|', '`x`', '>', 'y']],
    [`""`, ['']],
  ])('of %s', (command, words) => {
    expect(wordsIn(command)).toEqual(words)
  })

  it('gives back any words that were put between quotes', () => {
    fc.assert(
      fc.property(fc.array(fc.string()), (words) => {
        const quoted = words.map((word) => `'${word.replaceAll("'", `'"'"'`)}'`).join(' ')
        expect(wordsIn(quoted)).toEqual(words)
      }),
    )
  })

  it.each([`'a`, '"a', 'a \\'])('refuses what is not closed: %s', (command) => {
    expect(() => wordsIn(command)).toThrow('is not a command whose quotes are closed')
  })
})

describe('filterIn', () => {
  it.each<[key: string, value: unknown, found: string | undefined]>([
    ['policy', 'filter:command=cat', 'filter:command=cat'],
    ['policy', ['ikigai', 'keep-all, filter:command=a'], 'filter:command=a'],
    ['baseline', 'filter', 'filter'],
    ['policy', 'ikigai:target=0.5,filters', undefined],
    ['format', 'filter:command=cat', undefined],
    ['policy', 7, undefined],
  ])('of %s %j', (key, value, found) => {
    expect(filterIn(key, value)).toBe(found)
  })
})

describe('a module as a filter', () => {
  it('has to export a function that gives a text at once', () => {
    expect(moduleFilter('./m.js', (text: string) => text.slice(1))('abc')).toBe('bc')
    expect(() => moduleFilter('./m.js', 1)).toThrow('./m.js: its default export is not a function of a text')
    expect(() => moduleFilter('./m.js', () => Promise.resolve(''))('a')).toThrow(
      './m.js gave a promise that is no text',
    )
    const secret = () => {
      throw new Error('secret')
    }
    expect(() => moduleFilter('./m.js', secret)('a')).toThrow(/^\.\/m\.js threw an error$/)
  })
})
