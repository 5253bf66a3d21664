import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { keepTablesFor } from '../../src/cache/tables.ts'
import { PieceMerger } from '../../src/estimators/bpe/merge.ts'
import { keepTables, loadMerges, PADDING } from '../../src/estimators/bpe/tables.ts'
import { keptIn } from './kept.ts'

let caches = ''
beforeEach(() => {
  caches = mkdtempSync(join(tmpdir(), 'ctxwin-tables-'))
})
afterEach(() => {
  keepTables(null)
  rmSync(caches, { recursive: true })
})

const kept = (): string[] => keptIn(join(caches, 'tables')).map((name) => join(caches, 'tables', name))

/** Tokens of some text with the tables that are loaded now. */
function count(): number {
  const text = Buffer.from('tokenisation of 中文 and ünïcode, ')
  const padded = Buffer.concat([text, Buffer.alloc(PADDING, 0xff)])
  return new PieceMerger(loadMerges('cl100k_base')).count(padded, 0, text.length)
}

describe('the tables of the exact counters', () => {
  it.skipIf(process.platform === 'win32')('are kept for the user alone, and the next run counts by them', () => {
    const made = count()
    keepTablesFor([], { CTXWIN_CACHE_DIR: caches })
    expect(count()).toBe(made)
    const [file = '', ...others] = kept()
    expect(others).toEqual([])
    const before = statSync(file)
    expect(before.mode & 0o777).toBe(0o600)
    expect(count()).toBe(made)
    expect(statSync(file).ino).toBe(before.ino)
  })

  it('are made again where what was kept of them is not whole', () => {
    const made = count()
    keepTablesFor([], { CTXWIN_CACHE_DIR: caches })
    count()
    const [file = ''] = kept()
    const whole = readFileSync(file)
    for (const torn of [whole.subarray(0, 100_000), Buffer.from(whole).fill(0, 300_000, 300_100), Buffer.alloc(0)]) {
      writeFileSync(file, torn)
      expect(count()).toBe(made)
      expect(readFileSync(file).equals(whole)).toBe(true)
    }
  })

  it.each([
    ['--no-cache', ['simulate', '--no-cache'], {}],
    ['CI', ['simulate'], { CI: 'true' }],
  ])('are not kept with %s', (_, argv, env) => {
    keepTablesFor(argv, { CTXWIN_CACHE_DIR: caches, ...env })
    count()
    expect(readdirSync(caches)).toEqual([])
  })
})
