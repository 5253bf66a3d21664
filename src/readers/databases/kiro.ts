/** The database of Kiro's CLI: a conversation is one document in a row, under the directory that it was held in. */
import { defineSchema, momentOf, stampOfRows, textOf, withKeys } from './schema.ts'

export default defineSchema({
  program: 'Kiro CLI',
  tables: { conversations_v2: ['key', 'conversation_id', 'value', 'updated_at'] },
  *sessions(database) {
    const rows = database.rows(
      'SELECT conversation_id AS id, max(updated_at) AS modified FROM conversations_v2 GROUP BY 1',
    )
    for (const row of rows) {
      const id = textOf(row, 'id')
      if (id !== null) yield { id, modified: momentOf(row.modified), parent: null }
    }
  },
  *records(database, id) {
    // One that went on in another directory has a row for each: the newest has all of it.
    const [row] = database.rows(
      'SELECT key, value FROM conversations_v2 WHERE conversation_id = ? ORDER BY updated_at DESC, rowid DESC LIMIT 1',
      id,
    )
    if (row) yield withKeys(String(row.value), { conversation_id: id, cwd: row.key })
  },
  stamp(database, id) {
    const sums = { texts: ['value'], numbers: ['updated_at'] }
    return stampOfRows(database, id, sums, 'conversations_v2 WHERE conversation_id = ?')
  },
})
