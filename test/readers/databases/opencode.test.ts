import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { sessionsIn } from '../../../src/readers/databases/index.ts'
import { openDatabase } from '../../../src/readers/databases/open.ts'
import { fixtureText, outlines, readFixture } from '../reading.ts'
import { type Export, rowsOf, statements } from './opencode-rows.ts'
import { billOf, readSession, sessionOf } from './sessions.ts'
import { type Content, writeDatabase } from './writing.ts'

const top = mkdtempSync(join(tmpdir(), 'ctxwin-opencode-'))
afterAll(() => rmSync(top, { recursive: true }))

let number = 0
function write(content: Content['rows'] = {}): string {
  const path = join(top, `${number++}.db`)
  writeDatabase(path, { statements, rows: content })
  return path
}

const said = (text: string) => ({ type: 'text', text })

const lamp: Export = {
  info: { id: 'ses_1', directory: '/lamp', version: '1.18.9' },
  messages: [
    { info: { id: 'msg_1', role: 'user', time: { created: 1_700_000_000_000 } }, parts: [said('Is it on?')] },
    {
      info: {
        id: 'msg_2',
        role: 'assistant',
        modelID: 'gpt-5.4',
        providerID: 'openai',
        cost: 0.5,
        tokens: { input: 10, output: 5, reasoning: 2, cache: { read: 80, write: 4 } },
      },
      parts: [said('Yes.'), { type: 'step-finish' }],
    },
  ],
}

describe('a database of opencode', () => {
  it.each(['session.json', 'compacted.json'])('holds what an export does: %s', async (file) => {
    const exported = JSON.parse(fixtureText('opencode', file)) as Export
    // Exports that were published have one id for all messages, which no database can have.
    const messages = exported.messages.map(({ info, parts }, at) => {
      const id = info?.id === 'REDACTED' || info?.id === undefined ? `msg_${String(at).padStart(3, '0')}` : info.id
      return { info: { ...info, id }, parts: parts ?? [] }
    })
    const read = await readSession(write(rowsOf({ ...exported, messages })), exported.info.id)
    const other = await readFixture('opencode', file)
    expect(outlines(read).map((line) => line.replace(/^\d+/, ''))).toEqual(
      outlines(other).map((line) => line.replace(/^\d+/, '')),
    )
    // No row is without a directory.
    const { file: _, cwd, ...head } = other.traces[0]!.head
    expect(read.traces[0]!.head).toMatchObject({ ...head, cwd: cwd ?? '/lamp' })
    expect(billOf(read)).toEqual(billOf(other))
    expect(read.traces[0]!.compactions.length).toBe(other.traces[0]!.compactions.length)
  })

  it('has each session apart, dated by its newest message, and sub-agents with their parents', () => {
    const child: Export = { info: { id: 'ses_2', parentID: 'ses_1' }, messages: [] }
    const rows = [rowsOf(lamp), rowsOf(child)]
    const of = (table: 'session' | 'message' | 'part') => rows.flatMap((one) => one[table])
    const message = of('message').map((row) => ({ ...row, time_updated: 1_795_000_000_000 + Number(row.time_created) }))
    const path = write({ session: of('session'), message, part: of('part') })
    expect(sessionsIn(path, 'my.db').map(({ source, ...session }) => [source.name, session])).toEqual([
      ['my.db!/ses_1', { id: 'ses_1', modified: 1_795_000_000_001, parent: null }],
      ['my.db!/ses_2', { id: 'ses_2', modified: 2000, parent: 'ses_1' }],
    ])
  })

  it('loses only the message whose row is torn', async () => {
    const { session, message, part } = rowsOf(lamp)
    const torn = { id: 'msg_0', session_id: 'ses_1', time_created: 0, time_updated: 0, data: '{"role": "us' }
    const result = await readSession(write({ session, message: [torn, ...message], part }), 'ses_1')
    expect(outlines(result)).toEqual(['3 ?user: Is it on?', '4 assistant: Yes.'])
    expect(result.findings).toEqual(['not-json@2'])
  })

  it('changes its stamp with each column that is read, and with no other session', async () => {
    const path = write(rowsOf(lamp))
    writeDatabase(path, { rows: rowsOf({ ...lamp, info: { id: 'ses_2' }, messages: [] }) })
    const stamp = () => sessionOf(path, 'ses_1').source.session!.stamp()
    const change = (statement: string) => {
      const before = stamp()
      writeDatabase(path, { statements: [statement] })
      return stamp() !== before
    }
    expect(change("UPDATE session SET directory = '/other' WHERE id = 'ses_2'")).toBe(false)
    expect(change("UPDATE session SET time_updated = 9 WHERE id = 'ses_1'")).toBe(true)
    expect(change("UPDATE message SET data = data || ' ' WHERE id = 'msg_1'")).toBe(true)
    expect(change("UPDATE part SET time_updated = 9, data = replace(data, 'Yes', 'Yet')")).toBe(true)
    expect(change('DELETE FROM part WHERE id = (SELECT max(id) FROM part)')).toBe(true)
  })
})

