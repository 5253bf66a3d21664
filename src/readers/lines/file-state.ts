/** What tells a file that was appended to from one that was rewritten, without reading it. */
import { closeSync, fstatSync, openSync, readSync } from 'node:fs'
import { crc32 } from 'node:zlib'

export interface FileState {
  readonly ino: number
  /** In bytes. */
  readonly size: number
  /** Sums of the first and the last bytes of what is asked about. */
  readonly ends: readonly [head: number, tail: number]
}

/** In bytes, of each end. Programs that rewrite a transcript change its first record, or the last ones. */
const endSize = 1 << 12

/** The file as it is, and sums of the first and the last of its first `length` bytes; null where it cannot be opened. */
export function stateOf(path: string, length: number): FileState | null {
  let file: number
  try {
    file = openSync(path, 'r')
  } catch {
    return null
  }
  try {
    const { ino, size } = fstatSync(file)
    const sumOf = (from: number): number => {
      const bytes = Buffer.alloc(Math.min(endSize, length - from))
      return crc32(bytes.subarray(0, readSync(file, bytes, 0, bytes.length, from)))
    }
    return { ino, size, ends: [sumOf(0), sumOf(Math.max(0, length - endSize))] }
  } catch {
    return null
  } finally {
    closeSync(file)
  }
}
