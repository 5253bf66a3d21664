/**
 * goose's database since 1.10. Its rows are what a session export holds; `usage_ledger`, which is not exported, has what each
 * request was billed, also those of compactions.
 */
import { parsedJson } from '../../base/json-text.ts'
import { columnsOf, defineSchema, momentOf, select, sessionsWithMessages, stampOfRows } from './schema.ts'

export default defineSchema({
  program: 'goose',
  tables: {
    sessions: ['id', 'working_dir'],
    messages: ['id', 'session_id', 'role', 'content_json', 'created_timestamp'],
  },
  sessions: (database) => sessionsWithMessages(database, ['updated_at'], 'created_timestamp'),
  *records(database, id) {
    const known = columnsOf(database, 'sessions')
    const numbers = numbersIn(known)
    const columns = select(known, ['working_dir', 'model_config_json', 'parent_session_id'])
    const [session] = database.rows(`SELECT ${[columns, ...numbers].join()} FROM sessions WHERE id = ?`, id)
    if (!session) return
    const { working_dir, model_config_json, parent_session_id, ...sums } = session
    const config = JSON.stringify(parsedJson(String(model_config_json)) ?? null)
    const ledger =
      columnsOf(database, 'usage_ledger').length > 0
        ? [...database.rows('SELECT * FROM usage_ledger WHERE session_id = ? ORDER BY id', id)]
        : []
    const head = { id, working_dir, message_count: null, parent_session_id, ...sums, usage_ledger: ledger }
    yield `${JSON.stringify(head).slice(0, -1)},"model_config":${config}}`
    const messageColumns = select(columnsOf(database, 'messages'), ['message_id', 'metadata_json'])
    const rows = database.rows(
      `SELECT role, content_json, created_timestamp, ${messageColumns}
       FROM messages WHERE session_id = ? ORDER BY id`,
      id,
    )
    for (const { role, content_json, created_timestamp, message_id, metadata_json } of rows) {
      const created = Math.floor((momentOf(created_timestamp) ?? 0) / 1000)
      const head = JSON.stringify({ ...(message_id !== null && { id: message_id }), role, created }).slice(0, -1)
      yield `${head},"content":${content_json}${metadata_json === null ? '' : `,"metadata":${metadata_json}`}}`
    }
  },
  stamp(database, id) {
    const [sessions, messages, ledger] = ['sessions', 'messages', 'usage_ledger'].map((table) =>
      columnsOf(database, table),
    )
    const sums = { texts: ['working_dir'], numbers: numbersIn(sessions ?? []) }
    const texts = ['content_json', ...(messages?.includes('metadata_json') ? ['metadata_json'] : [])]
    return [
      stampOfRows(database, id, sums, 'sessions WHERE id = ?'),
      stampOfRows(database, id, { texts, numbers: ['created_timestamp'] }, 'messages WHERE session_id = ?'),
      ledger?.length
        ? stampOfRows(database, id, { numbers: numbersIn(ledger) }, 'usage_ledger WHERE session_id = ?')
        : '',
    ].join()
  },
})

/** The columns in which goose counts. */
const numbersIn = (columns: readonly string[]): string[] =>
  columns.filter((column) => column.endsWith('_tokens') || /^(?:accumulated_)?cost$/.test(column))
