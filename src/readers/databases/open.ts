/**
 * Opens the SQLite databases in which agents keep sessions, without writing a byte beside them: SQLite itself leaves `-wal` and
 * `-shm` files where it opens a database with a write-ahead log, if only to read.
 *
 * - Node has SQLite from 22.13 on. A database without a log is opened as one that nobody changes (from 22.15 on); one whose log is
 *   in use, read-only: both files are there already.
 * - Else a copy is opened, which disappears with the process: of a log that a program left behind when it was killed, and on
 *   older Nodes of each database, by a SQLite in WebAssembly.
 */
import { closeSync, mkdtempSync, openSync, readSync, rmSync, statSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { CtxwinError } from '../../base/errors.ts'
import { isSystemError, reasonOf } from '../../base/system-errors.ts'
import { copyDatabase, stampOf } from './copy.ts'

/** Columns by their names. */
export type Row = Readonly<Record<string, unknown>>

export interface Database {
  readonly path: string
  /**
   * The rows of a query, while they are read.
   * @param value in place of its `?`
   * @throws CtxwinError with the file's name for what SQLite refuses
   */
  rows(sql: string, value?: string): Generator<Row>
}

const magic = Buffer.from('SQLite format 3\0')

/** Whether a file begins like a SQLite database. False for what is no plain file, or cannot be read. */
export function isDatabase(path: string): boolean {
  return headOf(path)?.subarray(0, magic.length).equals(magic) === true
}

function headOf(path: string): Buffer | null {
  try {
    if (!statSync(path).isFile()) return null
    const file = openSync(path, 'r')
    try {
      const head = Buffer.alloc(20)
      readSync(file, head, 0, head.length, 0)
      return head
    } finally {
      closeSync(file)
    }
  } catch {
    return null
  }
}

/** By path: a database is opened once for all of its sessions. */
const open = new Map<string, OpenDatabase>()

/**
 * The database as it is now: whoever has it from before reads what is there now, too. It is opened anew only where somebody has
 * written to the file or its log.
 * @param name of the file in messages
 * @throws CtxwinError `unreadable`, `damaged`
 */
export function openDatabase(path: string, name: string): Database {
  const known = open.get(path)
  known?.refresh()
  const database = known ?? new OpenDatabase(path, name)
  open.set(path, database)
  return database
}

interface Opened {
  /** Of the file and its log, from before they were opened. */
  readonly stamp: string
  readonly connection: Connection
  /** How many queries are being read. */
  queries: number
}

class OpenDatabase implements Database {
  readonly path: string
  readonly #name: string
  #now: Opened

  constructor(path: string, name: string) {
    this.path = path
    this.#name = name
    this.#now = this.#open(this.#stamp())
  }

  refresh(): void {
    const old = this.#now
    const stamp = this.#stamp()
    if (stamp === old.stamp) return
    this.#now = this.#open(stamp)
    if (old.queries === 0) old.connection.close()
  }

  #stamp(): string {
    return [this.path, `${this.path}-wal`].map(stampOf).join()
  }

  #open(stamp: string): Opened {
    // A query runs no code of whoever wrote the file, and leaves no file of its own.
    const pragmas = 'PRAGMA trusted_schema = OFF; PRAGMA query_only = ON; PRAGMA temp_store = MEMORY'
    const connection = this.#try(() => after(pragmas, connect(this.path, this.#name)))
    return { stamp, connection, queries: 0 }
  }

  *rows(sql: string, value?: string): Generator<Row> {
    const opened = this.#now
    const statement = this.#try(() => opened.connection.prepare(sql))
    const rows = this.#try(() => (value === undefined ? statement.iterate() : statement.iterate(value)))
    opened.queries++
    try {
      for (;;) {
        const { value, done } = this.#try(() => rows.next())
        if (done) return
        yield withoutLarge(value)
      }
    } finally {
      rows.return?.()
      statement.finalize?.()
      // What is replaced while it is read is closed by the last who reads it.
      if (--opened.queries === 0 && opened !== this.#now) opened.connection.close()
    }
  }

  #try<T>(touch: () => T): T {
    try {
      return touch()
    } catch (error) {
      throw refusalOf(this.#name, error)
    }
  }
}

/** What both of SQLite's packages have. */
interface Connection {
  exec(sql: string): void
  prepare(sql: string): {
    iterate(...values: readonly string[]): IterableIterator<Row>
    finalize?(): void
  }
  close(): void
}

/** A connection on which these statements were run; one that refuses them is closed. */
function after(statements: string, connection: Connection): Connection {
  try {
    connection.exec(statements)
    return connection
  } catch (error) {
    connection.close()
    throw error
  }
}

function connect(path: string, name: string): Connection {
  refuseHalfWritten(path, name)
  const [hasLog, isShared] = [sizeOf(`${path}-wal`) > 0, sizeOf(`${path}-shm`) >= 0]
  const node = nodeSqlite()
  try {
    // 1: with a rollback journal, which readers leave alone. 2: with a write-ahead log.
    const isLogged = headOf(path)?.[18] !== 1
    if (node && !isLogged) return node(path)
    if (node && hasLog && isShared) return node(path)
    if (node && !hasLog && takesAddresses()) return node(new URL(`${pathToFileURL(path)}?immutable=1`))
    return connectCopy(path, name, node)
  } catch (error) {
    throw refusalOf(name, error)
  }
}

