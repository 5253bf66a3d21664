import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterAll, describe, expect, it } from 'vitest'
import { draftName, isKey, keyOf } from '../../src/cache/key.ts'
import { clearEntries, Room } from '../../src/cache/room.ts'
import { openStore } from '../../src/cache/store.ts'

const root = mkdtempSync(join(tmpdir(), 'ctxwin-store-'))
afterAll(() => rmSync(root, { recursive: true }))

describe('a key', () => {
  it('is another where any value is another, and only there', () => {
    const values = fc.array(fc.jsonValue(), { maxLength: 4 })
    fc.assert(
      fc.property(values, values, (one, other) => {
        expect(isKey(keyOf(one))).toBe(true)
        expect(keyOf(one) === keyOf(other)).toBe(JSON.stringify(one) === JSON.stringify(other))
      }),
    )
  })
})

describe('a store', () => {
  it('has what was kept, under its key alone', () => {
    const directory = join(root, 'kept/here')
    const store = openStore(directory)
    expect(store.find(['a'])).toBe(undefined)
    store.keep(['a'], Buffer.from('one'))
    store.keep(['a'], Buffer.from('two'))
    expect(String(store.find(['a']))).toBe('two')
    expect(store.find(['b'])).toBe(undefined)
    expect(readdirSync(directory)).toEqual([keyOf(['a']), 'CACHEDIR.TAG'])
  })

  it('asks for room for all that it writes, and writes nothing where there is none', () => {
    const asked: [string, number][] = []
    const directory = join(root, 'full')
    openStore(directory, (...file) => asked.push(file) < 0).keep(['a'], Buffer.alloc(10))
    expect(asked).toEqual([[join(directory, keyOf(['a'])), 14]])
    expect(readdirSync(directory)).toEqual(['CACHEDIR.TAG'])
  })
})

describe('what is removed', () => {
  const month = 31 * 24 * 3600
  /** Makes a file, so old that it would go if it were ours. */
  const old = (directory: string, name: string) => {
    writeFileSync(join(directory, name), name)
    utimesSync(join(directory, name), Date.now() / 1000 - month, Date.now() / 1000 - month)
  }
  const keep = (directory: string, about: string) => openStore(directory).keep([about], Buffer.from(about))
  /** Names of other programs and of people, some of which look as ours do. */
  const foreign = [
    'thesis.txt',
    'thesis.draft',
    'flags-1a2b-3c4d-5e',
    'o200k_base-1a2b3c',
    '0123456789abcde',
    '.ctxwin-1.drafts',
    'A'.repeat(14),
  ]

  it('has a name of ours and is old, in a directory that was made here', () => {
    const directory = join(root, 'own')
    keep(directory, 'made')
    for (const name of [...foreign, keyOf(['old']), draftName()]) old(directory, name)
    keep(directory, 'new')
    expect(readdirSync(directory).sort()).toEqual([...foreign, keyOf(['made']), keyOf(['new']), 'CACHEDIR.TAG'].sort())
    clearEntries(directory)
    expect(readdirSync(directory).sort()).toEqual([...foreign, 'CACHEDIR.TAG'].sort())
  })

  it('is nothing where somebody else has put files before, whatever they are called, and nothing is kept there', () => {
    const directory = join(root, 'others')
    for (const first of ['thesis.txt', keyOf(['old']), draftName(), 'CACHEDIR.TAG']) {
      mkdirSync(directory)
      const there = [...new Set([first, keyOf(['old']), draftName()])].sort()
      for (const name of there) old(directory, name)
      keep(directory, 'new')
      new Room({ directory, limit: 1, now: Date.now }).makeFor(join(directory, 'x'), 1)
      clearEntries(directory)
      expect(readdirSync(directory).sort()).toEqual(there)
      rmSync(directory, { recursive: true })
    }
  })

  it('is ours in an empty directory, and where a mark is torn', () => {
    const directory = join(root, 'empty')
    mkdirSync(directory)
    keep(directory, 'one')
    const mark = readFileSync(join(directory, 'CACHEDIR.TAG'), 'latin1')
    expect(mark).toMatch(/^Signature: 8a477f597d28d172789f06886806bc55\n/)
    for (const size of [0, 10, mark.length]) {
      writeFileSync(join(directory, 'CACHEDIR.TAG'), mark.slice(0, size))
      old(directory, keyOf(['one']))
      keep(directory, `new ${size}`)
      expect(readdirSync(directory)).not.toContain(keyOf(['one']))
    }
  })
})
