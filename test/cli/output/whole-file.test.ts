/** Runs as any user; the tests of file permissions are skipped for root, whom they do not bind. */
import {
  chmodSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { writeWhole } from '../../../src/cli/output/whole-file.ts'

let place = ''
beforeEach(() => {
  place = mkdtempSync(join(tmpdir(), 'ctxwin-'))
})
afterEach(() => rmSync(place, { recursive: true }))

const at = (name: string) => join(place, name)

describe('a file that is written whole', () => {
  it('replaces the one that stands there, and nothing else is left in the directory', () => {
    writeFileSync(at('report'), 'old')
    writeWhole(at('report'), 'new')
    writeWhole(at('other'), 'first')
    expect(readFileSync(at('report'), 'utf8')).toBe('new')
    expect(readdirSync(place)).toEqual(['other', 'report'])
  })

  it('is another file than the one it replaces, which whoever has it open goes on reading', () => {
    writeFileSync(at('report'), 'old')
    linkSync(at('report'), at('kept'))
    writeWhole(at('report'), 'new')
    expect(readFileSync(at('kept'), 'utf8')).toBe('old')
  })

  it.skipIf(process.platform === 'win32')(
    'keeps the mode of the old one, and follows the umask where there was none',
    () => {
      writeFileSync(at('report'), 'old')
      chmodSync(at('report'), 0o640)
      writeWhole(at('report'), 'new')
      writeWhole(at('other'), 'first')
      expect(statSync(at('report')).mode & 0o777).toBe(0o640)
      expect(statSync(at('other')).mode & 0o777).toBe(0o666 & ~process.umask())
    },
  )

  it.each([
    ['a link', 'there/report', true],
    ['a link to what is not there yet', 'there/report', false],
  ])('through %s it is what is pointed to that is written', (_, target, exists) => {
    mkdirSync(at('there'))
    if (exists) writeFileSync(at(target), 'old')
    symlinkSync(target, at('second'))
    symlinkSync('second', at('first'))
    writeWhole(at('first'), 'new')
    expect(readFileSync(at(target), 'utf8')).toBe('new')
    expect(readlinkSync(at('first'))).toBe('second')
    expect(readdirSync(at('there'))).toEqual(['report'])
  })

  it.each([
    ['no name', '', 'cannot write "": it names no file'],
    ['a directory', 'there', 'cannot write there: it is a directory'],
    ['what a slash says is a directory', 'nowhere/', 'cannot write nowhere/: it is a directory'],
    ['a name in a directory that is not there', 'no/report', 'cannot write no/report: its directory is not there'],
    [
      'a name behind a file',
      'file/report',
      'cannot write file/report: its path leads through a file, which is no directory',
    ],
    ['a link to itself', 'loop', 'cannot write loop: its links go round'],
  ])('is refused at %s', (_, name, message) => {
    mkdirSync(at('there'))
    writeFileSync(at('file'), 'old')
    symlinkSync('loop', at('loop'))
    expect(() => writeWhole(at(name), 'new', name)).toThrow(message)
    expect(readdirSync(place)).toEqual(['file', 'loop', 'there'])
  })

  it('passes by what a killed process has left', () => {
    writeFileSync(at(`.ctxwin-${process.pid}-0`), 'half')
    writeWhole(at('report'), 'new')
    expect(readFileSync(at('report'), 'utf8')).toBe('new')
    expect(readFileSync(at(`.ctxwin-${process.pid}-0`), 'utf8')).toBe('half')
  })

  it.skipIf(process.platform !== 'linux')('goes straight to a device, which says that it is full', () => {
    writeWhole('/dev/null', 'new')
    expect(statSync('/dev/null').isCharacterDevice()).toBe(true)
    expect(() => writeWhole('/dev/full', 'new')).toThrow('cannot write /dev/full: the disk is full')
  })

  it.skipIf(process.getuid?.() === 0)('is refused where the old one is write-protected', () => {
    writeFileSync(at('report'), 'old', { mode: 0o444 })
    expect(() => writeWhole(at('report'), 'new', 'report')).toThrow(
      'cannot write report: you do not have permission to write it',
    )
    expect(readFileSync(at('report'), 'utf8')).toBe('old')
  })
})
