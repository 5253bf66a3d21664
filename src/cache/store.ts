/** Files of the cache directory that are used as they are: whole, with their checksum, and written by this user alone. */
import { readdirSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { crc32 } from 'node:zlib'
import { makeDirectory } from '../base/make-directory.ts'
import { readOwn } from './directory.ts'

/** Undefined for what is not there, not ours, or not whole. */
export function readKept(path: string): Buffer | undefined {
  try {
    const { bytes } = readOwn(path)
    const data = bytes.subarray(4)
    return bytes.length > 4 && bytes.readUInt32LE(0) === crc32(data) ? data : undefined
  } catch {
    return undefined
  }
}

/** A reader finds all of it or nothing. */
export function writeKept(path: string, data: Uint8Array): void {
  try {
    writeWhole(path, `${path}.${process.pid}`, [sumOf(data), data])
    removeOld(dirname(path))
  } catch {
    // A full disk, a home that may not be written to: the next run makes it again.
  }
}

/** @param draft a name beside it that nobody else uses @throws an error of the system */
export function writeWhole(path: string, draft: string, parts: readonly Uint8Array[]): void {
  makeDirectory(dirname(path), 0o700)
  try {
    writeFileSync(draft, Buffer.concat(parts), { mode: 0o600, flag: 'wx' })
    renameSync(draft, path)
  } finally {
    rmSync(draft, { force: true })
  }
}

/** The checksum of a file's data as it stands in the file: four bytes. */
export function sumOf(data: Uint8Array): Buffer {
  const sum = Buffer.alloc(4)
  sum.writeUInt32LE(crc32(data))
  return sum
}

const month = 30 * 24 * 3600 * 1000

/** What other versions of Node and of this program left. */
function removeOld(directory: string): void {
  for (const name of readdirSync(directory)) {
    const path = join(directory, name)
    if (Date.now() - statSync(path).mtimeMs > month) rmSync(path, { force: true })
  }
}
