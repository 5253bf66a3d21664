/**
 * opencode's database since 1.2, and that of Kilo, which is made of opencode. A message and its parts are rows whose `data` is
 * what `opencode export` writes, without the ids. Newer builds have a row for each message (`session_message`): a session is read
 * from the table in which its newest message stands.
 */

import { objectOf, stringOf } from '../../base/json.ts'
import { parsedJson } from '../../base/json-text.ts'
import type { Database } from './open.ts'
import { recordsOfRow } from './opencode-rows.ts'
import { columnsOf, defineSchema, momentOf, select, stampOfRows, textOf, withKeys } from './schema.ts'

export default defineSchema({
  program: 'opencode',
  tables: {
    session: ['id', 'directory', 'time_updated'],
    message: ['id', 'session_id', 'time_created', 'time_updated', 'data'],
    part: ['id', 'message_id', 'session_id', 'time_updated', 'data'],
  },
  *sessions(database) {
    const parent = select(columnsOf(database, 'session'), ['parent_id'])
    const newest = messageTables(database).map(
      (table) => `SELECT session_id, max(time_updated) AS newest FROM ${table} GROUP BY 1`,
    )
    const rows = database.rows(
      `SELECT id, ${parent}, max(time_updated, coalesce(max(newest), 0)) AS modified
       FROM session LEFT JOIN (${newest.join(' UNION ALL ')}) ON session_id = id GROUP BY id ORDER BY session.rowid`,
    )
    for (const row of rows) {
      const id = textOf(row, 'id')
      if (id !== null) yield { id, modified: momentOf(row.modified), parent: textOf(row, 'parent_id') }
    }
  },
  *records(database, id) {
    const wanted = ['parent_id', 'directory', 'version', 'time_created', 'time_updated']
    const columns = select(columnsOf(database, 'session'), wanted)
    const [session] = database.rows(`SELECT ${columns} FROM session WHERE id = ?`, id)
    if (!session) return
    const table = newestTable(database, id)
    yield JSON.stringify({
      info: {
        id,
        parentID: textOf(session, 'parent_id') ?? undefined,
        directory: textOf(session, 'directory') ?? undefined,
        version: textOf(session, 'version') ?? undefined,
        model: modelOf(database, id, table),
        time: { created: session.time_created, updated: session.time_updated },
      },
      messages: [],
    })
    yield* table === 'message' ? messagesWithParts(database, id) : wholeMessages(database, id)
  },
  stamp(database, id) {
    const rows = { texts: ['data'], numbers: ['time_updated'] }
    return [
      stampOfRows(database, id, { texts: ['directory'], numbers: ['time_updated'] }, 'session WHERE id = ?'),
      ...[...messageTables(database), 'part'].map((table) =>
        stampOfRows(database, id, rows, `${table} WHERE session_id = ?`),
      ),
    ].join()
  },
})

const messageTables = (database: Database): readonly ('message' | 'session_message')[] =>
  columnsOf(database, 'session_message').includes('seq') ? ['message', 'session_message'] : ['message']

function newestTable(database: Database, id: string): 'message' | 'session_message' {
  const newest = messageTables(database).map((table) => {
    const [row] = database.rows(`SELECT max(time_created) AS newest FROM ${table} WHERE session_id = ?`, id)
    return { table, time: momentOf(row?.newest) ?? -1 }
  })
  return newest.reduce((one, other) => (other.time > one.time ? other : one)).table
}

function* messagesWithParts(database: Database, id: string): Generator<string> {
  const rows = database.rows(
    `SELECT message.id AS id, message.data AS data, part.data AS part
     FROM message LEFT JOIN part ON part.message_id = message.id
     WHERE message.session_id = ? ORDER BY message.time_created, message.id, part.id`,
    id,
  )
  let [open, parts]: [info: string | null, parts: string[]] = [null, []]
  let last: unknown
  const record = () => `{"info":${open},"parts":[${parts.join()}]}`
  for (const { id: message, data, part } of rows) {
    if (message !== last) {
      if (open !== null) yield record()
      open = withKeys(String(data), { id: message, sessionID: id })
      parts = []
      last = message
    }
    if (part !== null) parts.push(String(part))
  }
  if (open !== null) yield record()
}

function* wholeMessages(database: Database, id: string): Generator<string> {
  const rows = database.rows('SELECT id, type, data FROM session_message WHERE session_id = ? ORDER BY seq', id)
  for (const { id: message, type, data } of rows) {
    const value = objectOf(parsedJson(String(data)))
    // What is torn is handed over as it is, to be reported.
    if (value === undefined) yield String(data)
    else for (const record of recordsOfRow(String(message), String(type), value)) yield JSON.stringify(record)
  }
}

/** The model that the session began with: its provider decides what the messages that follow mean. */
function modelOf(database: Database, id: string, table: 'message' | 'session_message'): unknown {
  const rows = database.rows(`SELECT data FROM ${table} WHERE session_id = ? ORDER BY time_created, id`, id)
  for (const { data } of rows) {
    const { modelID, providerID, model } = objectOf(parsedJson(String(data))) ?? {}
    const named = objectOf(model) ?? { modelID, providerID }
    const name = stringOf(named.modelID ?? named.id)
    if (name !== undefined) return { modelID: name, providerID: named.providerID }
  }
  return undefined
}
