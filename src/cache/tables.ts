/** The tables of the exact counters are kept for the next run: making them takes a tenth of a second, reading them a tenth of that. */
import { join } from 'node:path'
import { crc32 } from 'node:zlib'
import { buildOf } from '../base/build.ts'
import { keepTables } from '../estimators/bpe/tables.ts'
import { cacheDirectory, cachesNothing } from './directory.ts'
import { openStore } from './store.ts'

export function keepTablesFor(argv: readonly string[], env: Readonly<Record<string, string | undefined>>): void {
  const caches = cachesNothing(argv, env) ? null : cacheDirectory(env)
  const store = caches === null ? null : openStore(join(caches, 'tables'))
  const key = (name: string): string => `${name}-${crc32(buildOf()).toString(16)}`
  keepTables(store && { find: (name) => store.find(key(name)), keep: (name, made) => store.keep(key(name), made) })
}
