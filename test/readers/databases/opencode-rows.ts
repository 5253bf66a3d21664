/** Sessions of opencode as the rows of its database. */

export const statements = [
  'CREATE TABLE project (id text PRIMARY KEY, worktree text)',
  `CREATE TABLE session (id text PRIMARY KEY, project_id text, parent_id text, directory text, version text,
    time_created integer, time_updated integer)`,
  'CREATE TABLE message (id text PRIMARY KEY, session_id text, time_created integer, time_updated integer, data text)',
  `CREATE TABLE part (id text PRIMARY KEY, message_id text, session_id text, time_created integer,
    time_updated integer, data text)`,
  'CREATE INDEX part_session_idx ON part (session_id)',
]

type Row = Record<string, string | number | null>

export interface Export {
  info: { id: string; parentID?: string; directory?: string; version?: string }
  messages: { info: Record<string, unknown>; parts: unknown[] }[]
}

/** The rows of a session that was exported: opencode keeps the ids in columns of their own, and sorts by them. */
export function rowsOf({ info, messages }: Export): Record<'session' | 'message' | 'part', Row[]> {
  const { id, parentID = null, directory = '/lamp', version = null } = info
  const session = [{ id, parent_id: parentID, directory, version, time_created: 1, time_updated: 2 }]
  const message: Row[] = []
  const part: Row[] = []
  for (const [at, { info, parts }] of messages.entries()) {
    const { id: _, sessionID: __, ...data } = info
    const own = String(info.id ?? `msg_${at}`)
    message.push({ id: own, session_id: id, time_created: at, time_updated: at, data: JSON.stringify(data) })
    for (const [nth, value] of parts.entries()) {
      const [name, text] = [`prt_${String(at * 100 + nth).padStart(5, '0')}`, JSON.stringify(value)]
      part.push({ id: name, message_id: own, session_id: id, time_created: at, time_updated: at, data: text })
    }
  }
  return { session, message, part }
}
