/**
 * `sqlite`: a database in one file, by a SQLite that is WebAssembly and so runs wherever Node does. A transcript is one
 * transaction: an export that is broken off has stored whole transcripts.
 */
import type { Database, Statement } from 'node-sqlite3-wasm'
import { CtxwinError } from '../../base/errors.ts'
import { loadPackages } from '../../base/load-packages.ts'
import { sqlName } from '../../base/quoting.ts'
import { ddl } from '../ddl.ts'
import type { DatabaseFile, OpenStore, Store } from '../store.ts'
import { textsOf } from '../table.ts'
import { tables } from '../tables.ts'

const sqlite: Store = {
  name: 'sqlite',
  summary: 'a SQLite database',
  place: 'sqlite:FILE',
  async open(place, surroundings) {
    const [{ default: library }] = await loadPackages<[{ default: { Database: new (file: string) => Database } }]>(
      'a SQLite database',
      'node-sqlite3-wasm',
    )
    const name = `sqlite:${place}`
    const file = surroundings.database(place, name)
    let database: Database | undefined
    try {
      database = refusing(name, file, () => new library.Database(file.path))
      createTables(name, file, database)
      return open(name, file, database)
    } catch (error) {
      database?.close()
      file.close()
      throw error
    }
  },
}

export default sqlite

/** All of them, or none: a database that is refused is left as it was. */
function createTables(name: string, file: DatabaseFile, database: Database): void {
  whole(name, file, database, () => {
    database.exec([...ddl('sqlite')].join(''))
    for (const { name: table, columns } of tables) {
      const found = database.all('SELECT name FROM pragma_table_info(?)', [table]).map((row) => row.name)
      if (found.join() !== columns.map(({ name }) => name).join()) throw new CtxwinError('other-tables', name, table)
    }
  })
}

function open(name: string, file: DatabaseFile, database: Database): OpenStore {
  const inserts = new Map<string, Statement>()
  for (const { name: table, columns } of tables) {
    const gaps = columns.map(() => '?').join(', ')
    inserts.set(table, database.prepare(`INSERT INTO ${sqlName(table)} VALUES (${gaps})`))
  }
  return {
    async has({ id, agents, messages }) {
      const [stored, runs] = refusing(name, file, () => [
        database.get('SELECT message_count FROM transcripts WHERE id = ?', [id]),
        database.all('SELECT id FROM runs WHERE transcript_id = ?', [id]).map((row) => row.id),
      ])
      return (
        stored?.message_count === messages &&
        runs.length === agents.length &&
        agents.every((agent) => runs.includes(agent))
      )
    },
    async put({ id, filled }) {
      whole(name, file, database, () => {
        database.run('DELETE FROM transcripts WHERE id = ?', [id])
        for (const { table, rows } of filled) {
          for (const row of rows) inserts.get(table.name)?.run(textsOf(table, row))
        }
      })
      file.keep()
    },
    async complete() {},
    async close() {
      for (const insert of inserts.values()) letGo(insert)
      database.close()
      file.close()
    },
  }
}

function letGo(insert: Statement): void {
  try {
    insert.finalize()
  } catch {
    // It says once more why its last row was refused.
  }
}

/** One transaction. */
function whole(name: string, file: DatabaseFile, database: Database, change: () => void): void {
  refusing(name, file, () => {
    database.exec('BEGIN IMMEDIATE')
    try {
      change()
      database.exec('COMMIT')
    } finally {
      if (database.inTransaction) database.exec('ROLLBACK')
    }
  })
}

/** What the system said, or else SQLite's own words: they name the file or the table at most. */
function refusing<T>(name: string, file: DatabaseFile, touch: () => T): T {
  // What an earlier call could do without.
  file.refusal()
  try {
    return touch()
  } catch (error) {
    if (!(error instanceof Error) || error.constructor.name !== 'SQLite3Error') throw error
    const isLocked = error.message === 'database is locked'
    const remedy = `another program writes it; if none does, one was killed: remove the directory ${file.path}.lock`
    throw new CtxwinError('unwritable', name, isLocked ? remedy : (file.refusal() ?? error.message))
  }
}
