/**
 * A directory of what later runs can use: each entry is a file by itself, whole, with its checksum, and written by this user
 * alone. What is kept can be made again, so nothing comes of a failure. The start of the program needs it.
 *
 * Entries are removed, too, and the directory is one that a user may have named. So it has a mark, which is put into none but an empty one:
 * without it nothing is kept there, and nothing removed.
 */
import { readdirSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { crc32 } from 'node:zlib'
import { makeDirectory } from '../base/make-directory.ts'
import { readOwn } from './directory.ts'
import { draftName, isDraft, isKey, keyOf } from './key.ts'

/** Entries by the values that they depend on. */
export interface Store {
  /** Undefined for what is not there, not ours, or not whole. */
  find(about: readonly unknown[]): Buffer | undefined
  /** A reader finds all of it or nothing. */
  keep(about: readonly unknown[], data: Uint8Array): void
}

/** Makes room for a file of so many bytes; false where there is none. */
export type MakeRoom = (path: string, size: number) => boolean

/** @param makeRoom default: by removing what nobody has written for a month */
export function openStore(directory: string, makeRoom: MakeRoom = removeOld): Store {
  const pathOf = (about: readonly unknown[]): string => join(directory, keyOf(about))
  return {
    find(about) {
      try {
        const { bytes } = readOwn(pathOf(about))
        const data = bytes.subarray(sumLength)
        return bytes.length > sumLength && bytes.readUInt32LE(0) === crc32(data) ? data : undefined
      } catch {
        return undefined
      }
    },
    keep(about, data) {
      const path = pathOf(about)
      try {
        if (claim(directory) && makeRoom(path, sumLength + data.length)) writeEntry(path, [sumOf(crc32(data)), data])
      } catch {
        // A full disk, a home that may not be written to: the next run makes it again.
      }
    },
  }
}

/** The Cache Directory Tagging Specification has it so: backups leave out what stands beside it. */
const mark = {
  name: 'CACHEDIR.TAG',
  text: 'Signature: 8a477f597d28d172789f06886806bc55\n# What ctxwin can make again.\n',
}

/**
 * Makes a directory for entries, or takes an empty one.
 * @returns whether it is one: what was there before, with files of others in it, is left alone
 * @throws an error of the system
 */
export function claim(directory: string): boolean {
  if (isClaimed(directory)) return true
  makeDirectory(directory, forOwner.directory)
  // Another process may have claimed it since.
  if (readdirSync(directory).length > 0) return isClaimed(directory)
  writeFileSync(join(directory, mark.name), mark.text, { mode: forOwner.file })
  return true
}

function isClaimed(directory: string): boolean {
  try {
    // A process that was killed may have written a part.
    return mark.text.startsWith(String(readOwn(join(directory, mark.name)).bytes))
  } catch {
    return false
  }
}

/** What was made here and may be removed: entries, and drafts of them. */
export interface Entry {
  readonly path: string
  readonly isDraft: boolean
  readonly size: number
  /** Milliseconds since the epoch. */
  readonly used: number
}

/** None where the directory cannot be read, or is not ours. */
export function entriesIn(directory: string): Entry[] {
  if (!isClaimed(directory)) return []
  return readdirSync(directory).flatMap((name) => {
    const path = join(directory, name)
    const stats = isKey(name) || isDraft(name) ? statSync(path, { throwIfNoEntry: false }) : undefined
    return stats?.isFile() ? [{ path, isDraft: isDraft(name), size: stats.size, used: stats.mtimeMs }] : []
  })
}

/** Who may read and write an entry: this user alone, or whoever the system lets do it with any file. */
const forOwner = { directory: 0o700, file: 0o600 }
export const forAll = { directory: 0o777, file: 0o666 }

/** Writes a file that is whole as soon as it is there. @throws an error of the system */
export function writeEntry(path: string, parts: readonly Uint8Array[], modes = forOwner): void {
  makeDirectory(dirname(path), modes.directory)
  const draft = join(dirname(path), draftName())
  try {
    writeFileSync(draft, Buffer.concat(parts), { mode: modes.file, flag: 'wx' })
    renameSync(draft, path)
  } finally {
    rmSync(draft, { force: true })
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
  for (const old of entriesIn(dirname(path))) if (Date.now() - old.used > month) rmSync(old.path, { force: true })
  return true
}
