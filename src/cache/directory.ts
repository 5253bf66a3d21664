/** Where the user keeps what programs can make again. The start of the program needs it: little of ours is imported. */
import { closeSync, fstatSync, openSync, readFileSync } from 'node:fs'
import { isAbsolute, resolve } from 'node:path'
import { userDirectory } from '../base/user-directory.ts'

type Environment = Readonly<Record<string, string | undefined>>

/** @returns null where no home directory is known */
export function cacheDirectory(env: Environment, platform: NodeJS.Platform = process.platform): string | null {
  const { CTXWIN_CACHE_DIR: own = '' } = env
  return isAbsolute(own) ? resolve(own) : userDirectory('cache', env, platform)
}

/** The same; null, too, where a run writes nothing but its result: it was told so, or a machine of CI is thrown away after it. */
export function cachesOf(argv: readonly string[], env: Environment): string | null {
  return argv.includes('--no-cache') || isCi(env) ? null : cacheDirectory(env)
}

export function isCi({ CI }: Environment): boolean {
  return CI !== undefined && !['', '0', 'false'].includes(CI)
}

/**
 * A file of a cache that only this user can have written.
 * @returns with it when it was written or last marked as used, in milliseconds since the epoch
 * @throws an error of the system, or one for a file that others may have written
 */
export function readOwn(path: string): { bytes: Buffer; used: number } {
  const file = openSync(path, 'r')
  try {
    const { uid, mode, mtimeMs } = fstatSync(file)
    // Windows has neither.
    const isOwn = process.getuid === undefined || (uid === process.getuid() && (mode & 0o022) === 0)
    if (!isOwn) throw new Error('others may have written it')
    return { bytes: readFileSync(file), used: mtimeMs }
  } finally {
    closeSync(file)
  }
}
