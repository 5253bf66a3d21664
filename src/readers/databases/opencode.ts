/**
 * opencode's database since 1.2, and that of Kilo, which is made of opencode. A message and its parts are rows whose `data` is
 * what `opencode export` writes, without the ids.
 */
import { parsedJson } from '../../base/json-text.ts'
import { objectOf } from '../wire/blocks.ts'
import type { Database } from './open.ts'
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
    const rows = database.rows(
      `SELECT id, ${parent}, max(time_updated, coalesce(newest, 0)) AS modified
       FROM session LEFT JOIN (SELECT session_id, max(time_updated) AS newest FROM message GROUP BY session_id)
       ON session_id = id`,
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
    yield JSON.stringify({
      info: {
        id,
        parentID: textOf(session, 'parent_id') ?? undefined,
        directory: textOf(session, 'directory') ?? undefined,
        version: textOf(session, 'version') ?? undefined,
        model: modelOf(database, id),
        time: { created: session.time_created, updated: session.time_updated },
      },
      messages: [],
    })
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
  },
  stamp(database, id) {
    const rows = { texts: ['data'], numbers: ['time_updated'] }
    return [
      stampOfRows(database, id, { texts: ['directory'], numbers: ['time_updated'] }, 'session WHERE id = ?'),
      stampOfRows(database, id, rows, 'message WHERE session_id = ?'),
      stampOfRows(database, id, rows, 'part WHERE session_id = ?'),
    ].join()
  },
})

/** The model that the session began with: its provider decides what the messages that follow mean. */
function modelOf(database: Database, id: string): unknown {
  const rows = database.rows('SELECT data FROM message WHERE session_id = ? ORDER BY time_created, id', id)
  for (const { data } of rows) {
    const { modelID, providerID, model } = objectOf(parsedJson(String(data))) ?? {}
    if (modelID !== undefined || model !== undefined) return model ?? { modelID, providerID }
  }
  return undefined
}
