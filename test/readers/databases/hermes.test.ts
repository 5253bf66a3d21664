import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { sessionsIn } from '../../../src/readers/databases/index.ts'
import { fixtureText, linesOf, outlines, readFixture, readRecords } from '../reading.ts'
import { billOf, readSession, sessionOf } from './sessions.ts'
import { writeDatabase } from './writing.ts'

const top = mkdtempSync(join(tmpdir(), 'ctxwin-hermes-'))
afterAll(() => rmSync(top, { recursive: true }))

const sessions = `id TEXT PRIMARY KEY, source TEXT, model TEXT, system_prompt TEXT, parent_session_id TEXT, started_at REAL,
  ended_at REAL, input_tokens INTEGER, output_tokens INTEGER, cache_read_tokens INTEGER, cache_write_tokens INTEGER,
  estimated_cost_usd REAL, actual_cost_usd REAL, api_call_count INTEGER`
const messages = `id INTEGER PRIMARY KEY AUTOINCREMENT, session_id TEXT, role TEXT, content TEXT, tool_call_id TEXT,
  tool_calls TEXT, tool_name TEXT, timestamp REAL, reasoning TEXT, reasoning_content TEXT`

const versions = {
  older: [`CREATE TABLE sessions (${sessions})`, `CREATE TABLE messages (${messages})`],
  now: [
    `CREATE TABLE sessions (${sessions}, cwd TEXT, system_prompt_hash TEXT)`,
    `CREATE TABLE messages (${messages}, _compressed_summary INTEGER DEFAULT 0, active INTEGER DEFAULT 1,
      compacted INTEGER DEFAULT 0)`,
    'CREATE TABLE system_prompts (hash TEXT PRIMARY KEY, prompt TEXT)',
    `CREATE TABLE session_model_usage (session_id TEXT, model TEXT, task TEXT, api_call_count INTEGER,
      input_tokens INTEGER, output_tokens INTEGER, cache_read_tokens INTEGER, cache_write_tokens INTEGER,
      estimated_cost_usd REAL, actual_cost_usd REAL)`,
  ],
}

type Row = Record<string, string | number | null | Uint8Array>

let number = 0
function write(rows: Record<string, Row[]>, version: keyof typeof versions = 'now'): string {
  const path = join(top, `${number++}.db`)
  writeDatabase(path, { statements: versions[version], rows })
  return path
}

/** The rows of a fixture, as the tables have them. */
function rowsOf(file: string): Record<string, Row[]> {
  const [{ usage, ...head }, ...rows] = linesOf(fixtureText('hermes', file))
  const withoutNull = (row: object) => Object.fromEntries(Object.entries(row).filter(([, value]) => value !== null))
  return {
    sessions: [withoutNull(head)],
    messages: rows.map(({ content, tool_calls, name, ...row }) =>
      withoutNull({
        ...row,
        session_id: head.id,
        content: typeof content === 'string' ? content : Buffer.from(`\0json:${JSON.stringify(content)}`),
        tool_calls: tool_calls ? JSON.stringify(tool_calls) : null,
        tool_name: name ?? null,
      }),
    ),
    ...(usage.length > 0 && {
      session_model_usage: usage.map(({ reasoning_tokens: _, ...row }: Row) => row),
    }),
  }
}

const usage = (input: number, cacheRead: number, cacheWrite: number, output: number, cost: number) => ({
  input: input + cacheRead + cacheWrite,
  cacheRead,
  cacheWrite,
  cacheWrite1h: 0,
  output,
  cost,
})

