/** Counts of earlier runs on disk: one file per count, named by the hash of what was counted. */
import { readFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { makeDirectory } from '../../base/make-directory.ts'
import { cacheDirectory } from '../../cache/directory.ts'
import type { CountCache } from '../../clients/count.ts'
import { writeWhole, writing } from '../output/whole-file.ts'
import type { World } from '../output/world.ts'

/**
 * A count that cannot be kept is still a count: this is said once, and the run goes on.
 * @param directory as the user names it; null for the one among the user's caches
 */
export function openCountCache(directory: string | null, world: World): CountCache {
  const caches = cacheDirectory(world.env) ?? join(homedir(), '.cache', 'ctxwin')
  const root = directory === null ? join(caches, 'counts') : resolve(world.cwd(), directory)
  const name = directory ?? 'the directory of counts'
  const fileOf = (key: string): string => join(root, key.slice(0, 2), key.slice(2))
  let told = false
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
        writing(name, () => makeDirectory(dirname(file)))
        writeWhole(file, String(tokens), name)
      } catch (error) {
        if (!told) world.note(`${(error as Error).message}: the counts of this run are not kept`)
        told = true
      }
    },
  }
}
