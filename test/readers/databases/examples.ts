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
  crush: (session) => ({
    statements: [
      `CREATE TABLE sessions (id TEXT, parent_session_id TEXT, message_count INTEGER, prompt_tokens INTEGER,
        completion_tokens INTEGER, cost REAL, updated_at INTEGER)`,
      'CREATE TABLE messages (id TEXT, session_id TEXT, role TEXT, parts TEXT, model TEXT, created_at INTEGER)',
    ],
    rows: {
      sessions: [
        {
          id: session,
          message_count: 2,
          prompt_tokens: 10,
          completion_tokens: 2,
          cost: 0.1,
          updated_at: 1_775_037_610,
        },
      ],
      messages: ['user', 'assistant'].map((role) => ({
        ...{ id: role, session_id: session, role, model: 'claude-sonnet-4-5', created_at: 1_775_037_610 },
        parts: JSON.stringify([{ type: 'text', data: { text: 'Is it on?' } }]),
      })),
    },
  }),
  zed: (session) => ({
    statements: ['CREATE TABLE threads (id TEXT, summary TEXT, updated_at TEXT, data_type TEXT, data BLOB)'],
    rows: {
      threads: [
        {
          ...{ id: session, summary: 'A lamp', updated_at: '2026-11-01T10:00:00Z', data_type: 'json' },
          data: fixtureText('zed', 'thread.jsonl').split('\n')[1] ?? '',
        },
      ],
    },
  }),
  hermes: (session) => ({
    statements: [
      `CREATE TABLE sessions (id TEXT, source TEXT, model TEXT, started_at REAL, input_tokens INTEGER,
        output_tokens INTEGER)`,
      `CREATE TABLE messages (id INTEGER PRIMARY KEY, session_id TEXT, role TEXT, content TEXT, tool_call_id TEXT,
        tool_calls TEXT, timestamp REAL)`,
    ],
    rows: {
      sessions: [
        ...[{ id: session, source: 'cli', model: 'claude-sonnet-4-5', started_at: 1_775_037_600 }].map((row) => ({
          ...row,
          ...{ input_tokens: 10, output_tokens: 2 },
        })),
      ],
      messages: ['user', 'assistant'].map((role, at) => ({
        ...{ session_id: session, role, content: 'Is it on?', timestamp: 1_775_037_610 + at },
      })),
    },
  }),
  'kiro-cli': (session) => ({
    statements: ['CREATE TABLE conversations_v2 (key TEXT, conversation_id TEXT, value TEXT, updated_at INTEGER)'],
    rows: {
      conversations_v2: [
        {
          ...{ key: '/lamp', conversation_id: session, updated_at: 1_779_012_090_000 },
          value: JSON.stringify({ history: JSON.parse(fixtureText('kiro-cli', 'conversation.json')).history }),
        },
      ],
    },
  }),
  forge: (session) => ({
    statements: [
      `CREATE TABLE conversations (conversation_id TEXT, workspace_id INTEGER, context TEXT, created_at TEXT,
        updated_at TEXT)`,
    ],
    rows: {
      conversations: [
        {
          ...{ conversation_id: session, workspace_id: 1, created_at: '2026-11-20 10:00:00' },
          context: JSON.stringify(JSON.parse(fixtureText('forge', 'dump.json')).conversation.context),
        },
      ],
    },
  }),
  'copilot-chat': (session) => ({
    statements: [
      `CREATE TABLE spans (span_id TEXT, trace_id TEXT, name TEXT, start_time_ms INTEGER, end_time_ms INTEGER,
        operation_name TEXT, conversation_id TEXT, chat_session_id TEXT, response_model TEXT)`,
      'CREATE TABLE span_attributes (span_id TEXT, key TEXT, value TEXT)',
    ],
    rows: {
      spans: [
        {
          ...{
            span_id: 'a',
            trace_id: 't',
            name: 'chat',
            start_time_ms: 1_779_012_000_000,
            end_time_ms: 1_779_012_001_000,
          },
          ...{ operation_name: 'chat', conversation_id: session, response_model: 'claude-sonnet-4.5' },
        },
      ],
      span_attributes: Object.entries({
        'gen_ai.input.messages': '[{"role":"user","parts":[{"type":"text","content":"Is it on?"}]}]',
        'gen_ai.output.messages': '[{"role":"assistant","parts":[{"type":"text","content":"Yes."}]}]',
        'gen_ai.usage.input_tokens': '10',
        'gen_ai.usage.output_tokens': '2',
      }).map(([key, value]) => ({ span_id: 'a', key, value })),
    },
  }),
}

export function writeExample(program: string, path: string, session: string): void {
  const example = examples[program]
  if (!example) throw new Error(`there is no database of ${program}`)
  writeDatabase(path, example(session))
}
