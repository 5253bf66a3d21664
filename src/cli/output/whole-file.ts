/**
 * Files that are written whole or not at all: what stood there before stays until its successor is complete on disk.
 */

import {
  accessSync,
  closeSync,
  constants,
  fchmodSync,
  fchownSync,
  fsyncSync,
  lstatSync,
  openSync,
  readlinkSync,
  realpathSync,
  renameSync,
  rmSync,
  type Stats,
  statSync,
  writeFileSync,
} from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import { CtxwinError } from '../../app/index.ts'
import { makeDirectory } from '../../base/make-directory.ts'
import { reasonOf } from '../../base/system-errors.ts'

/** Where a file will stand, checked. */
export interface Target {
  /** As the user names it. */
  readonly name: string
  /** With its links followed where it is to be replaced: they stay. */
  readonly path: string
  /** The file that stands there now; null when nothing does. */
  readonly old: Stats | null
  /** Written as it stands instead of replaced: a pipe, a device, what a shell has opened, what is appended to. */
  readonly inPlace: boolean
}

/** What is being written. */
export interface Draft {
  write(part: string | Uint8Array): void
  /** Puts it in its place. */
  complete(): void
  /** Removes it, unless it is complete. */
  discard(): void
}

/**
 * Writes a file whole: whatever happens, it holds afterwards what it held before, or all of `text`.
 * @param name as the user knows the file
 * @throws CtxwinError when it cannot be written
 */
export function writeWhole(path: string, text: string, name = path): void {
  writeTogether([{ path, text, name }])
}

export interface WholeFile {
  readonly path: string
  readonly text: string
  /** As the user knows the file. */
  readonly name: string
}

/** The same for several: if the disk has no room for all of them, none changes. */
export function writeTogether(files: readonly WholeFile[]): void {
  const drafts: Draft[] = []
  try {
    for (const { path, text, name } of files) {
      const draft = openDraft(targetOf(path, name))
      drafts.push(draft)
      draft.write(text)
    }
    for (const draft of drafts) draft.complete()
  } finally {
    for (const draft of drafts) draft.discard()
  }
}

/** @throws CtxwinError when it cannot be written, as its methods do */
export function openDraft(target: Target): Draft {
  return target.inPlace ? new Appended(target) : new HalfFile(target)
}

/**
 * Checks what can be known of a file before it is written; nothing is created.
 * @throws CtxwinError when it is a directory, or has none, or may not be written
 */
export function targetOf(path: string, name: string, mode: 'replace' | 'append' = 'replace'): Target {
  if (name === '') throw new CtxwinError('unwritable', '""', 'it names no file')
  return writing(name, () => {
    const old = statSync(path, { throwIfNoEntry: false }) ?? null
    if (old?.isDirectory() || /[\\/]$/.test(name)) throw new CtxwinError('unwritable', name, 'it is a directory')
    if (old) accessSync(path, constants.W_OK)
    // What a shell has opened is not ours to replace, even where it is a file.
    const given = (old !== null && !old.isFile()) || /^\/(dev\/(std|fd\/)|proc\/)/.test(resolve(path))
    if (given || (old && mode === 'append')) return { name, path, old, inPlace: true }
    const real = followLinks(resolve(path))
    accessSync(dirname(real), constants.W_OK | constants.X_OK)
    return { name, path: real, old, inPlace: mode === 'append' }
  })
}

/**
 * Drafts of files in a directory, which is created where it is missing.
 * @throws CtxwinError when it is none, or may not be written, or has a link in place of a file
 */
export function draftsIn(path: string, name: string): (file: string) => Draft {
  writing(name, () => makeDirectory(path))
  return (file) => {
    refuseLink(join(path, file), join(name, file), 'remove it first')
    return openDraft(targetOf(join(path, file), join(name, file)))
  }
}

/**
 * Refuses a link in place of a file that the user did not name: a hostile checkout may let it lead anywhere.
 * @returns what is there
 * @throws CtxwinError for a link
 */
export function refuseLink(path: string, name: string, remedy: string): Stats | undefined {
  const there = lstatSync(path, { throwIfNoEntry: false })
  if (there?.isSymbolicLink()) throw new CtxwinError('unwritable', name, `it is a link: ${remedy}`)
  return there
}

/** A file that is written beside the one it replaces, under another name until it is complete. */
class HalfFile implements Draft {
  readonly #target: Target
  readonly #beside: string
  readonly #file: number
  #open = true

