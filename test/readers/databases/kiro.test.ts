import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { sessionsIn } from '../../../src/readers/databases/index.ts'
import { exchangesOf, fixtureText, messagesOf, outlines, readFixture, readRecords } from '../reading.ts'
import { billOf, readSession, sessionOf } from './sessions.ts'
import { writeDatabase } from './writing.ts'

const top = mkdtempSync(join(tmpdir(), 'ctxwin-kiro-'))
afterAll(() => rmSync(top, { recursive: true }))

const statement = `CREATE TABLE conversations_v2 (key TEXT, conversation_id TEXT, value TEXT, created_at INTEGER,
  updated_at INTEGER, PRIMARY KEY (key, conversation_id))`
const { cwd: _, conversation_id, ...value } = JSON.parse(fixtureText('kiro-cli', 'conversation.json'))
const row = (key: string, history: unknown, updated_at: number, id = conversation_id) => ({
  key,
  conversation_id: id,
  value: JSON.stringify({ ...value, history }),
  created_at: 1_779_012_000_000,
  updated_at,
})

describe('kiro-cli', () => {
  it('reads turns with their context, and results and prompts that stand in one', async () => {
    const read = await readFixture('kiro-cli', 'conversation.json')
    expect(outlines(read)).toEqual([
      '1 injected: The hall was dark before.',
      '1 injected: The plan says: on at six.',
      '1 ?user: Is the lamp on? | <image 5>',
      '1 assistant: I look at it. | execute_bash#c1 | fs_read#c2',
      '2 tool#c1: {"stdout":"on"}',
      '2 +!tool#c2: It was denied to you.',
      '2 assistant: fs_write#c3',
      '3 !tool#c3: It was cancelled by the user.',
      '3 +?user: Leave it as it is.',
      '3 assistant: The lamp is on.',
    ])
    expect(exchangesOf(read)).toEqual(['1 interrupted', '3 complete'])
    expect(read.findings).toEqual([])
    expect(read.traces[0]!.head).toMatchObject({
      conversation: conversation_id,
      cwd: '/home/ada/lamp',
      provider: 'anthropic',
    })
    expect(billOf(read)).toEqual({ input: 0, cacheRead: 0, cacheWrite: 0, output: 0, cost: 0 })
    expect(messagesOf(read).at(-1)!.time).toBe(1_779_012_070_000)
  })

  it('says which key of a turn is missing', async () => {
    const renamed = structuredClone({ ...value, conversation_id })
    renamed.history[2].assistant.Response = { text: 'The lamp is on.' }
    const { report } = await readRecords([renamed], 'kiro-cli')
    expect(report.problems).toMatchObject([{ code: 'bad-shape', line: 3, detail: 'assistant.Response.content' }])
  })
})

describe("a database of Kiro's CLI", () => {
  it('has the newest row of a conversation that several directories have', async () => {
    const path = join(top, 'data.sqlite3')
    const rows = [
      row('/lamp', value.history, 1_779_012_090_000),
      row('/hall', value.history.slice(0, 1), 1_779_012_080_000),
      row('/hall', value.history.slice(0, 1), 1_779_012_070_000, 'other'),
    ]
    writeDatabase(path, { statements: [statement], rows: { conversations_v2: rows } })
    const read = await readSession(path, conversation_id)
    expect(outlines(read)).toEqual(outlines(await readFixture('kiro-cli', 'conversation.json')))
    expect(read.traces[0]!.head).toMatchObject({ format: 'kiro-cli', conversation: conversation_id, cwd: '/lamp' })
    const found = sessionsIn(path).map(({ id, modified }) => [id, modified])
    expect(found.toSorted()).toEqual([
      [conversation_id, 1_779_012_090_000],
      ['other', 1_779_012_070_000],
    ])
    const stamps = () => [conversation_id, 'other'].map((id) => sessionOf(path, id).source.session!.stamp())
    const [one, other] = stamps()
    writeDatabase(path, { statements: ["UPDATE conversations_v2 SET updated_at = updated_at + 1 WHERE key = '/lamp'"] })
    expect(stamps()[0]).not.toBe(one)
    expect(stamps()[1]).toBe(other)
  })

  it('is named in a version without a column', () => {
    const path = join(top, 'older.sqlite3')
    writeDatabase(path, { statements: [statement.replace('updated_at INTEGER,', '')] })
    const line = 'it is a database of Kiro CLI in a form that is not read: there is no conversations_v2.updated_at'
    expect(() => sessionsIn(path)).toThrow(line)
  })
})
