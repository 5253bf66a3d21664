import { mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { makeDirectory } from '../../src/base/make-directory.ts'

let place = ''
beforeEach(() => {
  place = mkdtempSync(join(tmpdir(), 'ctxwin-make-'))
})
afterEach(() => rmSync(place, { recursive: true }))
const at = (name: string) => join(place, name)

describe('a directory', () => {
  it.skipIf(process.platform === 'win32')('is made with those above it, as private as is asked for', () => {
    makeDirectory(at('a/b/c'), 0o700)
    for (const name of ['a', 'a/b', 'a/b/c']) expect(statSync(at(name)).mode & 0o777).toBe(0o700)
  })

  it('is left as it is where it is there, behind a link, too', () => {
    mkdirSync(at('a'))
    writeFileSync(at('a/file'), '')
    symlinkSync('a', at('link'))
    makeDirectory(at('a'))
    makeDirectory(at('link'))
    makeDirectory(at('link/b'))
    makeDirectory('/')
    expect(readdirSync(at('a'))).toEqual(['b', 'file'])
  })

  it.each([
    ['behind a file', 'file/a/b', 'ENOTDIR'],
    ['in place of a file', 'file', 'EEXIST'],
    ['behind a link that goes round', 'loop/a', 'ELOOP'],
    ['behind a link that leads nowhere', 'nowhere/a', 'EEXIST'],
    ['of a name that is too long', `${'n'.repeat(300)}/a`, 'ENAMETOOLONG'],
  ])('is refused %s', (_, name, code) => {
    writeFileSync(at('file'), '')
    symlinkSync('loop', at('loop'))
    symlinkSync('gone', at('nowhere'))
    expect(() => makeDirectory(at(name))).toThrow(expect.objectContaining({ code }))
  })

  // Node's own would never end here.
  it.runIf(process.platform === 'linux')('is refused in /proc', () => {
    expect(() => makeDirectory('/proc/ctxwin/a/b')).toThrow(expect.objectContaining({ code: 'ENOENT' }))
  })
})
