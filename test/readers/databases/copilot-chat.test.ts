import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { sessionsIn } from '../../../src/readers/databases/index.ts'
import { countOf, outlines } from '../reading.ts'
import { readSession, sessionOf } from './sessions.ts'
import { writeDatabase } from './writing.ts'

const top = mkdtempSync(join(tmpdir(), 'ctxwin-traces-'))
afterAll(() => rmSync(top, { recursive: true }))

const statements = [
  `CREATE TABLE spans (span_id TEXT PRIMARY KEY, trace_id TEXT NOT NULL, parent_span_id TEXT, name TEXT NOT NULL,
    start_time_ms INTEGER NOT NULL, end_time_ms INTEGER NOT NULL, operation_name TEXT, conversation_id TEXT,
    request_model TEXT, response_model TEXT, chat_session_id TEXT)`,
  'CREATE TABLE span_attributes (span_id TEXT NOT NULL, key TEXT NOT NULL, value TEXT, PRIMARY KEY (span_id, key))',
]

type Row = Record<string, string | number | null>

const began = 1_780_000_000_000
const span = (id: string, trace: string, at: number, more: Row = {}): Row => ({
  span_id: id,
  trace_id: trace,
  name: 'chat claude-sonnet-4.5',
  start_time_ms: began + at,
  end_time_ms: began + at + 500,
  operation_name: 'chat',
  response_model: 'claude-sonnet-4.5',
  ...more,
})
const part = (content: string) => [{ type: 'text', content }]
const said = (role: string, content: string) => ({ role, parts: part(content) })

/** The attributes of a request. */
function attributes(id: string, input: object[], output: string, counts: readonly [number, number, number, number]) {
  const [tokens, written, read, cached] = counts
  const values = {
    'gen_ai.input.messages': JSON.stringify(input),
    'gen_ai.output.messages': JSON.stringify([said('assistant', output)]),
    'gen_ai.usage.input_tokens': String(tokens),
    'gen_ai.usage.output_tokens': String(written),
    'gen_ai.usage.cache_read.input_tokens': String(read),
    'gen_ai.usage.cache_creation.input_tokens': String(cached),
  }
  return Object.entries(values).map(([key, value]) => ({ span_id: id, key, value }))
}

const asked = said('user', 'Is the lamp on?')
const rows = {
  spans: [
    span('a', 't1', 0, { operation_name: 'invoke_agent', name: 'invoke_agent', conversation_id: 'c1' }),
    // It names no conversation of its own.
    span('b', 't1', 100),
    span('c', 't2', 9000, { conversation_id: 'c1' }),
    span('d', 't3', 9500, { chat_session_id: 'c2' }),
  ],
  span_attributes: [
    ...attributes('b', [asked], 'It is on.', [1000, 20, 600, 300]),
    ...attributes(
      'c',
      [asked, said('assistant', 'It is on.'), said('user', 'Dim it.')],
      'Dimmed.',
      [1100, 5, 1000, 50],
    ),
    { span_id: 'd', key: 'gen_ai.usage.input_tokens', value: '7' },
    { span_id: 'd', key: 'gen_ai.usage.output_tokens', value: '7' },
  ],
}

let number = 0
function write(content: Record<string, Row[]> = rows): string {
  const path = join(top, `${number++}.db`)
  writeDatabase(path, { statements, rows: content })
  return path
}

describe('the traces of Copilot Chat', () => {
  it('are the requests of a conversation, with their usage', async () => {
    const read = await readSession(write(), 'c1')
    expect(outlines(read).map((line) => line.replace(/^\d+ /, ''))).toEqual([
      '?user: Is the lamp on?',
      'assistant: It is on.',
      '?user: Dim it.',
      'assistant: Dimmed.',
    ])
    const [trace] = read.traces
    const usage = (input: number, output: number, cacheRead: number, cacheWrite: number) => ({
      input,
      cacheRead,
      cacheWrite,
      cacheWrite1h: 0,
      output,
    })
    expect([0, 1].map((request) => trace!.usage(request))).toEqual([
      usage(1000, 20, 600, 300),
      usage(1100, 5, 1000, 50),
    ])
    expect(trace!.head).toMatchObject({ format: 'otel-genai', conversation: 'c1', model: 'claude-sonnet-4.5' })
    expect(trace!.messages!.map(({ time }) => time)).toContain(began + 600)
  })

  it('are one session a conversation, and say where messages were not captured', async () => {
    const path = write()
    const found = sessionsIn(path).map(({ id, modified }) => [id, modified])
    expect(found.toSorted()).toEqual([
      ['c1', began + 9500],
      ['c2', began + 10_000],
    ])
    const { report, traces } = await readSession(path, 'c2')
    expect(traces).toEqual([])
    expect(countOf(report, 'no-content')).toBe(1)
  })

  it('tell when a conversation has changed', () => {
    const path = write()
    const stamps = () => ['c1', 'c2'].map((id) => sessionOf(path, id).source.session!.stamp())
    const [one, other] = stamps()
    writeDatabase(path, { rows: { span_attributes: [{ span_id: 'b', key: 'more', value: 'x' }] } })
    expect(stamps()[0]).not.toBe(one)
    expect(stamps()[1]).toBe(other)
  })

  it('are named in a version without a column', () => {
    const path = join(top, 'older.db')
    writeDatabase(path, { statements: statements.map((one) => one.replace(', chat_session_id TEXT', '')) })
    const line = 'it is a database of Copilot Chat in a form that is not read: there is no spans.chat_session_id'
    expect(() => sessionsIn(path)).toThrow(line)
  })
})
