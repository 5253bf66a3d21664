/**
 * What the user trusts to run: config files, and modules that variables name, each with every file that loading it
 * reads, as they were when it was trusted. There is a file for each in the user's configuration directory, so that two
 * programs that write at once write different ones, and each is written whole.
 */

import { createHash } from 'node:crypto'
import { readdirSync, readFileSync, realpathSync, rmSync, statSync } from 'node:fs'
import { basename, dirname, join, relative, sep } from 'node:path'
import { userDirectory } from '../../base/user-directory.ts'
import { readOwn } from '../../cache/directory.ts'
import { writeEntry } from '../../cache/store.ts'
import { unwritable } from '../output/whole-file.ts'
import type { Hashes } from './guard.ts'
import { misuse } from './misuse.ts'

export interface Trust {
  /** Where it lies: another file of the same bytes is not trusted, and no link elsewhere that leads to it. */
  readonly place: string
  /** What may be read to load it, itself included. */
  readonly files: Hashes
}

type Env = Readonly<Record<string, string | undefined>>

/** Null where no home directory is known. */
function trustDirectory(env: Env): string | null {
  const directory = userDirectory('config', env)
  return directory === null ? null : join(directory, 'trust')
}

/** The one name of a place: its directory as it really is. A file that is a link stays one. */
export function placeOf(path: string): string {
  try {
    return join(realpathSync.native(dirname(path)), basename(path))
  } catch {
    return path
  }
}

/** Null where the file is not trusted. */
export function trustIn(path: string, env: Env): Trust | null {
  const directory = trustDirectory(env)
  if (directory === null) return null
  const place = placeOf(path)
  const trust = readTrust(fileFor(directory, place))
  return trust?.place === place ? trust : null
}

/** All that is trusted, by place. */
export function allTrust(env: Env): Trust[] {
  const directory = trustDirectory(env)
  let names: string[]
  try {
    names = directory === null ? [] : readdirSync(directory)
  } catch {
    names = []
  }
  return names
    .flatMap((name) => readTrust(join(directory as string, name)) ?? [])
    .sort((a, b) => (a.place < b.place ? -1 : 1))
}

/** @throws CtxwinError where it cannot be written */
export function keepTrust({ place, files }: Trust, env: Env): void {
  const directory = trustDirectory(env)
  if (directory === null) throw misuse('no home directory is known to write down what is trusted: set HOME')
  const text = `${JSON.stringify({ place, files: Object.fromEntries(files) }, null, 2)}\n`
  const file = fileFor(directory, place)
  try {
    writeEntry(file, [Buffer.from(text)])
  } catch (error) {
    throw unwritable(file, error as NodeJS.ErrnoException)
  }
}

/** @throws CtxwinError where it cannot be removed */
export function revokeTrust({ place }: Trust, env: Env): void {
  const file = fileFor(trustDirectory(env) as string, place)
  try {
    rmSync(file, { force: true })
  } catch (error) {
    throw unwritable(file, error as NodeJS.ErrnoException)
  }
}

/**
 * What is no more as it was when it was trusted, in words; null where all is.
 * @param bytes of the file itself, where it has been read
 */
export function changeIn({ place, files }: Trust, bytes: Buffer | null = null): string | null {
  const shown = (file: string) => (file.startsWith(dirname(place) + sep) ? relative(dirname(place), file) : file)
  let real: string | null = null
  try {
    real = realpathSync.native(place)
  } catch {}
  if (real === null) return `${basename(place)} is gone`
  if (!files.has(real)) return `${basename(place)} leads elsewhere`
  for (const [file, hash] of files) {
    let now: string
    try {
      // What a pipe gives may differ each time, so only a file can be the one that was trusted.
      if (!statSync(file).isFile()) return `${shown(file)} has changed`
      now = hashOf(file === real && bytes !== null ? bytes : readFileSync(file))
    } catch {
      return `${shown(file)} is gone`
    }
    if (now !== hash) return `${shown(file)} has changed`
  }
  return null
}

export function hashOf(bytes: Buffer | string): string {
  return createHash('sha256').update(bytes).digest('hex')
}

function fileFor(directory: string, place: string): string {
  return join(directory, `${hashOf(place)}.json`)
}

/** Null for what is not there, not this user's, or nothing that we have written. */
function readTrust(file: string): Trust | null {
  if (!file.endsWith('.json')) return null
  try {
    const { place, files } = JSON.parse(readOwn(file).bytes.toString())
    const hashes = new Map(Object.entries(files as object))
    const isWell = typeof place === 'string' && [...hashes.values()].every((hash) => typeof hash === 'string')
    return isWell ? { place, files: hashes as ReadonlyMap<string, string> } : null
  } catch {
    return null
  }
}
