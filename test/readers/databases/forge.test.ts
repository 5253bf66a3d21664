import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { sessionsIn } from '../../../src/readers/databases/index.ts'
import { fixtureText, outlines, readFixture } from '../reading.ts'
import { billOf, readSession, sessionOf } from './sessions.ts'
import { writeDatabase } from './writing.ts'

const top = mkdtempSync(join(tmpdir(), 'ctxwin-forge-'))
afterAll(() => rmSync(top, { recursive: true }))

const statements = [
  `CREATE TABLE conversations (conversation_id TEXT PRIMARY KEY, title TEXT, workspace_id BIGINT, context TEXT,
    created_at TIMESTAMP, updated_at TIMESTAMP, metrics TEXT)`,
]

describe('a database of Forge', () => {
  const { conversation } = JSON.parse(fixtureText('forge', 'dump.json'))
  const row = (id: string, context: unknown, updated: string | null) => ({
    conversation_id: id,
    workspace_id: 1,
    context: context === null ? null : JSON.stringify(context),
    created_at: '2026-11-20 10:00:00',
    updated_at: updated,
  })
  const path = join(top, 'forge.db')
  writeDatabase(path, {
    statements,
    rows: {
      conversations: [
        row(conversation.id, conversation.context, '2026-11-20 11:00:00'),
        row('b', conversation.context, null),
        row('empty', null, null),
      ],
    },
  })

  it('holds what a dump does', async () => {
    const read = await readSession(path, conversation.id)
    const other = await readFixture('forge', 'dump.json')
    expect(outlines(read).map((line) => line.replace(/^\d+/, ''))).toEqual(
      outlines(other).map((line) => line.replace(/^\d+/, '')),
    )
    // The dump has a conversation beside it.
    expect(billOf(read)).toEqual(billOf({ ...other, traces: other.traces.slice(0, 1) }))
    expect(read.traces[0]!.head).toMatchObject({ format: 'forge', conversation: conversation.id })
  })

  it('has a session for each conversation that was begun', () => {
    const found = sessionsIn(path).map(({ id, modified }) => [id, modified])
    expect(found).toEqual([
      [conversation.id, Date.UTC(2026, 10, 20, 11)],
      ['b', Date.UTC(2026, 10, 20, 10)],
    ])
    const stamp = () => sessionOf(path, 'b').source.session!.stamp()
    const before = stamp()
    writeDatabase(path, {
      statements: ["UPDATE conversations SET context = context || ' ' WHERE conversation_id = 'b'"],
    })
    expect(stamp()).not.toBe(before)
  })
})

describe('a database that is known and not read', () => {
  it.each([
    ["Copilot's CLI", 'assistant_usage_events'],
    ['Cursor', 'cursorDiskKV'],
    ['Warp', 'ai_queries'],
    ['Z Code', 'model_usage'],
  ])('is named: %s', (program, table) => {
    const other = join(top, `${table}.db`)
    writeDatabase(other, { statements: [`CREATE TABLE ${table} (key TEXT, value TEXT)`] })
    expect(() => sessionsIn(other)).toThrow(`the database of ${program} is not read: `)
  })
})
