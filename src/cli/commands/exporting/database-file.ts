/**
 * A file that a database engine writes by itself: checked before, and gone afterwards where nothing was put into a new
 * one.
 */
import { rmSync } from 'node:fs'
import { CtxwinError } from '../../../app/index.ts'
import { reasonOf } from '../../../base/system-errors.ts'
import type { DatabaseFile } from '../../../tables/store.ts'
import { keep, removeAtEnd, targetOf } from '../../output/whole-file.ts'

/**
 * @param name as the user knows the file
 * @throws CtxwinError when it cannot be written
 */
export function databaseFile(path: string, name: string): DatabaseFile {
  const target = targetOf(path, name, 'append')
  if (target.old && !target.old.isFile()) throw new CtxwinError('unwritable', name, 'it is no file')
  // From now on a signal waits until a transaction is complete, which would leave its lock behind.
  removeAtEnd(target.old ? null : target.path)
  const refusals = watchRefusals()
  return {
    path: target.path,
    refusal: refusals.last,
    keep: () => {
      keep(target.path)
    },
    close() {
      refusals.stop()
      if (keep(target.path)) rmSync(target.path, { force: true })
    },
  }
}

/** What an engine asks of the system, which it may be refused. */
const asked = ['openSync', 'mkdirSync', 'fsyncSync', 'ftruncateSync', 'writeSync'] as const

/**
 * Notes what the system refuses while an engine runs: node-sqlite3-wasm says "disk I/O error" of everything. As a
 * package in CommonJS it calls the functions of `node:fs` where they stand, so they can be watched there.
 */
function watchRefusals(): { last(): string | null; stop(): void } {
  const fs: Record<(typeof asked)[number], (...words: never[]) => unknown> = process.getBuiltinModule('node:fs')
  const own = Object.fromEntries(asked.map((name) => [name, fs[name]])) as typeof fs
  let refused: unknown = null
  for (const name of asked) {
    fs[name] = (...words) => {
      try {
        return name === 'writeSync'
          ? writeAll(own.writeSync as Write, words as unknown as WriteWords)
          : // biome-ignore lint/plugin: a call of the file system has a handful of arguments.
            own[name](...words)
      } catch (error) {
        // It asks for files that may not be there, and for locks that others may have.
        if (!['ENOENT', 'EEXIST'].includes((error as NodeJS.ErrnoException).code ?? '')) refused ??= error
        throw error
      }
    }
  }
  return {
    last() {
      const error = refused
      refused = null
      return error === null ? null : reasonOf(error, 'write')
    },
    stop() {
      Object.assign(fs, own)
    },
  }
}

type WriteWords = [file: number, bytes: Uint8Array, offset: number, length: number, position: number]
type Write = (...words: WriteWords) => number

/** On a disk that fills the system writes a part, which the engine takes for an error without a reason. */
function writeAll(write: Write, [file, bytes, offset, length, position]: WriteWords): number {
  let done = 0
  while (done < length) done += write(file, bytes, offset + done, length - done, position + done)
  return done
}
