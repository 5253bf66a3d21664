/** The sessions in a database of an agent, each a source of its own, as those in an archive are. */
import { statSync } from 'node:fs'
import { CtxwinError } from '../../base/errors.ts'
import { nameInArchive } from '../lines/archive.ts'
import { inContainer, type Source } from '../lines/source.ts'
import copilotChat from './copilot-chat.ts'
import crush from './crush.ts'
import forge from './forge.ts'
import goose from './goose.ts'
import hermes from './hermes.ts'
import kiro from './kiro.ts'
import { type Database, isDatabase, openDatabase } from './open.ts'
import opencode from './opencode.ts'
import { columnsOf, type Schema, type StoredSession } from './schema.ts'
import zed from './zed.ts'

export { isDatabase } from './open.ts'

const schemas: readonly Schema[] = [opencode, goose, crush, zed, hermes, copilotChat, forge, kiro]

/** A session of a database, with its source. */
export interface SessionSource extends StoredSession {
  readonly source: Source
}

/**
 * @param name the database's, in messages; default: its path
 * @throws CtxwinError `unreadable` for a database of no program that is known, or of a version that is not; `damaged`
 */
export function sessionsIn(path: string, name = path): SessionSource[] {
  const database = openDatabase(path, name)
  const schema = schemaOf(database, name)
  const sessions = [...schema.sessions(database)]
  const size = Math.ceil(statSync(path).size / Math.max(1, sessions.length))
  const taken = new Set<string>()
  return sessions.map((session) => {
    // No program writes ids with a slash in them, but a file may have any.
    const id = nameInArchive(session.id)
    let [inner, number] = [id, 2]
    while (taken.has(inner)) inner = `${id} (${number++})`
    taken.add(inner)
    return { ...session, source: sourceOf({ database, name, schema }, `${name}${inContainer}${inner}`, session, size) }
  })
}

/** The database in whose place a path names a session; null for the path of a file. */
export function databaseIn(path: string): string | null {
  const end = path.indexOf(inContainer)
  return end >= 0 && isDatabase(path.slice(0, end)) ? path.slice(0, end) : null
}

/** Databases that are known and not read, by tables that no other program has, with what people can do. */
const unread: readonly (readonly [program: string, tables: readonly string[], instead: string])[] = [
  ["Copilot's CLI", ['assistant_usage_events'], 'its rows are read with the sessions in session-state beside it'],
  ['Cursor', ['cursorDiskKV'], 'it has no usage since version 3; the transcripts in ~/.cursor/projects are read'],
  ['Warp', ['ai_queries'], 'it has sums only'],
  ['Z Code', ['model_usage'], 'its form is not known well enough'],
]

/** With more of its columns missing, a database is another program's. */
const mostMissing = 2

/** @throws CtxwinError for a database of no program that is known, or of a version that is not */
function schemaOf(database: Database, name: string): Schema {
  const near = schemas
    .map((schema) => ({ schema, missing: missingIn(database, schema) }))
    .filter(({ missing }) => missing.length <= mostMissing && missing.every((one) => one.includes('.')))
  // Programs have tables of one name: a version that is not known still has more of its own columns than of theirs.
  const [nearest] = near.toSorted((a, b) => a.missing.length - b.missing.length)
  if (nearest?.missing.length === 0) return nearest.schema
  if (nearest) {
    const { schema, missing } = nearest
    const what = `it is a database of ${schema.program} in a form that is not read: there is no ${missing.join(', no ')}`
    throw new CtxwinError('unreadable', name, what)
  }
  const known = unread.find(([, tables]) => tables.every((table) => columnsOf(database, table).length > 0))
  if (known) throw new CtxwinError('unreadable', name, `the database of ${known[0]} is not read: ${known[2]}`)
  const programs = schemas.map(({ program }) => program).join(', ')
  throw new CtxwinError(
    'no-transcript',
    name,
    `it is an SQLite database of no program that is known here (${programs})`,
  )
}

/** The tables, and the columns of tables that are there, that a program's database would have. */
function missingIn(database: Database, { tables }: Schema): string[] {
  return Object.entries(tables).flatMap(([table, columns]) => {
    const known = columnsOf(database, table)
    return known.length === 0
      ? [table]
      : columns.filter((column) => !known.includes(column)).map((column) => `${table}.${column}`)
  })
}

/** In characters, of a chunk. */
const chunkSize = 1 << 16

/** All sessions are read from the database as it was listed: while a program writes, each would open it anew, and copy it. */
function sourceOf(
  {
    database,
    name: container,
    schema,
  }: { readonly database: Database; readonly name: string; readonly schema: Schema },
  name: string,
  { id, modified }: StoredSession,
  size: number,
): Source {
  function* chunks(): Generator<Uint8Array> {
    let text = ''
    for (const record of schema.records(database, id)) {
      if (typeof record !== 'string') {
        yield record
        continue
      }
      text += `${record.replaceAll('\n', ' ')}\n`
      if (text.length < chunkSize) continue
      yield Buffer.from(text)
      text = ''
    }
    if (text !== '') yield Buffer.from(text)
  }
  const stamp = () => schema.stamp(database, id)
  return {
    name,
    path: database.path,
    container,
    session: { modified, size, stamp },
    chunks: { [Symbol.iterator]: chunks },
  }
}
