import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { discover } from '../../../src/cli/inputs/places.ts'
import { sessionsIn } from '../../../src/readers/databases/index.ts'
import { fixtureText, linesOf, outlines, readFixture, readRecords } from '../reading.ts'
import { billOf, readSession, sessionOf } from './sessions.ts'
import { writeDatabase } from './writing.ts'

const top = mkdtempSync(join(tmpdir(), 'ctxwin-crush-'))
afterAll(() => rmSync(top, { recursive: true }))

/** By version: as it began, and with what its migrations added. */
const versions = {
  first: [
    `CREATE TABLE sessions (id TEXT PRIMARY KEY, parent_session_id TEXT, title TEXT, message_count INTEGER,
      prompt_tokens INTEGER, completion_tokens INTEGER, cost REAL, updated_at INTEGER, created_at INTEGER)`,
    `CREATE TABLE messages (id TEXT PRIMARY KEY, session_id TEXT, role TEXT, parts TEXT, model TEXT,
      created_at INTEGER, updated_at INTEGER, finished_at INTEGER)`,
  ],
  now: [
    `CREATE TABLE sessions (id TEXT PRIMARY KEY, parent_session_id TEXT, title TEXT, message_count INTEGER,
      prompt_tokens INTEGER, completion_tokens INTEGER, cost REAL, updated_at INTEGER, created_at INTEGER,
      summary_message_id TEXT, todos TEXT)`,
    `CREATE TABLE messages (id TEXT PRIMARY KEY, session_id TEXT, role TEXT, parts TEXT, model TEXT,
      created_at INTEGER, updated_at INTEGER, finished_at INTEGER, provider TEXT,
      is_summary_message INTEGER DEFAULT 0 NOT NULL)`,
  ],
}

type Row = Record<string, string | number | null>

let number = 0
function write(rows: Record<string, Row[]>, version: keyof typeof versions = 'now'): string {
  const directory = join(top, `${number++}`, '.crush')
  mkdirSync(directory, { recursive: true })
  writeDatabase(join(directory, 'crush.db'), { statements: versions[version], rows })
  return join(directory, 'crush.db')
}

const session = (id: string, more: Row = {}): Row => ({
  id,
  title: 'A lamp',
  message_count: 2,
  prompt_tokens: 30,
  completion_tokens: 4,
  cost: 0.5,
  updated_at: 1_770_000_100,
  created_at: 1_770_000_000,
  ...more,
})
const message = (id: string, role: string, parts: unknown[], more: Row = {}): Row => ({
  id,
  session_id: 's',
  role,
  parts: JSON.stringify(parts),
  model: role === 'assistant' ? 'claude-sonnet-4-5' : '',
  created_at: 1_770_000_000,
  ...more,
})
const text = (words: string) => ({ type: 'text', data: { text: words } })

describe('crush', () => {
  it('reads messages, and begins the window anew with a summary that was finished', async () => {
    const read = await readFixture('crush', 'session.jsonl')
    expect(outlines(read)).toEqual([
      "2 ?user: Is the lamp on? See the plan. | <file path='plan.txt'> | <image 5>",
      '3 assistant: (I look at the switch first.) | I look at it. | bash#c1 | view#c2 | view#c3',
      '4 tool#c1: The lamp is on.',
      '4 +!tool#c2: permission denied',
      '4 +tool#c3: <image 6>',
      '5 assistant: It is on.',
      '6 ?user: $ lamp watts',
      '9 ?user: Dim it.',
      '10 assistant: Dimmed. | {"type":"hologram","data":{"shap',
    ])
    expect(read.findings).toEqual([])
    expect(read.report.noContext).toBe(1)
    const [trace] = read.traces
    expect(trace!.head).toMatchObject({
      conversation: 'b2c1-lamp',
      cwd: '/home/ada/lamp',
      model: 'claude-sonnet-4-5',
      provider: 'anthropic',
      cost: 0.0325,
    })
    expect(trace!.compactions).toMatchObject([{ at: 7, keptFrom: 7, line: 8 }])
    const usage = { input: 900, cacheRead: 0, cacheWrite: 0, cacheWrite1h: 0, output: 40 }
    expect([0, 1, 2].map((request) => trace!.usage(request))).toEqual([null, null, usage])
  })

  it('says which key of a part is missing', async () => {
    const [head, ...messages] = linesOf(fixtureText('crush', 'session.jsonl'))
    const renamed = structuredClone(messages)
    renamed[1].parts[2].data.arguments = renamed[1].parts[2].data.input
    delete renamed[1].parts[2].data.input
    const { report } = await readRecords([head, ...renamed], 'crush')
    expect(report.problems).toMatchObject([{ code: 'bad-shape', line: 3, detail: 'parts[].data.input' }])
  })
})

