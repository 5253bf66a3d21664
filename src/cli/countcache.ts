/** Counts of earlier runs on disk: a file a count, named by the hash of what was counted. */
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { dirname, join } from 'node:path'
import { type CountCache, CtxwinError } from '../index.ts'
import type { World } from './io.ts'

/** @param directory as the user names it; null for the one that the XDG Base Directory Specification gives */
export function openCountCache(directory: string | null, world: World): CountCache {
  const home = world.env.XDG_CACHE_HOME || join(world.env.HOME || homedir(), '.cache')
  const root = directory === null ? join(home, 'ctxwin', 'counts') : join(world.cwd(), directory)
  const fileOf = (key: string): string => join(root, key.slice(0, 2), key.slice(2))
  return {
    get(key) {
      try {
        const tokens = Number(readFileSync(fileOf(key), 'utf8') || 'x')
        return Number.isSafeInteger(tokens) && tokens >= 0 ? tokens : null
      } catch {
        return null
      }
    },
    set(key, tokens) {
      const file = fileOf(key)
      try {
        mkdirSync(dirname(file), { recursive: true })
        // Whole or not at all: a run may be broken off at any time.
        writeFileSync(`${file}.${process.pid}`, String(tokens))
        renameSync(`${file}.${process.pid}`, file)
      } catch (error) {
        throw new CtxwinError('unwritable', root, (error as NodeJS.ErrnoException).code ?? 'it failed')
      }
    },
  }
}
