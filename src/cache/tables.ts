/** The tables of the exact counters are kept for the next run: making them takes a tenth of a second, reading them a tenth of that. */
import { join } from 'node:path'
import { buildOf } from '../base/build.ts'
import { keepTables } from '../estimators/bpe/tables.ts'
import { cachesOf } from './directory.ts'
import { openStore } from './store.ts'

export function keepTablesFor(argv: readonly string[], env: Readonly<Record<string, string | undefined>>): void {
  const caches = cachesOf(argv, env)
  const store = caches === null ? null : openStore(join(caches, 'tables'))
  const about = (name: string) => [name, buildOf()]
  keepTables(store && { find: (name) => store.find(about(name)), keep: (name, made) => store.keep(about(name), made) })
}
