/**
 * Reads a file that a program still appends to, and no line twice: where the reading stopped is written down, and the next
 * one goes on there, in this process or in another. Such a file is plain text with one object on each line, of a format
 * whose reader can be taken up again; other files are read whole (`readTranscripts`).
 *
 * The law: wherever the reading of a file was stopped, and however often, its transcripts and its report are those of
 * reading it whole.
 */
import { deserialize, serialize } from 'node:v8'
import { crc32 } from 'node:zlib'
import type { Trace } from '../model/trace.ts'
import { RecordReading } from './lines/records.ts'
import { blocksOf, type Source } from './lines/source.ts'
import { FileReading, type FileReport, type PlainFile, type ReadOptions } from './read.ts'

/** Where a reading can be taken up again: behind the last line that had its line feed. */
export interface Checkpoint {
  readonly bytes: number
  readonly lines: number
  /** CRC-32 of these bytes. */
  readonly sum: number
  /** What the reading had come to, as `node:v8` serialises it. */
  readonly state: Uint8Array
}

export interface GrownFile {
  readonly report: FileReport
  /** For the next reading; null where it would have to begin anew. */
  readonly checkpoint: Checkpoint | null
  /** Bytes of the file that this reading went through. */
  readonly bytes: number
}

export interface GrowingOptions extends ReadOptions {
  /** A last line without a line feed: `left` while a program may still be writing it, `read` as in a file at rest. */
  readonly torn: 'left' | 'read'
  /** With fewer new bytes the old checkpoint is kept: to read them again costs less than to write everything down. Default 0. */
  readonly fewest?: number
}

/**
 * @param from where an earlier reading of the same bytes with the same options stopped; null to begin
 * @param done given each transcript as it is now, in their order
 * @returns null where the file cannot be read this way; what has been given to `done` does not count then
 * @throws an error of the system, or as `readTranscripts`
 */
export async function readGrowing(
  source: Source & { readonly path: string },
  options: GrowingOptions,
  from: Checkpoint | null,
  done: (trace: Trace) => void,
): Promise<GrownFile | null> {
  const start = from?.bytes ?? 0
  const file = from === null ? new FileReading(source, options, done) : revived(source, options, from, done)
  if (file === null) return null
  const records = new RecordReading(source.name, file, options, from?.lines)
  let bytes = 0
  // The checksums of what was read, and of its part up to the last line feed.
  let sum = from?.sum ?? 0
  let checkpointSum = sum
  const blocks = from === null ? source.chunks : blocksOf(source.path, () => ({ from: start, size: Infinity }))
  for await (const block of blocks) {
    const chunk = Buffer.from(block.buffer, block.byteOffset, block.byteLength)
    if (start + bytes === 0 && chunk[0] !== openBrace) return null
    if (!records.push(chunk)) return null
    bytes += chunk.length
    const feed = chunk.lastIndexOf(lineFeed) + 1
    if (feed > 0) checkpointSum = crc32(chunk.subarray(0, feed), sum)
    sum = crc32(chunk.subarray(feed), feed > 0 ? checkpointSum : sum)
  }
  const { stopped } = records
  if (stopped === null && options.torn === 'left') return null
  let checkpoint = stopped && from
  const size = bytes - (stopped?.waiting ?? 0)
  if (stopped && (from === null || size > (options.fewest ?? 0))) {
    const state = written(file.plain())
    if (state) checkpoint = { bytes: start + size, lines: stopped.lines, sum: checkpointSum, state }
  }
  if (options.torn === 'read') records.end(null)
  return { report: file.finish(), checkpoint, bytes }
}

/** In bytes: with less than this since the last checkpoint, no new checkpoint is written, and the rest is read again. */
export const worthCheckpoint = 1 << 16

const openBrace = 0x7b
const lineFeed = 0x0a

/**
 * Whether a file still begins with all that was read up to a checkpoint. A change anywhere in that part is noticed.
 * @throws an error of the system
 */
export function isContinued(path: string, { bytes, sum }: Checkpoint): boolean {
  let [length, found] = [0, 0]
  for (const block of blocksOf(path, () => ({ from: 0, size: bytes }))) {
    length += block.length
    found = crc32(block, found)
  }
  return length === bytes && found === sum
}

/** Null where the state nests too deep to be written down, as with a recorded call of ten thousand levels. */
function written(plain: PlainFile | null): Uint8Array | null {
  if (plain === null) return null
  try {
    return serialize(plain)
  } catch {
    return null
  }
}

function revived(
  source: Source,
  options: ReadOptions,
  { state }: Checkpoint,
  done: (trace: Trace) => void,
): FileReading | null {
  // A copy: what is revived has its columns in these very bytes, and the checkpoint may be wanted again.
  return FileReading.of(source, options, done, deserialize(Buffer.from(state)) as PlainFile)
}
