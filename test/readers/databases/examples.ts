/** A database of each program, with one session that has one request. */
import { fixtureText } from '../reading.ts'
import { type Export, rowsOf, statements } from './opencode-rows.ts'
import { type Content, writeDatabase } from './writing.ts'

const examples: Readonly<Record<string, (session: string) => Content>> = {
  opencode: (session) => {
    const exported = JSON.parse(fixtureText('opencode', 'compacted.json')) as Export
    const messages = exported.messages.map(({ info, parts }, at) => ({ info: { ...info, id: `msg_${at}` }, parts }))
    return { statements, rows: rowsOf({ info: { ...exported.info, id: session }, messages }) }
  },
  goose: (session) => ({
    statements: [
      'CREATE TABLE sessions (id TEXT, working_dir TEXT, input_tokens INTEGER, output_tokens INTEGER)',
      `CREATE TABLE messages (id INTEGER PRIMARY KEY, session_id TEXT, role TEXT, content_json TEXT,
        created_timestamp INTEGER)`,
    ],
    rows: {
      sessions: [{ id: session, working_dir: '/lamp', input_tokens: 10, output_tokens: 2 }],
      messages: ['user', 'assistant'].map((role) => ({
        ...{ session_id: session, role, created_timestamp: 1_775_037_610 },
        content_json: JSON.stringify([{ type: 'text', text: 'Is it on?' }]),
      })),
    },
  }),
}

export function writeExample(program: string, path: string, session: string): void {
  const example = examples[program]
  if (!example) throw new Error(`there is no database of ${program}`)
  writeDatabase(path, example(session))
}
