/**
 * The contract of a program's database: which tables it has, which sessions are in it, and the records of each, which a reader of
 * files knows: as many lines of JSON as the program would export. What a row holds is JSON already and stays as it is.
 */
import type { Database, Row } from './open.ts'

export interface StoredSession {
  readonly id: string
  /** Milliseconds since the epoch: when anything of it was last written; null where nothing says. */
  readonly modified: number | null
  /** Id of the session whose sub-agent this is; null for a session of its own. */
  readonly parent: string | null
}

export interface Schema {
  /** The program, as people call it. */
  readonly program: string
  /** The tables and columns that have to be there: by these the database is told from others. */
  readonly tables: Readonly<Record<string, readonly string[]>>
  sessions(database: Database): Iterable<StoredSession>
  /** The records of a session, each as JSON text, in which a line feed stands for a space; or all of them packed. */
  records(database: Database, id: string): Iterable<string | Uint8Array>
  /** Another word whenever anything of a session has changed. */
  stamp(database: Database, id: string): string
}

export function defineSchema(schema: Schema): Schema {
  return schema
}

/** The columns of a table that is one: a view would run what whoever wrote the file has put in it. Empty where there is none. */
export function columnsOf(database: Database, table: string): readonly string[] {
  const [found] = database.rows(
    "SELECT sql FROM sqlite_master WHERE type = 'table' AND name = ? AND rootpage > 0",
    table,
  )
  if (!found) return []
  return [...database.rows('SELECT name FROM pragma_table_info(?)', table)].map(({ name }) => String(name))
}

/**
 * The sessions of a program that keeps their messages in a table `messages`.
 * @param times columns of `sessions`
 * @param written the column of `messages` that says when
 */
export function* sessionsWithMessages(
  database: Database,
  times: readonly string[],
  written: string,
): Generator<StoredSession> {
  const rows = database.rows(
    `SELECT sessions.id AS id, ${select(columnsOf(database, 'sessions'), ['parent_session_id', ...times])}, newest
     FROM sessions LEFT JOIN (SELECT session_id, max(${written}) AS newest FROM messages GROUP BY session_id)
     ON session_id = sessions.id`,
  )
  for (const row of rows) {
    const id = textOf(row, 'id')
    const modified = [...times, 'newest'].reduce((last, column) => Math.max(last, momentOf(row[column]) ?? 0), 0)
    if (id !== null) yield { id, modified: modified || null, parent: textOf(row, 'parent_session_id') }
  }
}

/**
 * What tells rows from what they were, in one word: how many there are, the size of their texts and the sum of their numbers.
 * @param from what follows FROM, with one `?`: the session
 */
export function stampOfRows(
  database: Database,
  id: string,
  { texts = [], numbers = [] }: { readonly texts?: readonly string[]; readonly numbers?: readonly string[] },
  from: string,
): string {
  const sums = [
    ...texts.map((column) => `total(octet_length(${column}))`),
    // Times in milliseconds add up to more than a number can tell apart.
    ...numbers.map((column) => `max(${column}) || ' ' || total(${column} % 1000000)`),
  ].map((sum) => `coalesce(${sum}, '')`)
  const [row] = database.rows(
    `SELECT count(*) || ' ' || max(rowid) || ' ' || ${sums.join(" || ' ' || ")} AS stamp FROM ${from}`,
    id,
  )
  return String(row?.stamp ?? '')
}

/** Those of the columns that a table of this version has, for a query; null for the others. */
export function select(known: readonly string[], wanted: readonly string[]): string {
  return wanted.map((column) => (known.includes(column) ? column : `NULL AS ${column}`)).join(', ')
}

/** Puts keys in front of those of an object that is JSON text already. What is no object stays as it is, to be reported. */
export function withKeys(json: string, keys: Readonly<Record<string, unknown>>): string {
  const text = json.trim()
  if (!text.startsWith('{')) return json
  const head = JSON.stringify(keys).slice(0, -1)
  return text.length > 2 && text.slice(1).trimStart() !== '}' ? `${head},${text.slice(1)}` : `${head}}`
}

export const textOf = (row: Row, column: string): string | null => {
  const value = row[column]
  return typeof value === 'string' && value !== '' ? value : null
}

/** Milliseconds since the epoch of a number of seconds or milliseconds, or of a time as SQLite's CURRENT_TIMESTAMP has it. */
export function momentOf(value: unknown): number | null {
  if (typeof value === 'number') return value <= 0 ? null : value < 1e11 ? value * 1000 : value
  if (typeof value !== 'string') return null
  const time = Date.parse(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/.test(value) ? `${value.replace(' ', 'T')}Z` : value)
  return Number.isNaN(time) ? null : time
}
