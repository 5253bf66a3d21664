import {
  appendFileSync,
  chmodSync,
  closeSync,
  cpSync,
  ftruncateSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { sessionsIn } from '../../../src/readers/databases/index.ts'
import { openDatabase } from '../../../src/readers/databases/open.ts'
import { markLogged, writeDatabase, writeInLog } from './writing.ts'

const top = mkdtempSync(join(tmpdir(), 'ctxwin-databases-'))
afterAll(() => rmSync(top, { recursive: true }))

/** A database in a directory of its own, with as many rows of 1,000 characters as asked. */
function database(rows = 50): string {
  const path = join(mkdtempSync(join(top, 'a-')), 'a.db')
  writeDatabase(path, { statements: ['CREATE TABLE t (number INTEGER, text TEXT)'], rows: { t: numbered(1, rows) } })
  return path
}

const numbered = (from: number, to: number) =>
  Array.from({ length: to - from + 1 }, (_, at) => ({ number: from + at, text: 'x'.repeat(1000) }))

const numbersIn = (path: string): unknown[] =>
  [...openDatabase(path, path).rows('SELECT number FROM t ORDER BY number')].map(({ number }) => number)

const upTo = (count: number) => Array.from({ length: count }, (_, at) => at + 1)

/** What stands in the directory of a file, with all that anybody could have changed. */
const stateOf = (path: string) =>
  readdirSync(join(path, '..')).map((name) => {
    const file = join(path, '..', name)
    const { mtimeNs, ctimeNs } = statSync(file, { bigint: true })
    return [name, mtimeNs, ctimeNs, readFileSync(file, 'latin1')]
  })

describe('a database of a program that is running', () => {
  it('is read with what stands only in its log, and nothing is written beside it', () => {
    const path = database(50)
    writeInLog(path, { rows: { t: numbered(51, 120) } })
    const before = stateOf(path)
    expect(numbersIn(path)).toEqual(upTo(120))
    expect(stateOf(path)).toEqual(before)
  })

  it('is read without a transaction that has no end yet', () => {
    const path = database(50)
    writeInLog(path, { rows: { t: numbered(51, 60) } }, { rows: { t: numbered(61, 200) } })
    expect(numbersIn(path)).toEqual(upTo(60))
  })

  it('is as small as its last transaction left it', () => {
    const path = database(200)
    writeInLog(path, { statements: ['DELETE FROM t WHERE number > 3', 'VACUUM'] })
    expect(numbersIn(path)).toEqual([1, 2, 3])
  })

  it.each([
    ['one byte of a page is another', (log: Buffer) => log.writeUInt8(1, log.length - 1)],
    ['the salt of a frame is that of an earlier use', (log: Buffer) => log.writeUInt32BE(1, log.length - 4096 - 16)],
    ['the head is torn', (log: Buffer) => log.writeUInt32BE(1, 24)],
  ])('is read without its log where %s', (_, fault) => {
    const path = database(1)
    writeInLog(path, { statements: ['UPDATE t SET number = 2'] })
    const log = readFileSync(`${path}-wal`)
    fault(log)
    writeFileSync(`${path}-wal`, log)
    expect(numbersIn(path)).toEqual([1])
  })

  it('is read as far as its log was written when it was cut off', () => {
    const path = database(50)
    writeInLog(path, { rows: { t: numbered(51, 60) } })
    appendFileSync(`${path}-wal`, readFileSync(`${path}-wal`).subarray(32, 3000))
    expect(numbersIn(path)).toEqual(upTo(60))
  })

  it('is read again after each transaction', () => {
    const path = database(50)
    writeInLog(path, { rows: { t: numbered(51, 60) } })
    expect(numbersIn(path)).toHaveLength(60)
    const more = database(70)
    cpSync(more, path)
    rmSync(`${path}-wal`)
    expect(numbersIn(path)).toHaveLength(70)
  })

  it('is closed once it was opened anew, and not before what is read of it is read', () => {
    const path = database(5)
    writeInLog(path, { rows: { t: numbered(6, 8) } })
    const listed = openDatabase(path, path)
    const reading = listed.rows('SELECT number FROM t ORDER BY number')
    expect(reading.next().value).toEqual({ number: 1 })
    const isOpen = opened(path)
    for (const rows of [11, 12, 13]) {
      cpSync(database(rows), path)
      markLogged(path)
      rmSync(`${path}-wal`, { force: true })
      expect(numbersIn(path)).toHaveLength(rows)
    }
    expect([...reading]).toHaveLength(7)
    expect([...listed.rows('SELECT number FROM t')]).toHaveLength(13)
    expect(opened(path)).toBe(isOpen)
  })
})

/** How many files this process has open of a database and of copies of databases, as far as the system says. */
function opened(path: string): number {
  if (process.platform !== 'linux') return 0
  const files = readdirSync('/proc/self/fd').map((file) => {
    try {
      return readlinkSync(`/proc/self/fd/${file}`)
    } catch {
      return ''
    }
  })
  return files.filter((file) => file.startsWith(path) || file.includes('ctxwin-sqlite-')).length
}

describe('a database that nobody has open', () => {
  it.each(['', '-wal'])('is read, also with an empty log (%j), and nothing is written beside it', (log) => {
    const path = database(3)
    markLogged(path)
    if (log !== '') writeFileSync(`${path}${log}`, '')
    const before = stateOf(path)
    expect(numbersIn(path)).toEqual([1, 2, 3])
    expect(stateOf(path)).toEqual(before)
  })

  it('may lie where nobody may write', () => {
    const path = database(3)
    markLogged(path)
    chmodSync(path, 0o444)
    chmodSync(join(path, '..'), 0o555)
    expect(numbersIn(path)).toEqual([1, 2, 3])
    chmodSync(join(path, '..'), 0o755)
  })

  it('leaves no copy behind', () => {
    const copies = () => readdirSync(tmpdir()).filter((name) => /^ctxwin-sqlite-/.test(name))
    const before = copies()
    expect(numbersIn(database(3))).toHaveLength(3)
    expect(copies()).toEqual(before)
  })
})

const message = (read: () => unknown): string => {
  try {
    read()
    return ''
  } catch (error) {
    return (error as Error).message
  }
}

describe('what cannot be read is one line', () => {
  it('of a database whose end is missing', () => {
    const path = database(200)
    const file = openSync(path, 'r+')
    ftruncateSync(file, 3 * 4096 + 7)
    closeSync(file)
    expect(message(() => numbersIn(path))).toBe(
      `${path}: it holds no transcript: the database is damaged: sqlite3 OLD .recover | sqlite3 NEW makes one of what is left`,
    )
  })

  it('of one whose program was killed while it wrote', () => {
    const path = database(3)
    writeFileSync(`${path}-journal`, Buffer.from('d9d505f920a163d7', 'hex'))
    expect(message(() => numbersIn(path))).toBe(
      `cannot read ${path}: its program was killed while it wrote: start it once, which mends the database, and try again`,
    )
  })

  it('of a sparse file larger than any copy, where there is no other way', () => {
    const path = database(3)
    markLogged(path)
    const file = openSync(path, 'r+')
    ftruncateSync(file, 5 * 2 ** 30)
    closeSync(file)
    const said = message(() => numbersIn(path))
    if (process.getBuiltinModule?.('node:sqlite' as 'fs')) expect(said).toBe('')
    else expect(said).toBe(`cannot read ${path}: it is larger than 4 GB, and it takes Node 22.13 or newer to read it`)
  })

  it('of one of no program that is known', () => {
    const path = database(3)
    expect(message(() => sessionsIn(path))).toMatch(
      /^.*a\.db: it holds no transcript: it is an SQLite database of no program that is known here \(opencode, goose[\w, -]*\)$/,
    )
  })

  it('of one of a version that lacks a column', () => {
    const path = join(mkdtempSync(join(top, 'a-')), 'a.db')
    const statements = [
      'CREATE TABLE sessions (id TEXT, working_dir TEXT)',
      'CREATE TABLE messages (id, session_id, role)',
    ]
    writeDatabase(path, { statements })
    expect(message(() => sessionsIn(path))).toBe(
      `cannot read ${path}: it is a database of goose in a form that is not read: there is no messages.content_json, no messages.created_timestamp`,
    )
  })

  it('of one whose tables are views, which would run what is in the file', () => {
    const path = join(mkdtempSync(join(top, 'a-')), 'a.db')
    writeDatabase(path, {
      statements: [
        'CREATE TABLE sessions (id TEXT, working_dir TEXT)',
        `CREATE VIEW messages AS WITH RECURSIVE n(id) AS (SELECT 1 UNION ALL SELECT id + 1 FROM n)
         SELECT id, 's' AS session_id, 'user' AS role, '[]' AS content_json, 1 AS created_timestamp FROM n`,
      ],
    })
    expect(message(() => sessionsIn(path))).toContain('of no program that is known here')
  })
})
