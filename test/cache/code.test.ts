import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { crc32 } from 'node:zlib'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { loadScript } from '../../src/cache/code.ts'
import { keptIn } from './kept.ts'

let place = ''
let script = ''
let directory = ''
beforeEach(() => {
  place = mkdtempSync(join(tmpdir(), 'ctxwin-code-'))
  script = join(place, 'script.cjs')
  directory = join(place, 'caches/code')
  write('1')
})
afterEach(() => rmSync(place, { recursive: true }))

const write = (number: string) =>
  writeFileSync(
    script,
    `// …\nexports.answer = () => ${number}\nexports.name = require('node:path').basename(__filename)\n`,
  )

/** What the script answers. What was compiled is kept, where it is not kept yet. */
function run(use = 'test'): number {
  const { exports, keep } = loadScript<{ answer(): number; name: string }>(script, join(place, 'caches'), use)
  expect(exports.name).toBe('script.cjs')
  const answer = exports.answer()
  keep()
  return answer
}

const kept = (): string[] => keptIn(directory).map((name) => join(directory, name))
const only = (): string => {
  const [path = '', ...others] = kept()
  expect(others).toEqual([])
  return path
}

describe('what V8 compiled', () => {
  it.skipIf(process.platform === 'win32')('is kept for the user alone, and used by the next run', () => {
    expect(run()).toBe(1)
    expect(statSync(only()).mode & 0o777).toBe(0o600)
    expect(statSync(directory).mode & 0o777).toBe(0o700)
    const before = statSync(only())
    expect(run()).toBe(1)
    expect([statSync(only()).ino, statSync(only()).mtimeMs]).toEqual([before.ino, before.mtimeMs])
  })

  it('is not used for another script of the same length', () => {
    expect(run()).toBe(1)
    write('2')
    expect(run()).toBe(2)
    expect(kept()).toHaveLength(2)
  })

  it('is kept for each use by itself', () => {
    run('one')
    run('two')
    expect(kept()).toHaveLength(2)
  })

  const torn: readonly (readonly [string, (bytes: Buffer) => Buffer])[] = [
    ['is cut off', (bytes) => bytes.subarray(0, bytes.length / 2)],
    ['is empty', () => Buffer.alloc(0)],
    ['has another byte', (bytes) => Buffer.from(bytes).fill(7, bytes.length - 9, bytes.length - 8)],
  ]
  it.each(torn)('is replaced when it %s', (_, damage) => {
    run()
    const path = only()
    const whole = readFileSync(path)
    writeFileSync(path, damage(whole))
    expect(run()).toBe(1)
    const now = readFileSync(only())
    expect(now.length).toBeGreaterThan(whole.length / 2)
    expect(now.readUInt32LE(0)).toBe(crc32(now.subarray(4)))
  })

  it.skipIf(process.platform === 'win32')('is not believed when others could have written it', () => {
    run()
    const path = only()
    chmodSync(path, 0o622)
    run()
    expect(statSync(path).mode & 0o777).toBe(0o600)
  })

  it('is removed when nobody has written it for a month', () => {
    run('old')
    const path = only()
    utimesSync(path, new Date(0), new Date(0))
    run('new')
    expect(only()).not.toBe(path)
  })

  it('is not kept where it cannot be, and nothing is said', () => {
    mkdirSync(join(place, 'caches'))
    writeFileSync(directory, 'a file')
    expect(run()).toBe(1)
    expect(readFileSync(directory, 'utf8')).toBe('a file')
  })

  it('is not kept where it has no place', () => {
    const { exports, keep } = loadScript<{ answer(): number }>(script, null, 'test')
    expect(exports.answer()).toBe(1)
    keep()
    expect(readdirSync(place)).toEqual(['script.cjs'])
  })
})
