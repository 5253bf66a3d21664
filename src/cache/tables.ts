/** The tables of the exact counters are kept for the next run: making them takes a tenth of a second, reading them a tenth of that. */
import { join } from 'node:path'
import { crc32 } from 'node:zlib'
import { buildOf } from '../base/build.ts'
import { keepTables } from '../estimators/bpe/tables.ts'
import { cacheDirectory, cachesNothing } from './directory.ts'
import { readKept, writeKept } from './store.ts'

export function keepTablesFor(argv: readonly string[], env: Readonly<Record<string, string | undefined>>): void {
  const caches = cachesNothing(argv, env) ? null : cacheDirectory(env)
  const fileOf = (name: string, directory: string) =>
    join(directory, 'tables', `${name}-${crc32(buildOf()).toString(16)}`)
  keepTables(
    caches === null
      ? null
      : { find: (name) => readKept(fileOf(name, caches)), keep: (name, made) => writeKept(fileOf(name, caches), made) },
  )
}
