/** The file of a probe's journal: for this user alone, written line by line, and by one process at a time. */
import {
  closeSync,
  constants,
  fchmodSync,
  fstatSync,
  fsyncSync,
  ftruncateSync,
  lstatSync,
  openSync,
  readFileSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { CtxwinError } from '../base/errors.ts'
import { isSystemError, reasonOf } from '../base/system-errors.ts'
import {
  type Bill,
  type Entries,
  head,
  type Journal,
  type Kept,
  type Kind,
  type Line,
  readJournal,
  type Taken,
  textOf,
} from '../clients/journal.ts'
import { lock } from './lock.ts'

/**
 * Reads a journal of anybody's, for a report: nothing is written and nothing locked.
 * @throws CtxwinError if it cannot be read, or is no journal
 */
export function readEntries(path: string): Entries {
  const read = attempt(path, 'read', () => {
    // A checkout may have a link of this name, to a device without an end.
    if (!statSync(path).isFile()) throw new CtxwinError('unreadable', path, 'it is no file')
    return readJournal(readFileSync(path))
  })
  if (!read) throw new CtxwinError('unreadable', path, noJournal)
  return read.entries
}

const noJournal = 'it is no journal of ctxwin probe'

/**
 * Opens a journal to go on with, or makes one. Only this user may read and write it, as it holds what a model said.
 * @throws CtxwinError if it is no journal, another's file or a link, if another process has it open, or the system refuses
 */
export function openJournal(path: string): Journal {
  const release = lock(path)
  try {
    return new OpenJournal(path, release)
  } catch (error) {
    release()
    throw error
  }
}

class OpenJournal implements Journal {
  readonly #path: string
  readonly #file: number
  readonly #entries: Taken
  readonly #release: () => void
  /** In bytes, of whole lines. */
  #size: number

  constructor(path: string, release: () => void) {
    this.#path = path
    this.#release = release
    this.#file = openOwn(path)
    try {
      const read = attempt(path, 'read', () => readJournal(readFileSync(this.#file)))
      if (!read) throw new CtxwinError('unreadable', path, noJournal)
      this.#entries = read.entries
      this.#size = read.size
      attempt(path, 'write', () => {
        fchmodSync(this.#file, 0o600)
        ftruncateSync(this.#file, read.size)
      })
      if (read.size === 0) this.#append(head)
      else if (!read.endsLine) this.#append('\n')
    } catch (error) {
      closeSync(this.#file)
      throw error
    }
  }

  get damaged(): readonly number[] {
    return this.#entries.damaged
  }
  get wasCut(): boolean {
    return this.#entries.wasCut
  }
  get allLost(): number {
    return this.#entries.allLost
  }

  find<K extends Kind>(kind: K, key: string): Kept[K] | undefined {
    return this.#entries.find(kind, key)
  }

  lost(key: string): number {
    return this.#entries.lost(key)
  }

  costOf(key: string): number {
    return this.#entries.costOf(key)
  }
  lostCostOf(key: string): number {
    return this.#entries.lostCostOf(key)
  }

  get cost(): number {
    return this.#entries.cost
  }
  get lostCost(): number {
    return this.#entries.lostCost
  }

  all<K extends Kind>(kind: K): readonly Kept[K][] {
    return this.#entries.all(kind)
  }

  each<K extends Kind>(kind: K): readonly (readonly [key: string, Kept[K]])[] {
    return this.#entries.each(kind)
  }

  latest(kind: Kind): string | null {
    return this.#entries.latest(kind)
  }

  sending(key: string, worst = 0): void {
    this.#write({ key, kind: 'sent', cost: worst })
  }

  refused(key: string): void {
    this.#write({ key, kind: 'refused' })
  }

  keep<K extends Kind>(kind: K, key: string, value: Kept[K], bill: Bill = { cost: 0 }): void {
    this.#write({ key, kind, value, ...bill })
  }

  close(): void {
    closeSync(this.#file)
    this.#release()
  }

  #write(line: Line): void {
    this.#append(textOf(line))
    this.#entries.take(line)
  }

  /** A line is whole or not there, and on the disk before anybody counts on it. */
  #append(text: string): void {
    attempt(this.#path, 'write', () => {
      try {
        writeFileSync(this.#file, text)
        fsyncSync(this.#file)
      } catch (error) {
        // A disk that fills takes a part.
        ftruncateSync(this.#file, this.#size)
        throw error
      }
    })
    this.#size += Buffer.byteLength(text)
  }
}

/** Opens a file to add to: a new one, or a plain one that only this user can have written. */
function openOwn(path: string): number {
  // Windows has no flag against links.
  const noLink = constants.O_NOFOLLOW ?? 0
  const file = attempt(path, 'write', () => {
    if (lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink())
      throw new CtxwinError('unwritable', path, 'it is a link')
    return openSync(path, constants.O_RDWR | constants.O_CREAT | constants.O_APPEND | noLink, 0o600)
  })
  try {
    const stats = fstatSync(file)
    if (!stats.isFile()) throw new CtxwinError('unwritable', path, 'it is no file')
    // Windows has neither.
    if (process.getuid !== undefined) {
      const isOwn = stats.uid === process.getuid() && (stats.mode & 0o022) === 0
      if (!isOwn)
        throw new CtxwinError('unwritable', path, 'others may have written it: take another file, or chmod 600 yours')
    }
    return file
  } catch (error) {
    closeSync(file)
    throw error
  }
}

/** What the system refuses is said of the file. */
function attempt<Result>(path: string, doing: 'read' | 'write', act: () => Result): Result {
  try {
    return act()
  } catch (error) {
    if (!isSystemError(error)) throw error
    throw new CtxwinError(doing === 'read' ? 'unreadable' : 'unwritable', path, reasonOf(error, doing))
  }
}
