/** Makes directories. The start of the program needs it: nothing of ours is imported. */
import { mkdirSync, statSync } from 'node:fs'
import { dirname } from 'node:path'

/**
 * Makes a directory, and those above it that are missing. Node's `recursive` does not: it goes round for ever where the system
 * says of a name in a directory that this is not there, as in /proc.
 * @throws an error of the system
 */
export function makeDirectory(path: string, mode = 0o777): void {
  try {
    makeOne(path, mode)
  } catch (error) {
    const above = dirname(path)
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT' || above === path) throw error
    makeDirectory(above, mode)
    makeOne(path, mode)
  }
}

function makeOne(path: string, mode: number): void {
  try {
    mkdirSync(path, { mode })
  } catch (error) {
    // A system may refuse before it looks whether it is there: on a disk that is read-only, at the root of a drive.
    if (!isDirectory(path)) throw error
  }
}

function isDirectory(path: string): boolean {
  try {
    return statSync(path).isDirectory()
  } catch {
    return false
  }
}
