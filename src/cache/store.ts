/**
 * A directory of what later runs can use: each entry is a file by itself, whole, with its checksum, and written by this user
 * alone. What is kept can be made again, so nothing comes of a failure. The start of the program needs it.
 */
import { readdirSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { crc32 } from 'node:zlib'
import { makeDirectory } from '../base/make-directory.ts'
import { readOwn } from './directory.ts'

export interface Store {
  /** Undefined for what is not there, not ours, or not whole. */
  find(key: string): Buffer | undefined
  /** A reader finds all of it or nothing. */
  keep(key: string, data: Uint8Array): void
}

/** Makes room for a file of so many bytes; false where there is none. */
export type MakeRoom = (path: string, size: number) => boolean

/** @param makeRoom default: by removing what nobody has written for a month */
export function openStore(directory: string, makeRoom: MakeRoom = removeOld): Store {
  return {
    find(key) {
      try {
        const { bytes } = readOwn(join(directory, key))
        const data = bytes.subarray(sumLength)
        return bytes.length > sumLength && bytes.readUInt32LE(0) === crc32(data) ? data : undefined
      } catch {
        return undefined
      }
    },
    keep(key, data) {
      const path = join(directory, key)
      try {
        if (makeRoom(path, sumLength + data.length)) writeEntry(path, [sumOf(crc32(data)), data])
      } catch {
        // A full disk, a home that may not be written to: the next run makes it again.
      }
    },
  }
}

/** Who may read and write an entry: this user alone, or whoever the system lets do it with any file. */
const forOwner = { directory: 0o700, file: 0o600 }
export const forAll = { directory: 0o777, file: 0o666 }

/** Writes a file that is whole as soon as it is there. @throws an error of the system */
export function writeEntry(path: string, parts: readonly Uint8Array[], modes = forOwner): void {
  makeDirectory(dirname(path), modes.directory)
  const draft = draftIn(dirname(path))
  try {
    writeFileSync(draft, Buffer.concat(parts), { mode: modes.file, flag: 'wx' })
    renameSync(draft, path)
  } finally {
    rmSync(draft, { force: true })
  }
}

/** The path of a file that is being written: nobody else uses it. */
export const draftIn = (directory: string): string => join(directory, `${Math.random().toString(36).slice(2)}.draft`)

/** The names in a directory; none where it cannot be read. */
export function namesIn(directory: string): string[] {
  try {
    return readdirSync(directory)
  } catch {
    return []
  }
}

/** In bytes, of the checksum of an entry. */
export const sumLength = 4

/** A CRC-32 as it stands in a file. */
export function sumOf(sum: number): Buffer {
  const bytes = Buffer.alloc(sumLength)
  bytes.writeUInt32LE(sum)
  return bytes
}

const month = 30 * 24 * 3600 * 1000

/** What other versions of Node and of this program left. */
function removeOld(path: string): boolean {
  for (const name of namesIn(dirname(path))) {
    const old = join(dirname(path), name)
    const stats = statSync(old, { throwIfNoEntry: false })
    if (stats && Date.now() - stats.mtimeMs > month) rmSync(old, { force: true })
  }
  return true
}
