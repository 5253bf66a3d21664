/** Where a run keeps the counts that it asks a provider for. */
import { join, resolve } from 'node:path'
import { openCountCache } from '../../cache/counts.ts'
import { cacheDirectory } from '../../cache/directory.ts'
import { unwritable } from '../output/whole-file.ts'
import type { World } from '../output/world.ts'

/**
 * A count that cannot be kept is still a count: this is said once, and the run goes on.
 * @param named the directory as the user names it; null for the one among the user's caches, if there are any
 */
export function countsOf(named: string | null, { env, cwd, note }: Pick<World, 'env' | 'cwd' | 'note'>) {
  const caches = cacheDirectory(env)
  const directory = named === null ? caches && join(caches, 'counts') : resolve(cwd(), named)
  let told = false
  return openCountCache(directory, (error) => {
    const { message } = unwritable(named ?? 'the directory of counts', error)
    if (!told) note(`${message}: the counts of this run are not kept`)
    told = true
  })
}
