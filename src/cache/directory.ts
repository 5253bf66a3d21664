/** Where the user keeps what programs can make again. The start of the program needs it: nothing of ours is imported. */
import { closeSync, fstatSync, openSync, readFileSync } from 'node:fs'
import { isAbsolute, join, resolve } from 'node:path'

/**
 * The directory of ctxwin among the caches of the user, as the XDG Base Directory Specification, macOS and Windows have it.
 * @returns null where no home directory is known, or no working directory that one is relative to
 */
export function cacheDirectory(
  env: Readonly<Record<string, string | undefined>>,
  platform: NodeJS.Platform = process.platform,
): string | null {
  // Relative ones are ignored, as by the specification. Compiled code is run as it is found there: a directory of the same
  // name in somebody's checkout would have that of others.
  if (isAbsolute(env.CTXWIN_CACHE_DIR ?? '')) return resolve(env.CTXWIN_CACHE_DIR as string)
  if (isAbsolute(env.XDG_CACHE_HOME ?? '')) return join(env.XDG_CACHE_HOME as string, 'ctxwin')
  if (platform === 'win32') return env.LOCALAPPDATA ? join(env.LOCALAPPDATA, 'ctxwin', 'Cache') : null
  if (!env.HOME) return null
  return join(env.HOME, platform === 'darwin' ? 'Library/Caches' : '.cache', 'ctxwin')
}

/** Whether this run writes nothing but its result: it was told so, or a machine of CI is thrown away after it. */
export function cachesNothing(argv: readonly string[], env: Readonly<Record<string, string | undefined>>): boolean {
  return argv.includes('--no-cache') || isCi(env)
}

export function isCi({ CI }: Readonly<Record<string, string | undefined>>): boolean {
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
