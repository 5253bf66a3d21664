/**
 * The trace cache on disk: one file for each source and way of reading it. A source counts as unchanged while its number,
 * its size and both of its times are what they were, as git has it: no content can be replaced without a change of the
 * second time, which no program can set. What is not whole, of another build or of another user is passed over.
 */
import {
  type BigIntStats,
  closeSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { brotliCompressSync, brotliDecompressSync, constants, crc32 } from 'node:zlib'
import type { TraceCache, TraceDraft } from '../app/trace-cache.ts'
import { fingerprint } from '../base/fingerprint.ts'
import { makeDirectory } from '../base/make-directory.ts'
import type { Source } from '../readers/lines/source.ts'
import { readOwn } from './directory.ts'
import { openStops } from './stops.ts'

export interface TraceFiles {
  readonly directory: string
  /** The most bytes of all files together. */
  readonly limit: number
  /** Another word for each build of ctxwin, and for each engine that it runs on. */
  readonly build: string
  /** Milliseconds since the epoch. */
  now(): number
}

/** In milliseconds. No file system that is in use counts its times in longer steps. */
const step = 2000
/** In milliseconds: how exactly it is known when a file was last used, and how long nobody can be at work on a draft. */
const hour = 3_600_000

/** A file begins with this and ends with the CRC-32 of all before: it is to tell what is torn, and only the user writes here. */
const magic = Buffer.from('ctxwin traces 1\n')
const sumLength = 4

/** In bytes, before they are packed: many small transcripts are packed together, and of a large file not all at once. */
const blockSize = 1 << 20

/** Level 1 packs as small as zlib's 6 in a third of its time. */
const packing = { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } }

const isEntry = /^[0-9a-f]{14}$/
const isDraft = /^[0-9a-z]+\.draft$/

export function openTraceCache(settings: TraceFiles): TraceCache {
  const { directory, build, now } = settings
  const room = new Room(settings)
  const stops = openStops(directory, build, (file, size) => !room.isShut && room.makeFor(file, size))
  return {
    find(source, way) {
      const subject = subjectOf(source, way)
      if (subject === null) return null
      const file = join(directory, nameOf(subject))
      try {
        const { bytes, used } = readOwn(file)
        const found = contentOf(bytes, { subject, build })
        if (found === null) return null
        const { blocks, stamps } = found
        room.uses(file)
        if (now() - used > hour) markUsed(file, now())
        const unchanged = { source, stamps: () => (areUnchanged(stamps) ? stamps : null) }
        return {
          parts: { [Symbol.iterator]: () => partsIn(blocks) },
          isCurrent: () => areUnchanged(stamps),
          redraft: () => (room.isShut ? null : new DraftFile(settings, room, unchanged, subject)),
        }
      } catch {
        return null
      }
    },
    has(source, way) {
      const subject = subjectOf(source, way)
      const [kept, stats] =
        subject === null ? [null, null] : [statsOf(join(directory, nameOf(subject))), statsOf(subject[0])]
      return kept !== null && stats !== null && kept.mtimeNs > stats.ctimeNs
    },
    draft(source, way) {
      const subject = subjectOf(source, way)
      if (subject === null || room.isShut) return null
      const watched = new Watched(source, now())
      return watched.isSettled ? new DraftFile(settings, room, watched, subject) : null
    },
    stopOf({ path, name, archive }, way) {
      const stats = path === undefined || archive !== undefined ? null : statsOf(path)
      if (path === undefined || !stats?.isFile() || !mayGrow(stats, now())) return null
      const about = JSON.stringify([name, way])
      return { find: () => stops.find(path, about), keep: (stop) => stops.keep(path, about, stop) }
    },
  }
}

/**
 * Whether a stop pays: to write it down costs two percent of a first run, and saves the reading of all runs after more was
 * appended. A session that nothing was written to for a day is taken to be at its end; a small one is read as fast again; and
 * of a large one the stop, a tenth to a quarter of it, would be held in memory and crowd out what is kept of others.
 */
function mayGrow({ size, mtimeMs }: BigIntStats, now: number): boolean {
  return size >= 1 << 16 && size <= 1 << 28 && now - Number(mtimeMs) < 24 * hour
}

/** How many files there are, and how large they are together. */
export function sizeOfTraceCache(directory: string): { readonly files: number; readonly bytes: number } {
  const files = entriesIn(directory).filter(({ name }) => isEntry.test(name))
  return { files: files.length, bytes: files.reduce((sum, { size }) => sum + size, 0) }
}

/**
 * Removes all that was kept, and nothing else.
 * @throws an error of the system
 */
export function clearTraceCache(directory: string): void {
  for (const { path } of entriesIn(directory)) rmSync(path, { force: true })
}

