import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { sessionsIn } from '../../../src/readers/databases/index.ts'
import { openDatabase } from '../../../src/readers/databases/open.ts'
import { fixtureText, outlines, readFixture } from '../reading.ts'
import { billOf, readSession, sessionOf } from './sessions.ts'
import { writeDatabase } from './writing.ts'

const top = mkdtempSync(join(tmpdir(), 'ctxwin-goose-'))
afterAll(() => rmSync(top, { recursive: true }))

/** By version of the schema, the least that is read: 10 has neither ledger nor ids of messages. */
const versions = {
  10: [
    `CREATE TABLE sessions (id TEXT, working_dir TEXT, updated_at TIMESTAMP, input_tokens INTEGER,
      output_tokens INTEGER, model_config_json TEXT)`,
    `CREATE TABLE messages (id INTEGER PRIMARY KEY, session_id TEXT, role TEXT, content_json TEXT,
      created_timestamp INTEGER)`,
  ],
  15: [
    `CREATE TABLE sessions (id TEXT, working_dir TEXT, updated_at TIMESTAMP, input_tokens INTEGER,
      output_tokens INTEGER, model_config_json TEXT, parent_session_id TEXT, accumulated_cost REAL)`,
    `CREATE TABLE messages (id INTEGER PRIMARY KEY, message_id TEXT, session_id TEXT, role TEXT, content_json TEXT,
      created_timestamp INTEGER, metadata_json TEXT)`,
    `CREATE TABLE usage_ledger (id INTEGER PRIMARY KEY, session_id TEXT, created_timestamp INTEGER, model TEXT,
      input_tokens INTEGER, output_tokens INTEGER, total_tokens INTEGER, cache_read_tokens INTEGER,
      cache_write_tokens INTEGER, cost REAL, is_compaction INTEGER)`,
  ],
}

type Row = Record<string, string | number | null>

let number = 0
function write(rows: Record<string, Row[]>, version: keyof typeof versions = 15): string {
  const path = join(top, `${number++}.db`)
  writeDatabase(path, { statements: versions[version], rows })
  return path
}

const session = { id: 's', working_dir: '/lamp', updated_at: '2026-11-20 10:00:00' }
const text = (words: string) => ({ type: 'text', text: words })
const call = (id: string) => ({
  type: 'toolRequest',
  id,
  toolCall: { status: 'success', value: { name: 'shell', arguments: {} } },
})
const result = (id: string) => ({
  type: 'toolResponse',
  id,
  toolResult: { status: 'success', value: { content: [text(`of ${id}`)] } },
})
const message = (role: string, time: number, content: unknown[], usage?: object): Row => ({
  session_id: 's',
  role,
  content_json: JSON.stringify(content),
  created_timestamp: time,
  metadata_json: JSON.stringify({ userVisible: true, agentVisible: true, ...(usage && { usage }) }),
})
const billed = (input: number, output: number, cost: number, more: Row = {}): Row => ({
  session_id: 's',
  created_timestamp: 1_700_000_009,
  model: 'claude-sonnet-4-5',
  input_tokens: input,
  output_tokens: output,
  total_tokens: input + output,
  cost,
  is_compaction: 0,
  ...more,
})

