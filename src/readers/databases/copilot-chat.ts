/**
 * The traces that Copilot Chat keeps in VS Code: a row a span, and one for each of its attributes. A conversation is a session, whose
 * records are spans of OpenTelemetry.
 */
import { columnsOf, defineSchema, momentOf, select, stampOfRows, textOf } from './schema.ts'

/** A trace is one request of the user, with what its sub-agents did: it belongs to one conversation. */
const traces = 'SELECT trace_id FROM spans GROUP BY trace_id HAVING min(coalesce(conversation_id, chat_session_id)) = ?'
const ofSession = `spans WHERE trace_id IN (${traces})`

export default defineSchema({
  program: 'Copilot Chat',
  tables: {
    spans: ['span_id', 'trace_id', 'start_time_ms', 'end_time_ms', 'conversation_id', 'chat_session_id'],
    span_attributes: ['span_id', 'key', 'value'],
  },
  *sessions(database) {
    const rows = database.rows(
      `SELECT id, max(ended) AS modified FROM
       (SELECT min(coalesce(conversation_id, chat_session_id)) AS id, max(end_time_ms) AS ended FROM spans GROUP BY trace_id)
       GROUP BY id`,
    )
    for (const row of rows) {
      const id = textOf(row, 'id')
      if (id !== null) yield { id, modified: momentOf(row.modified), parent: null }
    }
  },
  *records(database, id) {
    const columns = select(columnsOf(database, 'spans'), ['name', 'operation_name', 'request_model', 'response_model'])
    const spans = database.rows(
      `SELECT span_id, trace_id, start_time_ms, end_time_ms, coalesce(conversation_id, chat_session_id) AS session, ${columns}
       FROM ${ofSession} ORDER BY start_time_ms, rowid`,
      id,
    )
    for (const { span_id, trace_id, start_time_ms, end_time_ms, session, name, ...span } of spans) {
      const rows = database.rows('SELECT key, value FROM span_attributes WHERE span_id = ?', String(span_id))
      const attributes = {
        'gen_ai.operation.name': span.operation_name ?? undefined,
        'gen_ai.request.model': span.request_model ?? undefined,
        'gen_ai.response.model': span.response_model ?? undefined,
        'gen_ai.conversation.id': session ?? id,
        ...Object.fromEntries([...rows].map(({ key, value }) => [key, numberOr(key, value)])),
      }
      const times = { start_time: start_time_ms, end_time: end_time_ms }
      yield JSON.stringify({ name: name ?? '', context: { trace_id, span_id }, ...times, attributes })
    }
  },
  stamp(database, id) {
    const attributes = `span_attributes WHERE span_id IN (SELECT span_id FROM ${ofSession})`
    const spans = stampOfRows(database, id, { numbers: ['end_time_ms'] }, ofSession)
    return `${spans} ${stampOfRows(database, id, { texts: ['value'] }, attributes)}`
  },
})

/** Attributes are kept as text. */
function numberOr(key: unknown, value: unknown): unknown {
  return typeof value === 'string' && /_tokens$/.test(String(key)) && /^\d+$/.test(value) ? Number(value) : value
}
