/**
 * `postgres`: a database on a server, filled by COPY. A transcript is one transaction, as in SQLite. The connection is
 * what the address says; a password that it holds is never told.
 */
import { once } from 'node:events'
import type { Writable } from 'node:stream'
import type { Client } from 'pg'
import { withoutSecrets } from '../../base/addresses.ts'
import { CtxwinError } from '../../base/errors.ts'
import { loadPackages } from '../../base/load-packages.ts'
import { copyText, sqlName } from '../../base/quoting.ts'
import { isSystemError, reasonOf } from '../../base/system-errors.ts'
import { ddl } from '../ddl.ts'
import type { OpenStore, Store } from '../store.ts'
import { type Table, textsOf, type Value } from '../table.ts'
import { tables } from '../tables.ts'

const postgres: Store = {
  name: 'postgres',
  summary: 'a database on a PostgreSQL server',
  place: 'postgres://USER@HOST/DATABASE',
  async open(place) {
    const [{ Client: Connection }, { from }] = await loadPackages<
      [{ Client: new (address: unknown) => Client }, { from(sql: string): Writable & never }]
    >('a PostgreSQL database', 'pg', 'pg-copy-streams')
    const name = withoutSecrets(place)
    const client = await refusing(
      name,
      async () => new Connection({ connectionString: place, application_name: 'ctxwin' }),
    )
    // The query that fails reports it.
    client.on('error', () => {})
    try {
      await refusing(name, () => client.connect())
      // Databases tell with a notice that a table is there already.
      await refusing(name, () => client.query(`SET client_min_messages = warning; ${[...ddl('postgres')].join('')}`))
      await refuseOthers(name, client)
    } catch (error) {
      await client.end().catch(() => {})
      throw error
    }
    return open(name, client, from)
  },
}

export default postgres

async function refuseOthers(name: string, client: Client): Promise<void> {
  for (const { name: table, columns } of tables) {
    const { fields } = await refusing(name, () => client.query(`SELECT * FROM ${sqlName(table)} LIMIT 0`))
    if (fields.map((field) => field.name).join() !== columns.map((column) => column.name).join()) {
      throw new CtxwinError('other-tables', name, table)
    }
  }
}

function open(name: string, client: Client, from: (sql: string) => Writable & never): OpenStore {
  const copy = async (table: Table, rows: readonly never[]): Promise<void> => {
    const stream: Writable = client.query(from(`COPY ${sqlName(table.name)} FROM STDIN`))
    const done = once(stream, 'finish')
    // Awaited below; this keeps an error from going unhandled while rows are written.
    done.catch(() => {})
    for (let at = 0; at < rows.length; at += chunk) {
      const text = rows.slice(at, at + chunk).map((row) => lineOf(textsOf(table, row)))
      if (!stream.write(text.join(''))) await Promise.race([once(stream, 'drain'), done])
    }
    stream.end()
    await done
  }
  return {
    async has({ id, agents, messages }) {
      const stored = await client.query(
        'SELECT runs.id FROM runs JOIN transcripts ON transcripts.id = transcript_id WHERE transcript_id = $1 AND message_count = $2',
        [id, messages],
      )
      const runs = stored.rows.map((row) => row.id)
      return runs.length === agents.length && agents.every((agent) => runs.includes(agent))
    },
    async put({ id, filled }) {
      await refusing(name, async () => {
        await client.query('BEGIN')
        try {
          await client.query('DELETE FROM transcripts WHERE id = $1', [id])
          for (const { table, rows } of filled) if (rows.length > 0) await copy(table, rows)
          await client.query('COMMIT')
        } catch (error) {
          await client.query('ROLLBACK').catch(() => {})
          throw error
        }
      })
    },
    async complete() {},
    async close() {
      await client.end().catch(() => {})
    },
  }
}

/** Rows that are sent at once. */
const chunk = 500

/** A row in the text form of COPY. */
const lineOf = (values: readonly Value[]): string =>
  `${values.map((value) => (value === null ? '\\N' : copyText(String(value)))).join('\t')}\n`

/** The server's own words name tables and roles; its details, which hold rows, are left out. */
async function refusing<T>(name: string, ask: () => Promise<T>): Promise<T> {
  try {
    return await ask()
  } catch (error) {
    if (error instanceof CtxwinError || !(error instanceof Error) || !('code' in error)) throw error
    // A host of several addresses was tried at each.
    const [first] = error instanceof AggregateError ? error.errors : [error]
    throw new CtxwinError('unwritable', name, isSystemError(first) ? reasonOf(first, 'write') : error.message)
  }
}
