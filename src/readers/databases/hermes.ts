/** The database of Hermes Agent, of which each profile has one. */
import { parsedJson } from '../../base/json-text.ts'
import { columnsOf, defineSchema, select, sessionsWithMessages, stampOfRows } from './schema.ts'

const counts = ['input_tokens', 'output_tokens', 'cache_read_tokens', 'cache_write_tokens', 'api_call_count']

export default defineSchema({
  program: 'Hermes',
  tables: {
    sessions: ['id', 'source', 'model', 'started_at', 'input_tokens', 'output_tokens'],
    messages: ['id', 'session_id', 'role', 'content', 'tool_call_id', 'tool_calls', 'timestamp'],
  },
  sessions: (database) => sessionsWithMessages(database, ['started_at', 'ended_at'], 'timestamp'),
  *records(database, id) {
    const known = columnsOf(database, 'sessions')
    const wanted = ['parent_session_id', 'cwd', 'system_prompt', 'estimated_cost_usd', 'actual_cost_usd', ...counts]
    // A prompt that several sessions have stands once.
    const prompt = known.includes('system_prompt_hash')
      ? '(SELECT prompt FROM system_prompts WHERE hash = system_prompt_hash)'
      : 'NULL'
    const [session] = database.rows(
      `SELECT id, source, model, started_at, ${select(known, wanted)}, ${prompt} AS prompt FROM sessions WHERE id = ?`,
      id,
    )
    if (!session) return
    const { prompt: shared, ...head } = session
    const usage =
      columnsOf(database, 'session_model_usage').length > 0
        ? [...database.rows('SELECT * FROM session_model_usage WHERE session_id = ? ORDER BY rowid', id)]
        : []
    yield JSON.stringify({ ...head, system_prompt: head.system_prompt ?? shared, usage })
    const own = columnsOf(database, 'messages')
    const columns = ['tool_name', 'reasoning', 'reasoning_content', '_compressed_summary', 'active', 'compacted']
    const rows = database.rows(
      `SELECT role, CASE substr(CAST(content AS BLOB), 1, 6)
         WHEN x'006a736f6e3a' THEN substr(CAST(content AS BLOB), 7) ELSE content END AS content, tool_call_id, tool_calls, timestamp, ${select(own, columns)}
       FROM messages WHERE session_id = ? ORDER BY id`,
      id,
    )
    for (const { content, tool_calls, tool_name, ...row } of rows) {
      const calls = parsedJson(String(tool_calls))
      yield JSON.stringify({
        ...row,
        content: contentOf(content),
        ...(Array.isArray(calls) && { tool_calls: calls }),
        ...(tool_name !== null && { name: tool_name }),
      })
    }
  },
  stamp(database, id) {
    const [sessions, messages] = ['sessions', 'messages'].map((table) => columnsOf(database, table)) as [
      string[],
      string[],
    ]
    const texts = ['content', 'tool_calls']
    const numbers = ['timestamp', ...['active', 'compacted'].filter((column) => messages.includes(column))]
    return [
      stampOfRows(
        database,
        id,
        { numbers: counts.filter((column) => sessions.includes(column)) },
        'sessions WHERE id = ?',
      ),
      stampOfRows(database, id, { texts, numbers }, 'messages WHERE session_id = ?'),
      ...(columnsOf(database, 'session_model_usage').length > 0
        ? [stampOfRows(database, id, { numbers: counts }, 'session_model_usage WHERE session_id = ?')]
        : []),
    ].join()
  },
})

/** What is no text stands behind a zero and `json:`. */
function contentOf(content: unknown): unknown {
  return content instanceof Uint8Array ? parsedJson(Buffer.from(content).toString()) : content
}
