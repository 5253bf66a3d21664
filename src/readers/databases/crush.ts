/** Crush's database, of which each project has one in its directory. */
import { basename, dirname } from 'node:path'
import { columnsOf, defineSchema, momentOf, select, stampOfRows, textOf, withKeys } from './schema.ts'

export default defineSchema({
  program: 'Crush',
  tables: {
    sessions: ['id', 'parent_session_id', 'message_count', 'prompt_tokens', 'completion_tokens', 'cost', 'updated_at'],
    messages: ['id', 'session_id', 'role', 'parts', 'model', 'created_at'],
  },
  *sessions(database) {
    for (const row of database.rows('SELECT id, parent_session_id, updated_at FROM sessions')) {
      const id = textOf(row, 'id')
      if (id !== null) yield { id, modified: momentOf(row.updated_at), parent: textOf(row, 'parent_session_id') }
    }
  },
  *records(database, id) {
    const wanted = ['parent_session_id', 'message_count', 'prompt_tokens', 'completion_tokens', 'cost']
    const columns = select(columnsOf(database, 'sessions'), [...wanted, 'summary_message_id'])
    const [session] = database.rows(`SELECT id, ${columns} FROM sessions WHERE id = ?`, id)
    if (!session) return
    const directory = dirname(database.path)
    yield JSON.stringify({ ...session, cwd: basename(directory) === '.crush' ? dirname(directory) : null })
    const messageColumns = select(columnsOf(database, 'messages'), ['provider', 'is_summary_message'])
    const rows = database.rows(
      `SELECT id, role, parts, model, created_at, ${messageColumns} FROM messages
       WHERE session_id = ? ORDER BY created_at, rowid`,
      id,
    )
    for (const { parts, ...row } of rows) yield withKeys(`{"parts":${parts}}`, row)
  },
  stamp(database, id) {
    const numbers = ['updated_at', 'prompt_tokens', 'completion_tokens', 'cost * 1e6']
    const messages = stampOfRows(
      database,
      id,
      { texts: ['parts'], numbers: ['created_at'] },
      'messages WHERE session_id = ?',
    )
    return `${stampOfRows(database, id, { numbers }, 'sessions WHERE id = ?')} ${messages}`
  },
})
