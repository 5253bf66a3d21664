/** Zed's threads, each of which is one document in a row, packed since its first versions. */
import { columnsOf, defineSchema, momentOf, select, stampOfRows, textOf } from './schema.ts'

export default defineSchema({
  program: 'Zed',
  tables: { threads: ['id', 'summary', 'updated_at', 'data_type', 'data'] },
  *sessions(database) {
    const columns = select(columnsOf(database, 'threads'), ['parent_id'])
    for (const row of database.rows(`SELECT id, updated_at, ${columns} FROM threads`)) {
      const id = textOf(row, 'id')
      if (id !== null) yield { id, modified: momentOf(row.updated_at), parent: textOf(row, 'parent_id') }
    }
  },
  *records(database, id) {
    const columns = select(columnsOf(database, 'threads'), ['parent_id', 'folder_paths'])
    const [row] = database.rows(`SELECT id, updated_at, data_type, data, ${columns} FROM threads WHERE id = ?`, id)
    if (!row) return
    const { data, ...head } = row
    const bytes = data instanceof Uint8Array ? data : Buffer.from(String(data))
    if (head.data_type === 'json') {
      yield JSON.stringify(head)
      yield Buffer.from(bytes).toString()
    } else {
      yield frameOf(`${JSON.stringify(head)}\n`)
      yield bytes
    }
  },
  stamp(database, id) {
    return stampOfRows(database, id, { texts: ['data', 'updated_at'] }, 'threads WHERE id = ?')
  },
})

/** A text as a frame of Zstandard that packs nothing (RFC 8878, 3.1): what follows in the source is packed. */
function frameOf(text: string): Buffer {
  const bytes = Buffer.from(text)
  const frame = Buffer.alloc(12)
  frame.writeUInt32LE(0xfd2fb528)
  // One segment, whose size stands in four bytes.
  frame[4] = 0xa0
  frame.writeUInt32LE(bytes.length, 5)
  // The last block, as it is.
  frame.writeUIntLE(bytes.length * 8 + 1, 9, 3)
  return Buffer.concat([frame, bytes])
}