function markUsed(file: string, time: number): void {
  try {
    utimesSync(file, time / 1000, time / 1000)
  } catch {
    // On a disk that is read-only nothing is ever removed.
  }
}

/** What an entry is about: the same for as long as the source has its name. */
type Subject = readonly [path: string, name: string, way: string]

function subjectOf({ path, name }: Source, way: string): Subject | null {
  return path === undefined ? null : [path, name, way]
}

/** Two subjects with one name, which is rare, replace each other: an entry says what it is about. */
function nameOf(subject: Subject): string {
  return fingerprint([JSON.stringify(subject)])
    .toString(16)
    .padStart(14, '0')
}

/** What a file is recognised by; null where nothing can be reached. */
function stampOf(path: string, stats = statsOf(path)): string | null {
  return stats && `${stats.ino} ${stats.size} ${stats.mtimeNs} ${stats.ctimeNs}`
}

function statsOf(path: string): BigIntStats | null {
  try {
    return statSync(path, { bigint: true })
  } catch {
    return null
  }
}

type Stamps = readonly (readonly [path: string, stamp: string | null])[]

const areUnchanged = (stamps: Stamps): boolean => stamps.every(([path, stamp]) => stampOf(path) === stamp)

/** A source while it is read, with the documents beside it that the reader looks at. */
class Watched {
  readonly source: Source
  readonly #started: number
  readonly #stamps = new Map<string, string | null>()
  #settled = true

  constructor(source: Source, started: number) {
    this.#started = started
    const { path = '', beside } = source
    this.#note(path)
    const noting = (name: string): unknown => {
      this.#note(join(dirname(path), name))
      return beside?.(name)
    }
    this.source = beside ? { ...source, beside: noting } : source
  }

  /**
   * False where a file was written to so shortly before the reading that it might be written to again without another time:
   * what was read then could not be told from what is there.
   */
  get isSettled(): boolean {
    return this.#settled
  }

