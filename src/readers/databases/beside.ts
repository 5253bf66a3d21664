/** What a database that lies beside a transcript says of its session. */
import { CtxwinError } from '../../base/errors.ts'
import { isDatabase, openDatabase, type Row } from './open.ts'
import { columnsOf } from './schema.ts'

export interface RowsOf {
  readonly table: string
  /** As the column `session_id` has it. */
  readonly session: string
}

/** In the order in which they were written; none where there is no such table, or it cannot be read now. */
export function rowsIn(path: string, { table, session }: RowsOf): readonly Row[] {
  if (!isDatabase(path)) return []
  try {
    const database = openDatabase(path, path)
    if (!columnsOf(database, table).includes('session_id')) return []
    return [...database.rows(`SELECT * FROM ${table} WHERE session_id = ? ORDER BY rowid`, session)]
  } catch (error) {
    if (error instanceof CtxwinError) return []
    throw error
  }
}
