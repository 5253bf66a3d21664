import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterAll, describe, expect, it } from 'vitest'
import { isKey, keyOf } from '../../src/cache/key.ts'
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
    expect(store.find('a')).toBe(undefined)
    store.keep('a', Buffer.from('one'))
    store.keep('a', Buffer.from('two'))
    expect(String(store.find('a'))).toBe('two')
    expect(store.find('b')).toBe(undefined)
    expect(readdirSync(directory)).toEqual(['a'])
  })

  it('asks for room for all that it writes, and writes nothing where there is none', () => {
    const asked: [string, number][] = []
    const directory = join(root, 'full')
    openStore(directory, (...file) => asked.push(file) < 0).keep('a', Buffer.alloc(10))
    expect(asked).toEqual([[join(directory, 'a'), 14]])
    expect(readdirSync(root)).not.toContain('full')
  })
})