describe('a database of goose', () => {
  it('holds what an export does', async () => {
    const exported = JSON.parse(fixtureText('goose', 'export.json'))
    const rows = exported.conversation.map((one: Record<string, unknown>, at: number) => ({
      id: at,
      message_id: one.id,
      session_id: exported.id,
      role: one.role,
      content_json: JSON.stringify(one.content),
      created_timestamp: one.created,
      metadata_json: JSON.stringify(one.metadata),
    }))
    const head = {
      id: exported.id,
      working_dir: exported.working_dir,
      input_tokens: exported.input_tokens,
      output_tokens: exported.output_tokens,
      model_config_json: JSON.stringify(exported.model_config),
    }
    const read = await readSession(write({ sessions: [head], messages: rows }), exported.id)
    const other = await readFixture('goose', 'export.json')
    const unnumbered = (lines: readonly string[]) => lines.map((line) => line.replace(/^\d+/, ''))
    expect(unnumbered(outlines(read))).toEqual(unnumbered(outlines(other)))
    expect(billOf(read)).toEqual(billOf(other))
    const { file: _, ...of } = other.traces[0]!.head
    expect(read.traces[0]!.head).toMatchObject(of)
  })

  it('is read in a version without a ledger: the session counts its newest request', async () => {
    const messages = [
      message('user', 1_700_000_000_000, [text('Hi')]),
      message('assistant', 1_700_000_001, [text('Yes')]),
    ]
    const rows = messages.map(({ metadata_json: _, ...row }) => row)
    const path = write({ sessions: [{ ...session, input_tokens: 30, output_tokens: 4 }], messages: rows }, 10)
    const read = await readSession(path, 's')
    expect(outlines(read)).toEqual(['2 ?user: Hi', '3 assistant: Yes'])
    expect(billOf(read)).toMatchObject({ input: 30, output: 4 })
    expect(read.traces[0]!.messages!.map(({ time }) => time)).toEqual([1_700_000_000_000, 1_700_000_001_000])
  })

  it('gives each response its row of the ledger, and bills what no message came of', async () => {
    const path = write({
      sessions: [session],
      messages: [
        message('user', 1_700_000_000, [text('Hi')]),
        message('assistant', 1_700_000_001, [text('One')], { inputTokens: 10, outputTokens: 1, totalTokens: 11 }),
        message('user', 1_700_000_002, [text('And?')]),
        message('assistant', 1_700_000_003, [text('Two')]),
      ],
      usage_ledger: [
        billed(7, 7, 0.07),
        billed(10, 1, 0.1),
        billed(90, 9, 0.9, { is_compaction: 1 }),
        billed(20, 2, 0.2, { cache_read_tokens: 5, cache_write_tokens: 3, total_tokens: 30 }),
      ],
    })
    const { traces } = await readSession(path, 's')
    const none = { cacheRead: 0, cacheWrite: 0, cacheWrite1h: 0 }
    const usages = [0, 1].map((request) => traces[0]!.usage(request))
    expect(usages).toEqual([
      { ...none, input: 10, output: 1, cost: 0.1 },
      // The first row that is left: it stands in front of the other.
      { ...none, input: 7, output: 7, cost: 0.07 },
    ])
    expect(traces[0]!.sideCalls.map(({ kind, usage }) => [kind, usage.input, usage.cacheRead, usage.cost])).toEqual([
      ['summary', 90, 0, 0.9],
      ['taken-back', 28, 5, 0.2],
    ])
  })

  it('takes a response with several calls for one request', async () => {
    const usage = { inputTokens: 10, outputTokens: 5, totalTokens: 15 }
    const thought = { type: 'thinking', thinking: 'Two calls.', signature: '' }
    const path = write({
      sessions: [session],
      messages: [
        message('user', 1_700_000_000, [text('Hi')]),
        message('assistant', 1_700_000_001, [thought, call('a')], usage),
        message('user', 1_700_000_001, [result('a')]),
        {
          ...message('assistant', 1_700_000_001, [thought, call('b')]),
          metadata_json: '{"userVisible":true,"agentVisible":true}',
        },
        message('user', 1_700_000_001, [result('b')]),
      ],
      usage_ledger: [billed(10, 5, 0.1)],
    })
    const read = await readSession(path, 's')
    expect(outlines(read)).toEqual([
      '2 ?user: Hi',
      '3 assistant: (Two calls.) | shell#a | shell#b',
      '4 tool#a: of a',
      '6 tool#b: of b',
    ])
    expect(read.traces[0]!.requests).toBe(1)
  })

  it('changes its stamp with each column that is read', () => {
    const path = write({
      sessions: [session],
      messages: [message('user', 1_700_000_000, [text('Hi')])],
      usage_ledger: [billed(1, 1, 0.1)],
    })
    const stamp = () => sessionOf(path, 's').source.session!.stamp()
    for (const statement of [
      'UPDATE sessions SET accumulated_cost = 2',
      "UPDATE messages SET content_json = content_json || ' '",
      `UPDATE messages SET metadata_json = '{"userVisible":true,"agentVisible":false}'`,
      'UPDATE usage_ledger SET cost = 0.2',
      'DELETE FROM messages',
    ]) {
      const before = stamp()
      writeDatabase(path, { statements: [statement] })
      expect([statement, stamp() !== before]).toEqual([statement, true])
    }
  })

  it('dates a session by its newest message, in seconds or milliseconds', () => {
    const path = write({ sessions: [session], messages: [message('user', 1_796_000_000_000, [text('Hi')])] })
    expect(sessionsIn(path)[0]).toMatchObject({ id: 's', parent: null, modified: 1_796_000_000_000 })
    const older = write({ sessions: [session], messages: [message('user', 1_700_000_000, [text('Hi')])] })
    expect(sessionsIn(older)[0]).toMatchObject({ modified: Date.UTC(2026, 10, 20, 10) })
  })
})

const corpus = join(import.meta.dirname, '../../../../shared/corpus/_fixtures/goose-sqlite')

it.skipIf(!existsSync(corpus))('bills recorded sessions as the ledger does, a request a row', async () => {
  const path = join(corpus, 'WildChildForLife__lantern/sessions.db')
  const rows = [
    ...openDatabase(path, path).rows(
      `SELECT session_id, count(*) AS requests, sum(input_tokens) AS input, sum(output_tokens) AS output
       FROM usage_ledger GROUP BY session_id`,
    ),
  ]
  expect(rows.length).toBeGreaterThan(0)
  for (const { session_id, requests, input, output } of rows) {
    const read = await readSession(path, String(session_id))
    expect(billOf(read)).toMatchObject({ input, output })
    expect(read.traces[0]!.requests).toBe(requests)
  }
})