describe('a database of Crush', () => {
  const rows = {
    sessions: [session('s'), session('m1$$c1', { parent_session_id: 's', cost: 0.2 })],
    messages: [
      message('m1', 'user', [text('Hi')]),
      // Of the same second: in the order in which they were written.
      message('m0', 'assistant', [text('Yes')]),
      message('m2', 'user', [text('Of another session')], { session_id: 'm1$$c1' }),
    ],
  }

  it.each(['first', 'now'] as const)('is read as its version %s has it', async (version) => {
    const path = write(rows, version)
    const read = await readSession(path, 's')
    expect(outlines(read)).toEqual(['2 ?user: Hi', '3 assistant: Yes'])
    expect(read.findings).toEqual([])
    expect(billOf(read)).toEqual({ input: 30, cacheRead: 0, cacheWrite: 0, output: 4, cost: 0 })
    expect(read.traces[0]!.head).toMatchObject({ format: 'crush', cwd: join(path, '../..'), cost: 0.5 })
    expect(read.traces[0]!.messages!.map(({ time }) => time)).toEqual([1_770_000_000_000, 1_770_000_000_000])
    const found = sessionsIn(path).map(({ id, parent, modified }) => [id, parent, modified])
    expect(found.toSorted()).toEqual([
      ['m1$$c1', 's', 1_770_000_100_000],
      ['s', null, 1_770_000_100_000],
    ])
    expect((await readSession(path, 'm1$$c1')).traces[0]!.head).toMatchObject({ conversation: 'm1$$c1', parent: 's' })
  })

  it('tells when anything of a session has changed', () => {
    const path = write(rows)
    const stamps = () => [
      sessionOf(path, 's').source.session!.stamp(),
      sessionOf(path, 'm1$$c1').source.session!.stamp(),
    ]
    const [own, other] = stamps()
    writeDatabase(path, { rows: { messages: [message('m3', 'user', [text('Dim it.')])] } })
    expect(stamps()[0]).not.toBe(own)
    expect(stamps()[1]).toBe(other)
    const grown = stamps()[0]
    writeDatabase(path, { statements: ["UPDATE sessions SET cost = 0.51 WHERE id = 's'"] })
    expect(stamps()[0]).not.toBe(grown)
  })

  it('is named where a column is missing, and is no database of another program', () => {
    const path = join(top, 'future.db')
    writeDatabase(path, { statements: versions.now.map((one) => one.replace(' parts TEXT,', ' pieces TEXT,')) })
    const line = 'it is a database of Crush in a form that is not read: there is no messages.parts'
    expect(() => sessionsIn(path)).toThrow(line)
    const foreign = join(top, 'foreign.db')
    writeDatabase(foreign, {
      statements: ['CREATE TABLE sessions (id TEXT, cost REAL)', 'CREATE TABLE messages (id TEXT, role TEXT)'],
    })
    expect(() => sessionsIn(foreign)).toThrow('it is an SQLite database of no program that is known here')
  })

  it('is found in the working directory, and in the projects that it lists', () => {
    const [here, listed, elsewhere, remote] = [write(rows), write(rows), write(rows), write(rows)]
    const home = mkdtempSync(join(top, 'home-'))
    mkdirSync(join(home, '.local/share/crush'), { recursive: true })
    const projects = [
      { path: join(listed, '../..'), data_dir: '.crush' },
      { path: join(here, '../..'), data_dir: join(elsewhere, '..') },
      { path: `/${join(remote, '../..')}` },
      { path: join(listed, '../..'), data_dir: `/${join(remote, '..')}` },
      { path: 'relative' },
      'nonsense',
    ]
    const list = join(home, '.local/share/crush/projects.json')
    const found = () => {
      const { found } = discover({ env: { HOME: home }, cwd: () => join(here, '../..') })
      return [...new Set(found.map(({ source }) => source!.path))].toSorted()
    }
    expect(found()).toEqual([here])
    writeFileSync(list, JSON.stringify({ projects }))
    expect(found()).toEqual([here, listed, elsewhere].toSorted())
    writeFileSync(list, JSON.stringify({ projects: { one: projects[0] } }))
    expect(found()).toEqual([here, listed].toSorted())
    writeFileSync(list, '{"projects":')
    expect(found()).toEqual([here])
  })
})