describe('a database of a newer build', () => {
  const time = { created: 1_700_000_000_000 }
  const model = { id: 'gpt-5.4', providerID: 'openai' }
  const tool = (id: string, state: object) => ({
    type: 'tool',
    id,
    name: 'read',
    state,
    time: { completed: 1_700_000_000_009 },
  })
  const tokens = { input: 10, output: 5, reasoning: 2, cache: { read: 80, write: 4 } }
  const newer = (...messages: [type: string, data: object | string][]) => {
    const path = write(rowsOf({ ...lamp, messages: [] }))
    const create = `CREATE TABLE session_message (id text, session_id text, type text, seq integer,
      time_created integer, time_updated integer, data text)`
    const rows = messages.map(([type, data], seq) => ({
      ...{ id: `msg_${seq}`, session_id: 'ses_1', type, seq, time_created: 5, time_updated: 5 },
      data: typeof data === 'string' ? data : JSON.stringify(data),
    }))
    writeDatabase(path, { statements: [create], rows: { session_message: rows } })
    return path
  }

  it('has each message in a row of its own, with what the program adds to a prompt', async () => {
    const data = Buffer.from('a lamp').toString('base64')
    const path = newer(
      ['model-switched', { model, time }],
      [
        'user',
        {
          text: 'Is it on?',
          time,
          files: [
            { mime: 'text/plain', name: 'a.md', data },
            { mime: 'image/png', data: 'AA' },
          ],
        },
      ],
      [
        'assistant',
        {
          model,
          time,
          tokens,
          cost: 0.5,
          content: [
            { type: 'reasoning', text: 'I look.' },
            tool('call_1', {
              status: 'completed',
              input: { a: 1 },
              content: [
                { type: 'text', text: 'It' },
                { type: 'text', text: 'is.' },
              ],
            }),
            tool('call_2', {
              status: 'error',
              input: {},
              content: [],
              error: { type: 'unknown', message: 'No such lamp.' },
            }),
          ],
        },
      ],
      ['shell', { command: 'lamp', output: { output: 'on' }, time }],
      ['synthetic', { text: 'Go on.', time }],
    )
    const read = await readSession(path, 'ses_1')
    expect(outlines(read)).toEqual([
      '2 ?user: Is it on? | <image 1>',
      '2 +injected: Attached file: a.md',
      '3 assistant: (I look.) | read#call_1 | read#call_2',
      '3 tool#call_1: It',
      '3 !tool#call_2: No such lamp.',
      '4 injected: Shell command: lamp',
      '5 injected: Go on.',
    ])
    expect(read.findings).toEqual([])
    expect(billOf(read)).toMatchObject({ input: 94, cacheRead: 80, cacheWrite: 4, output: 7, cost: 0.5 })
  })

  it('remembers a compaction that came to its end, and names what is torn or unknown', async () => {
    const path = newer(
      ['user', { text: 'Is it on?', time }],
      ['assistant', { model, time, tokens, content: [{ type: 'text', text: 'Yes.' }] }],
      ['compaction', { status: 'running', summary: '', recent: '', time }],
      ['compaction', { status: 'completed', summary: 'A lamp.', recent: 'It is on.', time }],
      ['user', '{"text": "And no'],
      ['riddle', { time }],
      ['user', { text: 'Off.', time }],
    )
    const read = await readSession(path, 'ses_1')
    expect(outlines(read)).toEqual(['2 ?user: Is it on?', '3 assistant: Yes.', '8 ?user: Off.'])
    const [compaction] = read.traces[0]!.compactions
    expect(compaction).toMatchObject({ at: 2, keptFrom: 2 })
    expect(compaction!.summary.map(({ blocks }) => blocks)).toEqual([
      [{ type: 'text', text: 'What did we do so far?' }],
      [{ type: 'text', text: 'A lamp.\n\nIt is on.' }],
    ])
    expect(read.findings).toEqual(['not-json@6', 'bad-record@7'])
  })
})

const corpus = join(import.meta.dirname, '../../../../shared/corpus/_fixtures/opencode-sqlite')

it.skipIf(!existsSync(corpus))('counts the tokens of recorded sessions as their rows do', async () => {
  const path = join(corpus, 'WildChildForLife__lantern/opencode.db')
  const rows = [...openDatabase(path, path).rows('SELECT * FROM session')]
  expect(rows.length).toBeGreaterThan(0)
  for (const row of rows) {
    const { input, cacheRead, cacheWrite, output } = billOf(await readSession(path, String(row.id)))
    expect([input - cacheRead - cacheWrite, cacheRead, cacheWrite, output]).toEqual([
      row.tokens_input,
      row.tokens_cache_read,
      row.tokens_cache_write,
      Number(row.tokens_output) + Number(row.tokens_reasoning),
    ])
  }
})