  constructor(target: Target) {
    this.#target = target
    removeAtEnd(null)
    const [beside, file] = writing(target.name, () => createBeside(target))
    halfFiles.add(beside)
    this.#beside = beside
    this.#file = file
  }

  write(part: string | Uint8Array): void {
    // writeFileSync writes all of it or throws. writeSync may write less on a disk that fills up, and throws nothing.
    writing(this.#target.name, () => writeFileSync(this.#file, part))
  }

  complete(): void {
    writing(this.#target.name, () => {
      fsyncSync(this.#file)
      this.#close()
      renameSync(this.#beside, this.#target.path)
    })
    keep(this.#beside)
    syncDirectory(dirname(this.#target.path))
  }

  discard(): void {
    this.#close()
    if (keep(this.#beside)) rmSync(this.#beside, { force: true })
  }

  #close(): void {
    if (this.#open) closeSync(this.#file)
    this.#open = false
  }
}

/** Appends to a file. */
class Appended implements Draft {
  readonly #target: Target
  readonly #file: number
  #readerGone = false

  constructor(target: Target) {
    this.#target = target
    this.#file = writing(target.name, () => openSync(target.path, 'a'))
  }

  write(part: string | Uint8Array): void {
    if (this.#readerGone) return
    writing(this.#target.name, () => {
      try {
        writeFileSync(this.#file, part)
      } catch (error) {
        // The reader of a pipe may stop at any time: that is not a failure.
        if ((error as NodeJS.ErrnoException).code !== 'EPIPE') throw error
        this.#readerGone = true
      }
    })
  }

  complete(): void {}

  discard(): void {
    closeSync(this.#file)
  }
}

/** Runs an operation on a file, and names the file if it fails. */
export function writing<T>(name: string, touch: () => T): T {
  try {
    return touch()
  } catch (error) {
    throw error instanceof CtxwinError ? error : unwritable(name, error)
  }
}

export function unwritable(name: string, error: unknown): CtxwinError {
  return new CtxwinError('unwritable', name, reasonOf(error, 'write'))
}

/** The path behind a chain of links, even if the last one points to nothing yet. */
export function followLinks(path: string): string {
  try {
    return realpathSync(path)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
  }
  let pointed: string
  try {
    pointed = readlinkSync(path)
  } catch {
    return join(realpathSync(dirname(path)), basename(path))
  }
  return followLinks(resolve(dirname(path), pointed))
}

/** @returns its path and its descriptor */
function createBeside({ path, old }: Target): [string, number] {
  for (let number = 0; ; number++) {
    // The draft has a short name of its own: the target's name with an ending could be longer than names may be.
    const beside = join(dirname(path), `.ctxwin-${process.pid}-${number}`)
    try {
      const file = openSync(beside, 'wx', old ? old.mode & 0o777 : 0o666)
      if (old) keepRights(file, old)
      return [beside, file]
    } catch (error) {
      // Left by a killed process: in a container every process has the same id.
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    }
  }
}

function keepRights(file: number, old: Stats): void {
  for (const keep of [() => fchownSync(file, old.uid, old.gid), () => fchmodSync(file, old.mode & 0o777)]) {
    try {
      keep()
    } catch {
      // Only root may give a file away, and some file systems know no rights: then it is ours, as any new file.
    }
  }
}

/** So that the new name survives a power cut. The file is in its place already, so a failure is ignored. */
function syncDirectory(path: string): void {
  try {
    const directory = openSync(path, 'r')
    try {
      fsyncSync(directory)
    } finally {
      closeSync(directory)
    }
  } catch {
    // Windows opens no directories, and some file systems sync none.
  }
}

const halfFiles = new Set<string>()
const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

/**
 * From the first file on, half-written files are removed when the process ends, by a signal too. Not earlier: while
 * something listens, a signal waits for the event loop, and a long run could not be interrupted.
 * @param path of one; null where it is not known yet
 */
export function removeAtEnd(path: string | null): void {
  if (!process.listeners('exit').includes(removeHalfFiles)) process.once('exit', removeHalfFiles)
  for (const signal of signals) {
    if (!process.listeners(signal).includes(endBy)) process.once(signal, endBy)
  }
  if (path !== null) halfFiles.add(path)
}

/** @returns whether it would have been removed */
export const keep = (path: string): boolean => halfFiles.delete(path)

function endBy(signal: NodeJS.Signals): void {
  removeHalfFiles()
  process.kill(process.pid, signal)
}

function removeHalfFiles(): void {
  for (const beside of halfFiles) rmSync(beside, { force: true })
}