  /** Null if anything has changed since it was looked at. */
  stamps(): Stamps | null {
    const stamps = [...this.#stamps]
    return this.#settled && areUnchanged(stamps) ? stamps : null
  }

  #note(path: string): void {
    if (this.#stamps.has(path)) return
    const stats = statsOf(path)
    this.#stamps.set(path, stampOf(path, stats))
    if (stats === null) return
    const { mtimeMs, ctimeMs, ino } = stats
    // A pipe or a device has no content to come back to, and some file systems do not number their files.
    const isLasting = stats.isFile() && ino !== 0n
    if (!isLasting || Math.max(Number(mtimeMs), Number(ctimeMs)) > this.#started - step) this.#settled = false
  }
}

class DraftFile implements TraceDraft {
  readonly source: Source
  readonly #settings: TraceFiles
  readonly #room: Room
  readonly #watched: Pick<Watched, 'source' | 'stamps'>
  readonly #subject: Subject
  readonly #path: string
  #sum = 0
  #file: number | null = null
  #size = 0
  #waiting: Uint8Array[] = []
  #waitingSize = 0
  #failed = false

  constructor(settings: TraceFiles, room: Room, watched: Pick<Watched, 'source' | 'stamps'>, subject: Subject) {
    this.source = watched.source
    this.#settings = settings
    this.#room = room
    this.#watched = watched
    this.#subject = subject
    this.#path = join(settings.directory, `${Math.random().toString(36).slice(2)}.draft`)
  }

  add(part: Uint8Array): void {
    if (this.#failed) return
    this.#waiting.push(lengthOf(part), part)
    this.#waitingSize += part.length
    if (this.#waitingSize >= blockSize) this.#trying(() => this.#writeBlock())
  }

  complete(): void {
    this.#trying(() => {
      this.#writeBlock()
      const stamps = this.#watched.stamps()
      const { directory, build } = this.#settings
      if (stamps === null) return
      const about: About = { subject: this.#subject, build, stamps }
      const text = Buffer.from(JSON.stringify(about))
      this.#write(Buffer.concat([text, lengthOf(text)]))
      const file = join(directory, nameOf(this.#subject))
      if (!this.#room.makeFor(file, this.#size + sumLength)) return
      const sum = Buffer.alloc(sumLength)
      sum.writeUInt32LE(this.#sum)
      this.#write(sum)
      this.#close()
      renameSync(this.#path, file)
    })
  }

  discard(): void {
    this.#failed = true
    if (this.#file === null) return
    this.#close()
    rmSync(this.#path, { force: true })
  }

  /** A disk that is full or may not be written to: nothing more is kept in this run. */
  #trying(write: () => void): void {
    if (this.#failed) return
    try {
      write()
    } catch {
      this.#room.isShut = true
      this.discard()
    }
  }

  #writeBlock(): void {
    const block = brotliCompressSync(Buffer.concat(this.#waiting), packing)
    this.#waiting = []
    this.#waitingSize = 0
    this.#write(Buffer.concat([lengthOf(block), block]))
  }

  #write(bytes: Buffer): void {
    if (this.#file === null) {
      makeDirectory(this.#settings.directory, 0o700)
      this.#file = openSync(this.#path, 'wx', 0o600)
      this.#write(magic)
    }
    // Not writeSync, which writes less than it is given to a disk that fills.
    writeFileSync(this.#file, bytes)
    this.#sum = crc32(bytes, this.#sum)
    this.#size += bytes.length
  }

  #close(): void {
    if (this.#file !== null) closeSync(this.#file)
    this.#file = null
  }
}

interface About {
  readonly subject: Subject
  readonly build: string
  readonly stamps: Stamps
}

/** @returns the packed blocks of an entry that is whole, and whose source is as it was; else null */
function contentOf(
  bytes: Buffer,
  { subject, build }: Omit<About, 'stamps'>,
): { readonly blocks: Buffer; readonly stamps: Stamps } | null {
  const end = bytes.length - sumLength
  if (end < magic.length + 4 || !bytes.subarray(0, magic.length).equals(magic)) return null
  if (crc32(bytes.subarray(0, end)) !== bytes.readUInt32LE(end)) return null
  const size = bytes.readUInt32LE(end - 4)
  const about = JSON.parse(bytes.toString('utf8', end - 4 - size, end - 4)) as About
  const isSame = JSON.stringify(about.subject) === JSON.stringify(subject) && about.build === build
  if (!isSame || !areUnchanged(about.stamps)) return null
  return { blocks: bytes.subarray(magic.length, end - 4 - size), stamps: about.stamps }
}

function* partsIn(blocks: Buffer): Generator<Uint8Array> {
  for (const packed of sizedIn(blocks)) yield* sizedIn(brotliDecompressSync(packed))
}

/** The stretches of bytes that have their length in front of them. */
function* sizedIn(bytes: Buffer): Generator<Buffer> {
  for (let at = 0; at < bytes.length; ) {
    const start = at + 4
    at = start + bytes.readUInt32LE(at)
    yield bytes.subarray(start, at)
  }
}

function lengthOf(bytes: Uint8Array): Buffer {
  const length = Buffer.alloc(4)
  length.writeUInt32LE(bytes.length)
  return length
}

interface Entry {
  readonly name: string
  readonly path: string
  readonly size: number
  /** Milliseconds since the epoch. */
  readonly used: number
}

/** Drafts, too; of what is there, only what was made here. */
function entriesIn(directory: string): Entry[] {
  let names: string[]
  try {
    names = readdirSync(directory)
  } catch {
    return []
  }
  return names.flatMap((name) => {
    const path = join(directory, name)
    const stats = isEntry.test(name) || isDraft.test(name) ? statSync(path, { throwIfNoEntry: false }) : undefined
    return stats?.isFile() ? [{ name, path, size: stats.size, used: stats.mtimeMs }] : []
  })
}

/**
 * Keeps all files together below the limit: those go that were not used for the longest time, but never those of this run,
 * which would only make room for each other.
 */
class Room {
  /** Nothing more is kept. */
  isShut = false
  readonly #settings: TraceFiles
  readonly #used = new Set<string>()
  /** The size of each entry, the latest used last; null until it matters. */
  #sizes: Map<string, number> | null = null
  #total = 0

  constructor(settings: TraceFiles) {
    this.#settings = settings
  }

  uses(path: string): void {
    this.#used.add(path)
  }

  /** @returns whether there is room for a file; it is taken to be written then, and what it replaces is gone if not */
  makeFor(path: string, size: number): boolean {
    this.#sizes ??= this.#look()
    const most = this.#settings.limit - size
    this.uses(path)
    this.#remove(path)
    // An entry alone that is larger than all may be must not clear the way for itself.
    for (const old of most < 0 ? [] : [...this.#sizes.keys()]) {
      if (this.#total <= most) break
      if (!this.#used.has(old)) this.#remove(old)
    }
    if (this.#total > most) return false
    this.#sizes.set(path, size)
    this.#total += size
    return true
  }

  #look(): Map<string, number> {
    const { directory, now } = this.#settings
    const all = entriesIn(directory).sort((a, b) => a.used - b.used)
    // Drafts of runs that were killed.
    for (const { name, path, used } of all) if (isDraft.test(name) && now() - used > hour) rmSync(path, { force: true })
    const entries = all.filter(({ name }) => isEntry.test(name))
    this.#total = entries.reduce((sum, { size }) => sum + size, 0)
    return new Map(entries.map(({ path, size }) => [path, size]))
  }

  #remove(path: string): void {
    this.#total -= this.#sizes?.get(path) ?? 0
    this.#sizes?.delete(path)
    rmSync(path, { force: true })
  }
}
