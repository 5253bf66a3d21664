/**
 * The file of one source's traces: parts of bytes, packed in blocks, and behind them what they are about. It is written while
 * the source is read, as a draft that takes its place when all of it is there.
 */
import { closeSync, openSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { brotliCompressSync, brotliDecompressSync, constants, crc32 } from 'node:zlib'
import type { TraceDraft } from '../app/files/trace-cache.ts'
import type { Source } from '../readers/lines/source.ts'
import { draftName, keyOf } from './key.ts'
import type { Room } from './room.ts'
import { claim, sumLength, sumOf } from './store.ts'
import type { Stamps, Watched } from './watch.ts'

/** A file begins with this and ends with the CRC-32 of all before: it is to tell what is torn, and only the user writes here. */
const magic = Buffer.from('ctxwin traces 1\n')

/** In bytes, before they are packed: many small transcripts are packed together, and of a large file not all at once. */
const blockSize = 1 << 20

/** Level 1 packs as small as zlib's 6 in a third of its time. */
const packing = { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } }

/**
 * What an entry is about: the same for as long as the source has its name. Two with one key, which is rare, replace each other:
 * an entry says what it is about.
 */
export type Subject = readonly [path: string, name: string, way: string]

export interface Place {
  readonly directory: string
  /** Another word for each build of ctxwin, and for each engine that it runs on. */
  readonly build: string
}

export class DraftFile implements TraceDraft {
  readonly source: Source
  readonly #place: Place
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

  constructor(place: Place, room: Room, watched: Pick<Watched, 'source' | 'stamps'>, subject: Subject) {
    this.source = watched.source
    this.#place = place
    this.#room = room
    this.#watched = watched
    this.#subject = subject
    this.#path = join(place.directory, draftName())
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
      const { directory, build } = this.#place
      if (stamps === null) return
      const about: About = { subject: this.#subject, build, stamps }
      const text = Buffer.from(JSON.stringify(about))
      this.#write(Buffer.concat([text, lengthOf(text)]))
      const file = join(directory, keyOf(this.#subject))
      if (!this.#room.makeFor(file, this.#size + sumLength)) return
      this.#write(sumOf(this.#sum))
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

  /** A disk that is full or may not be written to, a directory of others: nothing more is kept in this run. */
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
      if (!claim(this.#place.directory)) throw new Error('files of others are in it')
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

/**
 * @param isCurrent whether the source is as it was
 * @returns the packed blocks of an entry that is whole, and whose source is as it was; else null
 */
export function contentOf(
  bytes: Buffer,
  { subject, build }: Omit<About, 'stamps'>,
  isCurrent: (stamps: Stamps) => boolean,
): { readonly blocks: Buffer; readonly stamps: Stamps } | null {
  const end = bytes.length - sumLength
  if (end < magic.length + 4 || !bytes.subarray(0, magic.length).equals(magic)) return null
  if (crc32(bytes.subarray(0, end)) !== bytes.readUInt32LE(end)) return null
  const size = bytes.readUInt32LE(end - 4)
  const about = JSON.parse(bytes.toString('utf8', end - 4 - size, end - 4)) as About
  const isSame = JSON.stringify(about.subject) === JSON.stringify(subject) && about.build === build
  if (!isSame || !isCurrent(about.stamps)) return null
  return { blocks: bytes.subarray(magic.length, end - 4 - size), stamps: about.stamps }
}

export function* partsIn(blocks: Buffer): Generator<Uint8Array> {
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
