/** Forge's database: a conversation is a row, whose context is what a dump has. */
import { columnsOf, defineSchema, momentOf, select, stampOfRows, textOf, withKeys } from './schema.ts'

export default defineSchema({
  program: 'Forge',
  tables: { conversations: ['conversation_id', 'workspace_id', 'context', 'created_at', 'updated_at'] },
  *sessions(database) {
    const rows = database.rows(
      'SELECT conversation_id, coalesce(updated_at, created_at) AS modified FROM conversations WHERE context IS NOT NULL',
    )
    for (const row of rows) {
      const id = textOf(row, 'conversation_id')
      if (id !== null) yield { id, modified: momentOf(row.modified), parent: null }
    }
  },
  *records(database, id) {
    const columns = select(columnsOf(database, 'conversations'), ['title', 'metrics'])
    const rows = database.rows(`SELECT context, ${columns} FROM conversations WHERE conversation_id = ?`, id)
    for (const { context, ...row } of rows) yield withKeys(`{"context":${context}}`, { conversation_id: id, ...row })
  },
  stamp(database, id) {
    return stampOfRows(database, id, { texts: ['context'] }, 'conversations WHERE conversation_id = ?')
  },
})
