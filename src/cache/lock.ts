/**
 * Locks of files that are read and written back: of two processes that do so at once, one would lose what the other has written. A lock is
 * a file beside it that says who works with it. It is made only where it is not there; that of a process that has died is removed by
 * one that holds a second lock meanwhile, so that nobody removes one that is new.
 */
import { lstatSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { hostname } from 'node:os'
import { CtxwinError } from '../base/errors.ts'
import { isSystemError, reasonOf } from '../base/system-errors.ts'

/**
 * @param name of the file, as the user knows it
 * @returns what removes the lock again
 * @throws CtxwinError if another process holds it, or the system refuses
 */
export function lock(file: string, name = file): () => void {
  const path = `${file}.lock`
  const release = () => rmSync(path, { force: true })
  if (makeLock(path, name)) return release
  const takeover = `${path}.takeover`
  if (isStale(path) && makeLock(takeover, name)) {
    try {
      if (isStale(path)) release()
      if (makeLock(path, name)) return release
    } finally {
      rmSync(takeover, { force: true })
    }
  }
  throw new CtxwinError('in-use', name, `${name}.lock`)
}

/** In milliseconds: how long a write that takes moments is waited for, and how long until the next look. */
const [patience, pause] = [10_000, 10]

/**
 * Does what takes moments while nobody else does it.
 * @throws CtxwinError as `lock` does, once it has waited in vain; what `act` throws
 */
export function whileLocked<Result>(file: string, name: string, act: () => Result): Result {
  const release = waitFor(file, name)
  try {
    return act()
  } finally {
    release()
  }
}

function waitFor(file: string, name: string): () => void {
  for (const end = performance.now() + patience; ; ) {
    try {
      return lock(file, name)
    } catch (error) {
      if (!(error instanceof CtxwinError && error.code === 'in-use') || performance.now() > end) throw error
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, pause)
    }
  }
}

/**
 * @returns false where it is there
 * @throws CtxwinError that names the file: where there is no room for a lock, it could not be written either
 */
function makeLock(path: string, name: string): boolean {
  try {
    writeFileSync(path, `${process.pid} ${hostname()}\n`, { flag: 'wx', mode: 0o600 })
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false
    // Made, and then the disk was full: nobody could tell that it is nobody's.
    rmSync(path, { force: true })
    throw isSystemError(error) ? new CtxwinError('unwritable', name, reasonOf(error, 'write')) : error
  }
}

/**
 * Whether it is there and a process of this machine made it that is no more. Of another machine's nobody here can tell; and where it
 * is not there, another process may make it the next moment, so that it must not be removed.
 */
function isStale(path: string): boolean {
  try {
    // A checkout may have a link of this name, to a device without an end.
    if (!lstatSync(path).isFile()) return false
    const [, pid, host] = /^(\d+) (.*)\n$/.exec(readFileSync(path, 'utf8')) ?? []
    if (pid === undefined || host !== hostname()) return false
    process.kill(Number(pid), 0)
    return false
  } catch (error) {
    // There is no such process; one of another user may not be asked.
    return (error as NodeJS.ErrnoException).code === 'ESRCH'
  }
}