describe('hermes', () => {
  it('reads what is active or was compacted, once, and keeps the compaction', async () => {
    const read = await readFixture('hermes', 'session.jsonl')
    expect(outlines(read)).toEqual([
      '2 ?user: Is the lamp on? | <image 5>',
      '3 assistant: (I look at the switch first.) | terminal#c1',
      '4 tool#c1: The lamp is on.',
      '6 assistant: It is on.',
      '9 ?user: Dim it.',
      // The same words as before, but no copy: it does not stand behind the summary.
      '10 assistant: (Half of it.) | It is on.',
      '11 system: Be brief.',
    ])
    expect(read.findings).toEqual([])
    expect(read.report.noContext).toBe(2)
    const [trace] = read.traces
    expect(trace!.compactions).toMatchObject([{ at: 4, keptFrom: 3, line: 7 }])
    expect(trace!.preamble.system).toMatchObject([{ blocks: [{ text: 'You mind the lamps.' }] }])
    expect(trace!.head).toMatchObject({
      model: 'anthropic/claude-sonnet-4.5',
      provider: 'anthropic',
      cwd: '/home/ada/lamp',
    })
    expect(trace!.sideCalls).toMatchObject([
      { kind: 'summed', calls: 3, usage: usage(500, 2000, 300, 40, 0.08) },
      { kind: 'summary', calls: 1, model: 'google/gemini-3-flash', usage: usage(200, 0, 0, 20, 0.0012) },
      { kind: 'aside', calls: 1, usage: usage(50, 0, 0, 5, 0.0001) },
    ])
  })

  it('takes the sum of a session of one request for its usage', async () => {
    const [trace] = (await readFixture('hermes', 'older.jsonl')).traces
    expect(trace!.usage(0)).toEqual(usage(300, 0, 0, 7, 0.02))
    expect(trace!.sideCalls).toEqual([])
    expect(trace!.head).toMatchObject({ conversation: '20260101_hall', parent: '20260101_lamp' })
  })

  it('says which count is missing', async () => {
    const [{ input_tokens: _, ...head }, ...rest] = linesOf(fixtureText('hermes', 'older.jsonl'))
    const { report } = await readRecords([{ ...head, prompt_tokens: 300, input_tokens: null }, ...rest], 'hermes')
    expect(report.problems).toMatchObject([{ code: 'bad-shape', line: 1, detail: 'input_tokens' }])
  })
})

describe('a database of Hermes', () => {
  it.each([
    ['session.jsonl', 'now'],
    ['older.jsonl', 'now'],
    ['older.jsonl', 'older'],
  ] as const)('holds what %s has, in its version %s', async (file, version) => {
    const rows = rowsOf(file)
    if (version === 'older') {
      const own = ({ _compressed_summary: _, active: _1, compacted: _2, ...row }: Row) => row
      rows.messages = rows.messages!.map(own)
    }
    const id = String(rows.sessions![0]!.id)
    const read = await readSession(write(rows, version), id)
    const other = await readFixture('hermes', file)
    expect(outlines(read)).toEqual(outlines(other))
    expect(billOf(read)).toEqual(billOf(other))
    const { file: _, ...head } = other.traces[0]!.head
    expect(read.traces[0]!.head).toMatchObject(head)
    expect(read.findings).toEqual([])
  })

  it('has a prompt that several sessions share once', async () => {
    const rows = rowsOf('older.jsonl')
    const path = write({
      ...rows,
      sessions: [{ ...rows.sessions![0], system_prompt_hash: 'h' }] as Row[],
      system_prompts: [{ hash: 'h', prompt: 'You mind the halls.' }],
    })
    const [trace] = (await readSession(path, '20260101_hall')).traces
    expect(trace!.preamble.system).toMatchObject([{ blocks: [{ text: 'You mind the halls.' }] }])
  })

  it('tells its sessions and when one has changed, and is named where a column is missing', () => {
    const path = write(rowsOf('session.jsonl'))
    const [{ id, parent, modified }] = sessionsIn(path) as [ReturnType<typeof sessionOf>]
    expect([id, parent, modified]).toEqual(['20260514_lamp', null, 1778767304500])
    const stamp = () => sessionOf(path, id).source.session!.stamp()
    const before = stamp()
    writeDatabase(path, { statements: ["UPDATE messages SET active = 0 WHERE content = 'Be brief.'"] })
    const after = stamp()
    expect(after).not.toBe(before)
    writeDatabase(path, { statements: ['UPDATE session_model_usage SET output_tokens = output_tokens + 1'] })
    expect(stamp()).not.toBe(after)
    const future = join(top, 'future.db')
    writeDatabase(future, { statements: versions.now.map((one) => one.replace('tool_calls TEXT', 'calls TEXT')) })
    const line = 'it is a database of Hermes in a form that is not read: there is no messages.tool_calls'
    expect(() => sessionsIn(future)).toThrow(line)
  })
})
