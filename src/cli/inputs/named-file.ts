/** Files that the user names: which of them can be read to an end, and what one holds. */

import { closeSync, openSync, readFileSync, type Stats, statSync } from 'node:fs'
import { isatty } from 'node:tty'
import { CtxwinError } from '../../app/index.ts'
import { reasonOf } from '../../base/system-errors.ts'

/** A device that is no terminal, such as /dev/zero, may have no end. @param file its path, or a descriptor */
export function isEndless(stats: Stats, file: string | number): boolean {
  if (stats.isBlockDevice()) return true
  if (!stats.isCharacterDevice()) return false
  if (typeof file === 'number') return !isatty(file)
  try {
    const opened = openSync(file, 'r')
    const isTerminal = isatty(opened)
    closeSync(opened)
    return !isTerminal
  } catch {
    // Whoever reads the file reports why it cannot be opened.
    return false
  }
}

/**
 * The text of a file that holds settings, prices or figures.
 * @param remedy for a file that is not there
 * @throws CtxwinError where it cannot be read
 */
export function readText(file: string, name: string, remedy = ''): string {
  return readBytes(file, name, remedy).toString()
}

/** @throws CtxwinError where it cannot be read */
export function readBytes(file: string, name: string, remedy = ''): Buffer {
  try {
    if (isEndless(statSync(file), file)) throw new CtxwinError('unreadable', name, 'it is a device: name a file')
    return readFileSync(file)
  } catch (error) {
    if (error instanceof CtxwinError) throw error
    const isGone = (error as NodeJS.ErrnoException).code === 'ENOENT'
    throw new CtxwinError('unreadable', name, `${reasonOf(error, 'read')}${isGone ? remedy : ''}`)
  }
}