/**
 * A transaction without a write-ahead log overwrites the file, and a journal beside it says what was there. It is there for
 * milliseconds, or for good where the program was killed meanwhile: then only a program that may write can take back what it did.
 */
function refuseHalfWritten(path: string, name: string): void {
  for (let tried = 0; isJournal(`${path}-journal`); tried++) {
    if (tried === 40) {
      const remedy = 'its program was killed while it wrote: start it once, which mends the database, and try again'
      throw new CtxwinError('unreadable', name, remedy)
    }
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 50)
  }
}

/** Whether a journal is in use: some programs leave an empty one, or one whose head is blank. */
function isJournal(path: string): boolean {
  const head = headOf(path)
  return head !== null && head[0] !== 0
}

/** In bytes; -1 for a file that is not there. */
const sizeOf = (path: string): number => statSync(path, { throwIfNoEntry: false })?.size ?? -1

/** In bytes. A copy takes as much of the disk, and a second for each of some gigabytes. */
const largestCopy = 4 * 2 ** 30

function connectCopy(path: string, name: string, node: ((file: string) => Connection) | null): Connection {
  if (sizeOf(path) > largestCopy) {
    const why = node ? 'the program that wrote it was killed: start it once' : `it takes Node 22.13 or newer to read it`
    throw new CtxwinError('unreadable', name, `it is larger than 4 GB, and ${why}`)
  }
  const directory = mkdtempSync(join(tmpdir(), 'ctxwin-sqlite-'))
  const remove = () => rmSync(directory, { recursive: true, force: true })
  try {
    const copy = join(directory, 'copy.db')
    if (!copyDatabase(path, copy)) {
      throw new CtxwinError('unreadable', name, 'its program writes to it without a pause: try again')
    }
    // Whoever has it locked never looks for the file again.
    return after('PRAGMA locking_mode = EXCLUSIVE; SELECT count(*) FROM sqlite_master', (node ?? wasmSqlite())(copy))
  } finally {
    // Its content is somebody's conversation: the name goes at once where the system lets it, and the rest when the file is closed.
    if (process.platform === 'win32') process.once('exit', remove)
    else remove()
  }
}

type Open = (file: string | URL) => Connection

/** Null on a Node that has none. */
function nodeSqlite(): Open | null {
  // It warns of being experimental on stderr, which nobody can do anything about.
  const { emitWarning } = process
  try {
    process.emitWarning = () => {}
    const library = process.getBuiltinModule?.('node:sqlite' as 'fs') as unknown as NodeSqlite | undefined
    return library ? (file) => new library.DatabaseSync(file, { readOnly: true, timeout: 2000 }) : null
  } finally {
    process.emitWarning = emitWarning
  }
}

interface NodeSqlite {
  DatabaseSync: new (file: string | URL, options: { readOnly: boolean; timeout: number }) => Connection
}

/** Whether this Node takes the address of a file, which can say that nobody changes it. */
function takesAddresses(): boolean {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number)
  return major > 22 || (major === 22 && minor >= 15)
}

function wasmSqlite(): Open {
  const require = createRequire(import.meta.url)
  try {
    const { Database } = require('node-sqlite3-wasm') as {
      Database: new (file: string, options: { readOnly: boolean }) => Connection
    }
    return (file) => new Database(String(file), { readOnly: true })
  } catch (error) {
    if (error instanceof RangeError) throw new CtxwinError('no-space', 'reading a SQLite database')
    throw error
  }
}

/** What no number can hold exactly is no count and no time of an agent. */
function withoutLarge(row: Row): Row {
  if (!Object.values(row).some((value) => typeof value === 'bigint')) return row
  return Object.fromEntries(Object.entries(row).filter(([, value]) => typeof value !== 'bigint'))
}

/** In words for people: SQLite's own name a table or an index at most, but may quote what is in a hostile file. */
function refusalOf(name: string, error: unknown): Error {
  if (!(error instanceof Error) || error instanceof CtxwinError) return error as Error
  if (isSystemError(error)) return new CtxwinError('unreadable', name, reasonOf(error, 'read'))
  const { message } = error
  if (/locked|busy/.test(message))
    return new CtxwinError('unreadable', name, 'another program has locked it: try again')
  if (/malformed|not a database|disk image|corrupt/.test(message)) {
    return new CtxwinError(
      'damaged',
      name,
      'the database is damaged: sqlite3 OLD .recover | sqlite3 NEW makes one of what is left',
    )
  }
  // Ours, as a program's next version may have left it out.
  if (/^no such column: [\w.]+$/.test(message)) {
    return new CtxwinError('unreadable', name, `it is a database in a form that is not read: ${message}`)
  }
  if (/open/.test(message)) return new CtxwinError('unreadable', name, 'SQLite cannot open it')
  return new CtxwinError('unreadable', name, 'SQLite cannot read it')
}
