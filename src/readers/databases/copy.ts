/**
 * A copy of a SQLite database as its last transaction left it, for a SQLite that cannot open the original without writing
 * beside it. What stands only in the write-ahead log (`-wal`) is put in its place, as a checkpoint would do; the copy needs no
 * log. The file format: https://www.sqlite.org/fileformat2.html, sections 1.3 and 4.
 */
import { closeSync, copyFileSync, ftruncateSync, openSync, readSync, statSync, writeSync } from 'node:fs'

/** In bytes. */
const walHead = 32
const frameHead = 24

/** How often a copy is tried of a database that is written to meanwhile. */
const tries = 5

/**
 * @returns whether the copy is one moment's; false where the original was written to each time that it was copied
 * @throws an error of the system
 */
export function copyDatabase(path: string, target: string): boolean {
  for (let tried = 0; tried < tries; tried++) {
    const before = stateOf(path)
    copyFileSync(path, target)
    const file = openSync(target, 'r+')
    try {
      const head = Buffer.alloc(100)
      readSync(file, head, 0, head.length, 0)
      const size = head.readUInt16BE(16)
      applyLog(`${path}-wal`, file, size === 1 ? 65_536 : size)
      // The versions of the file format that readers and writers need: without a write-ahead log.
      writeSync(file, Buffer.from([1, 1]), 0, 2, 18)
    } finally {
      closeSync(file)
    }
    // A log that has grown since holds later transactions; a file that has changed was overwritten by a checkpoint meanwhile.
    if (stateOf(path) === before) return true
  }
  return false
}

/**
 * The file's stamp and the head of its log. Two writes within one tick of the clock leave the same stamp, but a log that
 * begins anew, after a checkpoint, has new salts.
 */
function stateOf(path: string): string {
  const log = opened(`${path}-wal`)
  if (log === null) return stampOf(path)
  try {
    const head = Buffer.alloc(walHead)
    readSync(log, head, 0, walHead, 0)
    return `${stampOf(path)} ${head.toString('hex')}`
  } finally {
    closeSync(log)
  }
}

/** What tells whether a file was written to; empty for one that is not there. */
export function stampOf(path: string): string {
  const stats = statSync(path, { bigint: true, throwIfNoEntry: false })
  return stats ? `${stats.ino} ${stats.size} ${stats.mtimeNs} ${stats.ctimeNs}` : ''
}

/** Writes the pages of the log's whole transactions where they belong. */
function applyLog(path: string, target: number, pageSize: number): void {
  const log = opened(path)
  if (log === null) return
  try {
    const { places, pages } = committedIn(log, pageSize)
    const page = Buffer.alloc(pageSize)
    for (const [number, place] of places) {
      if (number > pages) continue
      readSync(log, page, 0, pageSize, place)
      writeSync(target, page, 0, pageSize, (number - 1) * pageSize)
    }
    if (places.size > 0) ftruncateSync(target, pages * pageSize)
  } finally {
    closeSync(log)
  }
}

function opened(path: string): number | null {
  try {
    return openSync(path, 'r')
  } catch {
    return null
  }
}

/** By page where its newest version stands in the log, and how many pages the database has. */
function committedIn(log: number, pageSize: number): { places: ReadonlyMap<number, number>; pages: number } {
  const places = new Map<number, number>()
  const none = { places, pages: 0 }
  const head = Buffer.alloc(walHead)
  if (readSync(log, head, 0, walHead, 0) < walHead) return none
  const magic = head.readUInt32BE(0)
  if ((magic & ~1) !== 0x377f0682 || head.readUInt32BE(8) !== pageSize) return none
  const sum = new Checksum((magic & 1) === 1)
  sum.add(head, 0, 24)
  if (!sum.is(head, 24)) return none
  const frame = Buffer.alloc(frameHead + pageSize)
  let pages = 0
  let open: [page: number, place: number][] = []
  for (let at = walHead; readSync(log, frame, 0, frame.length, at) === frame.length; at += frame.length) {
    // A frame of an earlier use of the log has other salts; one that was cut off while it was written, another sum.
    if (frame.compare(head, 16, 24, 8, 16) !== 0) break
    sum.add(frame, 0, 8)
    sum.add(frame, frameHead, frame.length)
    if (!sum.is(frame, 16)) break
    open.push([frame.readUInt32BE(0), at + frameHead])
    const size = frame.readUInt32BE(4)
    if (size === 0) continue
    for (const [page, place] of open) places.set(page, place)
    open = []
    pages = size
  }
  return { places, pages }
}

/** The running checksum of a write-ahead log, over pairs of words. */
class Checksum {
  readonly #isBig: boolean
  #one = 0
  #two = 0

  constructor(isBig: boolean) {
    this.#isBig = isBig
  }

  add(bytes: Buffer, from: number, to: number): void {
    const words = new DataView(bytes.buffer, bytes.byteOffset)
    for (let at = from; at < to; at += 8) {
      this.#one = (this.#one + words.getUint32(at, !this.#isBig) + this.#two) >>> 0
      this.#two = (this.#two + words.getUint32(at + 4, !this.#isBig) + this.#one) >>> 0
    }
  }

  is(bytes: Buffer, at: number): boolean {
    return bytes.readUInt32BE(at) === this.#one && bytes.readUInt32BE(at + 4) === this.#two
  }
}
