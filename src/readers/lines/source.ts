/**
 * Reads bytes from a file or stream, unpacks them, and refuses what is not UTF-8 text. gzip and Zstandard are recognised
 * by their first bytes, not by the file's name, so a pipe works as well as a file.
 */
import { closeSync, fstatSync, openSync, readSync, statSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { crc32 } from 'node:zlib'
import { door } from '../../base/door.ts'
import { CtxwinError } from '../../base/errors.ts'
import { string } from '../../base/plain-shape.ts'
import { pathWord, shellWord } from '../../base/quoting.ts'
import { isSystemError, reasonOf } from '../../base/system-errors.ts'
import { type RowsOf, rowsIn } from '../databases/beside.ts'
import { aiderLines, isAiderHistory } from './aider-history.ts'
import { csvHead, csvLines, opensJson } from './csv.ts'
import { debugLogLines, isDebugLog } from './debug-log.ts'
import { documentIn } from './document.ts'
import { storedSession } from './opencode-storage.ts'
import { type Bytes, parquetLines, parquetMagic, type TableColumns } from './parquet.ts'
import { deflate, type Packing, packings } from './unpack.ts'

export { isStoredPiece } from './opencode-storage.ts'

/**
 * `name` is the name in messages. A chunk is valid only until the next one is requested (a file is read into the same
 * buffer again and again), so code that keeps bytes must copy them. What lies in a file can be read again from the start.
 */
export interface Source {
  readonly name: string
  /** The file that its bytes lie in, absolute; absent for a pipe. */
  readonly path?: string
  readonly chunks: Iterable<Uint8Array> | AsyncIterable<Uint8Array>
  /** The JSON document of this name in the same directory; undefined if there is none that can be read. Of a database these rows. */
  beside?(name: string, rows?: RowsOf): unknown
  /** Opens it for reading at any place, which Parquet needs, because its end says where things are; absent for a pipe. */
  readonly bytes?: () => Bytes
  /** The name of the archive or the database that it lies in. */
  readonly container?: string
  /** What the archive says of it. */
  readonly member?: ArchiveMember
  /** What its database, or its directories, say of it. */
  readonly session?: SessionRows
}

/** Between the name of an archive or a database and that of what lies in it. */
export const inContainer = '!/'

/** A session in a database, or in many files. */
export interface SessionRows {
  /** Milliseconds since the epoch: when anything of it was last written; null where nothing says. */
  readonly modified: number | null
  /** In bytes; in a database by its size. */
  readonly size: number
  /** Another word whenever anything of it has changed. @throws CtxwinError */
  stamp(): string
}

export interface ArchiveMember {
  /** In bytes, unpacked, as the archive says; it may be wrong. */
  readonly size: number
  /** The chunks are raw deflate, which does not say so itself. */
  readonly isDeflated: boolean
  /** CRC-32 of the bytes, unpacked; null where it is not looked at. */
  readonly checksum: number | null
}

/** Reading blocks of this size with readSync was several times as fast as a stream with its default of 64 KB. */
const blockSize = 1 << 20

const enter = door('openFile', { path: [string, 'that of a file'] })

/** The file is opened when the first chunk is requested, and closed after the last or when the iteration stops early. */
export function openFile(path: string): Source {
  enter({ path })
  const beside = (name: string, rows?: RowsOf) => {
    const file = join(dirname(path), name)
    return rows ? rowsIn(file, rows) : documentIn(file)
  }
  if (isPipe(path)) return { name: path, chunks: { [Symbol.asyncIterator]: () => piped(path) }, beside }
  return {
    name: path,
    path: resolve(path),
    chunks: { [Symbol.iterator]: () => blocksOf(path) },
    bytes: () => bytesOf(path),
    beside,
    ...storedSession(resolve(path)),
  }
}

/** False where the system refuses to say: it will refuse again when the file is read, and that is reported. */
function isPipe(path: string): boolean {
  try {
    return statSync(path).isFIFO()
  } catch {
    return false
  }
}

function bytesOf(path: string): Bytes {
  const file = openSync(path, 'r')
  return {
    size: fstatSync(file).size,
    at(from, to) {
      const bytes = Buffer.alloc(Math.max(0, to - from))
      return bytes.subarray(0, readSync(file, bytes, 0, bytes.length, from))
    },
    close: () => closeSync(file),
  }
}

/**
 * The block of a file that was read to its end, for the next one. V8 counts what is outside of its heap, too: a new megabyte
 * for each of thousands of small files made a thread of `--jobs` collect its garbage after every thirty.
 */
let spare: Buffer | null = null

/** @param begin reads the head of the file, and says where the bytes stand in it; without it, all are read */
export function* blocksOf(
  path: string,
  begin?: (file: number) => { from: number; size: number },
): Generator<Uint8Array> {
  const file = openSync(path, 'r')
  try {
    const { from, size } = begin?.(file) ?? { from: null, size: Infinity }
    const block = spare ?? Buffer.allocUnsafeSlow(blockSize)
    spare = null
    for (let done = 0; done < size; ) {
      const length = Math.min(block.length, size - done)
      const read = readSync(file, block, 0, length, from === null ? null : from + done)
      if (read === 0) break
      done += read
      yield block.subarray(0, read)
    }
    spare = block
  } finally {
    closeSync(file)
  }
}

/**
 * Does not use `readSync`: while that waits for the writing program, a program that listens to signals cannot be ended by
 * one.
 */
async function* piped(path: string): AsyncGenerator<Uint8Array> {
  const pipe = await open(path)
  try {
    const block = Buffer.allocUnsafeSlow(blockSize)
    for (;;) {
      const { bytesRead } = await pipe.read(block)
      if (bytesRead === 0) return
      yield block.subarray(0, bytesRead)
    }
  } finally {
    await pipe.close()
  }
}

export interface TextOptions {
  /** The most bytes a compressed file may unpack to; default 4 GB. A few kilobytes can be made to unpack to any size. */
  readonly largestUnpacked?: number
  /** The columns in which a table has conversations. Without them a table is refused, as any file that is no text. */
  readonly columns?: TableColumns
  /** Called at the end if the data was damaged or cut off; everything before that has been handed over. */
  damaged(how: 'torn-compression' | 'other-checksum'): void
}

const defaultUnpacked = 2 ** 32

/**
 * The source's bytes as UTF-8 text: decompressed, without a byte order mark.
 * @throws {CtxwinError} `unreadable` for a source that is not UTF-8 text (UTF-16, a ZIP, a database), that the system
 * refuses to read, or that unpacks to too much; `damaged` for one of whose compressed data nothing could be unpacked
 */
export async function* textOf(source: Source, options: TextOptions): AsyncGenerator<Buffer> {
  try {
    const text = plainText(source, options)
    const head = (await text.next()).value
    if (head === undefined) return
    const { columns } = options
    if (columns && startsWith(head, parquetMagic)) {
      await text.return(undefined)
      yield* linesOfParquet(source, columns, options)
      return
    }
    refuseForeign(head, source.name)
    const begun = columns ? await withFirstLine(head, text) : head
    const names = columns ? csvHead(begun, columns.conversations) : null
    const all = prepended(begun, text)
    if (names) yield* csvLines(source.name, all, names)
    else yield* columns ? madeLines(source.name, begun.toString('utf8', 0, longestTitle), all) : all
  } catch (error) {
    // A stream can fail with an error of the system, too: standard input may be a directory.
    if (!isSystemError(error)) throw error
    throw new CtxwinError('unreadable', source.name, reasonOf(error, 'read'))
  }
}

/** Lines of JSON of a text that is another kind of log. @param begin how it begins */
function madeLines(name: string, begin: string, text: AsyncIterable<Buffer>): AsyncIterable<Buffer> {
  if (isDebugLog(begin)) return debugLogLines(name, text)
  return isAiderHistory(begin) ? aiderLines(name, text) : text
}

/** The head with what completes its first line that is not blank, unless that is JSON or longer than the head of any table. */
async function withFirstLine(head: Buffer, rest: AsyncGenerator<Buffer>): Promise<Buffer> {
  let begun = head
  while (begun.length < longestHead && !begun.toString('latin1').trimStart().includes('\n') && !opensJson(begun)) {
    // A copy: the source may overwrite its chunk when it is asked for the next.
    begun = Buffer.from(begun)
    const next = await rest.next()
    if (next.done) break
    begun = Buffer.concat([begun, next.value])
  }
  return begun
}

/** In bytes. */
const longestHead = 1 << 16
const longestTitle = 1 << 10

async function* linesOfParquet(
  { name, bytes: open }: Source,
  columns: TableColumns,
  { largestUnpacked = defaultUnpacked }: TextOptions,
): AsyncGenerator<Buffer> {
  if (!open) throw new CtxwinError('unreadable', name, 'Parquet is read from its end: name the file instead of a pipe')
  const bytes = open()
  try {
    yield* parquetLines(name, bytes, columns, largestUnpacked)
  } finally {
    bytes.close()
  }
}

/** The unpacked bytes without a byte order mark. */
async function* plainText(source: Source, options: TextOptions): AsyncGenerator<Buffer, undefined> {
  let first = true
  for await (const chunk of unpacked(source, options)) {
    yield first && startsWith(chunk, byteOrderMark) ? chunk.subarray(byteOrderMark.length) : chunk
    first = false
  }
  return undefined
}

const byteOrderMark = [0xef, 0xbb, 0xbf]

const foreign: readonly { magic: readonly number[]; reason(name: string): string }[] = [
  { magic: [0xff, 0xfe], reason: isUtf16 },
  { magic: [0xfe, 0xff], reason: isUtf16 },
  { magic: parquetMagic, reason: () => 'it is a Parquet table, which is read only where transcripts are' },
  {
    magic: [0x50, 0x4b, 3, 4],
    reason: () => 'it is a ZIP archive, which is read only as a file of its own: unpack it',
  },
  {
    magic: [0x53, 0x51, 0x4c, 0x69],
    reason: () => 'it is an SQLite database, which is read only as a file of its own',
  },
]

function isUtf16(name: string): string {
  return `it is UTF-16 text. ${readThrough('iconv -f UTF-16 -t UTF-8', name)}`
}

function refuseForeign(head: Buffer, name: string): void {
  for (const { magic, reason } of foreign)
    if (startsWith(head, magic)) throw new CtxwinError('unreadable', name, reason(name))
}

async function* unpacked(source: Source, options: TextOptions): AsyncGenerator<Buffer> {
  const chunks = withWholeHead(source.member ? ofArchive(source, source.member, options) : source.chunks)
  try {
    const head = (await chunks.next()).value
    if (head === undefined) return
    const packing = packings.find(({ magic }) => startsWith(head, magic))
    const all = prepended(head, chunks)
    yield* packing === undefined ? all : withWholeHead(unpack(packing, source.name, all, options))
  } finally {
    await chunks.return(undefined)
  }
}

/** The bytes of a file in an archive, unpacked. */
async function* ofArchive(
  { name, chunks }: Source,
  { size, isDeflated, checksum }: ArchiveMember,
  options: TextOptions,
): AsyncGenerator<Buffer> {
  // If the archive names a wrong size, that is noticed while the bytes are unpacked.
  refuseLarge(name, size, options)
  let sum = 0
  const packed = withWholeHead(chunks)
  for await (const chunk of isDeflated ? unpack(deflate, name, packed, options) : packed) {
    if (checksum !== null) sum = crc32(chunk, sum)
    yield chunk
  }
  if (checksum !== null && sum !== checksum) options.damaged('other-checksum')
}

function refuseLarge(name: string, size: number, { largestUnpacked = defaultUnpacked }: TextOptions): void {
  if (size <= largestUnpacked) return
  const reason = `it unpacks to more than ${sizeInWords(largestUnpacked)}: if that is intended, raise the limit with --max-unpacked`
  throw new CtxwinError('unreadable', name, reason)
}

async function* unpack(
  packing: Packing,
  name: string,
  packed: AsyncIterable<Buffer>,
  options: TextOptions,
): AsyncGenerator<Buffer> {
  const unpacking = packing.unpack(packed)
  let size = 0
  let next = await unpacking.next()
  for (; !next.done; next = await unpacking.next()) {
    size += next.value.length
    refuseLarge(name, size, options)
    yield next.value
  }
  if (next.value) return
  if (size === 0) throw new CtxwinError('damaged', name, 'its compressed data is damaged or cut off from the start')
  options.damaged('torn-compression')
}

function sizeInWords(bytes: number): string {
  const [unit, scale] = bytes >= 2 ** 30 ? ['GB', 2 ** 30] : ['MB', 2 ** 20]
  return `${Math.round((bytes / scale) * 100) / 100} ${unit}`
}

/** The command line that pipes the file through another program first. */
function readThrough(program: string, name: string): string {
  if (name === '-') return `Put ${program} before ctxwin in the pipe`
  return `Try: ${program} ${shellWord(pathWord(name))} | ctxwin simulate -`
}

async function* prepended(head: Buffer, rest: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  yield head
  yield* rest
}

/** The same bytes, with a first chunk of at least four bytes, enough to recognise a format (if there are that many). */
async function* withWholeHead(chunks: Source['chunks']): AsyncGenerator<Buffer, undefined> {
  const enough = 4
  let head: Buffer | undefined = Buffer.alloc(0)
  for await (const chunk of chunks) {
    if (head === undefined) {
      yield Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength)
      continue
    }
    head = Buffer.concat([head, chunk])
    if (head.length < enough) continue
    yield head
    head = undefined
  }
  if (head !== undefined && head.length > 0) yield head
  return undefined
}

function startsWith(bytes: Buffer, magic: readonly number[]): boolean {
  return magic.every((byte, at) => bytes[at] === byte)
}
