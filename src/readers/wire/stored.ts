/** Sessions as the rows of a database have them: one of the session, and behind it one of each message. */
import { bad, type Outcome, type ReaderContext, type Reading } from '../reader.ts'
import { type JsonObject, objectOf } from './blocks.ts'
import { Session, type SessionHead } from './session.ts'

export interface Rows {
  isHead(row: JsonObject): boolean
  /** Adds what a message's row holds. @param head the session's row, empty where there was none */
  add(row: JsonObject, session: Session, line: number, head: JsonObject): Outcome
  /** What the session's row says, asked when all messages are there; it may add what only the session as a whole was billed. */
  head(row: JsonObject, session: Session): SessionHead
}

export function readRows(context: ReaderContext, rows: Rows): Reading {
  let session = new Session()
  let head: JsonObject | null = null
  const end = (): void => {
    if (head || session.length > 0) session.write(context, rows.head(head ?? {}, session))
    session = new Session()
    head = null
  }
  return {
    record(value, line) {
      const row = objectOf(value)
      if (!row) return bad
      if (!rows.isHead(row)) return rows.add(row, session, line, head ?? {})
      end()
      head = row
      return 'used'
    },
    end,
  }
}
