import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { sessionsIn } from '../../../src/readers/databases/index.ts'
import { exchangesOf, fixtureText, linesOf, outlines, readFixture, readRecords } from '../reading.ts'
import { billOf, readSession, sessionOf } from './sessions.ts'
import { writeDatabase } from './writing.ts'

const top = mkdtempSync(join(tmpdir(), 'ctxwin-zed-'))
afterAll(() => rmSync(top, { recursive: true }))

const versions = {
  first: ['CREATE TABLE threads (id TEXT PRIMARY KEY, summary TEXT, updated_at TEXT, data_type TEXT, data BLOB)'],
  now: [
    `CREATE TABLE threads (id TEXT PRIMARY KEY, summary TEXT, updated_at TEXT, data_type TEXT, data BLOB,
      parent_id TEXT, folder_paths TEXT, folder_paths_order TEXT, created_at TEXT)`,
  ],
}

let number = 0
function write(threads: Record<string, string | null | Uint8Array>[], version: keyof typeof versions = 'now'): string {
  const path = join(top, `${number++}.db`)
  writeDatabase(path, { statements: versions[version], rows: { threads } })
  return path
}

const [head, thread] = linesOf(fixtureText('zed', 'thread.jsonl'))
const document = JSON.stringify(thread)
const row = (id: string, more: Record<string, string | null | Uint8Array> = {}) => ({
  id,
  summary: 'A lamp',
  updated_at: '2026-06-08T09:14:10.475149Z',
  data_type: 'json',
  data: Buffer.from(document),
  ...more,
})

const usage = (fresh: number, cacheRead: number, cacheWrite: number, output: number) => ({
  input: fresh + cacheRead + cacheWrite,
  cacheRead,
  cacheWrite,
  cacheWrite1h: 0,
  output,
})

/**
 * A frame of Zstandard (RFC 8878, 3.1) of three blocks: one as it is, one that repeats a byte, and one as it is. Node 20 packs none.
 */
function packed(text: string): Buffer {
  const bytes = Buffer.from(text.replace('        ', ''))
  const at = text.indexOf('        ')
  const block = (size: number, type: number, isLast: boolean) => {
    const bytes = Buffer.alloc(3)
    bytes.writeUIntLE((size << 3) | (type << 1) | Number(isLast), 0, 3)
    return bytes
  }
  const size = Buffer.alloc(4)
  size.writeUInt32LE(Buffer.byteLength(text))
  const [one, two] = [bytes.subarray(0, at), bytes.subarray(at)]
  return Buffer.concat([
    Buffer.from([0x28, 0xb5, 0x2f, 0xfd, 0xa0]),
    size,
    block(one.length, 0, false),
    one,
    block(8, 1, false),
    Buffer.from(' '),
    block(two.length, 0, true),
    two,
  ])
}

describe('zed', () => {
  it('reads responses with their results, and the usage of the last request behind each prompt', async () => {
    const read = await readFixture('zed', 'thread.jsonl')
    expect(outlines(read)).toEqual([
      '1 ?user: Is the lamp on? | On at six, says the plan. | <image 5>',
      '2 assistant: (I look at the switch first.) | I look at it. | terminal#c1 | read_file#c2',
      '2 tool#c1: The lamp is on.',
      '2 +!tool#c2: It was denied to you.',
      '3 assistant: <opaque 8> | It is on.',
      '4 injected: Continue where you left off',
      '5 assistant: It still is.',
      '7 ?user: Dim it.',
      '8 assistant: Dimmed.',
    ])
    expect(exchangesOf(read)).toEqual(['1 complete', '7 complete'])
    expect(read.findings).toEqual(['unknown-record@9'])
    const [trace] = read.traces
    expect(trace!.head).toMatchObject({
      conversation: '10431c84-lamp',
      cwd: '/home/ada/lamp',
      model: 'claude-sonnet-4-5',
      provider: 'anthropic',
    })
    expect(trace!.compactions).toMatchObject([{ at: 7, keptFrom: 7, line: 6 }])
    const usages = [0, 1, 2, 3].map((request) => trace!.usage(request))
    expect(usages).toEqual([null, null, usage(100, 900, 40, 7), usage(60, 0, 0, 3)])
    // What is left of the whole: of two requests.
    expect(trace!.sideCalls).toMatchObject([{ kind: 'summed', calls: 2, usage: usage(340, 1000, 100, 20) }])
    expect(billOf(read)).toMatchObject({ input: 500 + 140 + 1900, cacheRead: 1900, cacheWrite: 140, output: 30 })
  })

  it('says which key of a message is missing', async () => {
    const renamed = structuredClone(thread)
    renamed.messages[1].Agent.content[2].ToolUse = { id: 'c1', tool: 'terminal', input: {} }
    const { report } = await readRecords([head, renamed], 'zed')
    const [problem] = report.problems.filter(({ code }) => code === 'bad-shape')
    expect(problem).toMatchObject({ line: 2, detail: 'Agent.content[].ToolUse.name' })
  })
})

describe('a database of Zed', () => {
  it('is read as its first version has it', async () => {
    const path = write([row('t')], 'first')
    const read = await readSession(path, 't')
    expect(outlines(read)).toEqual(outlines(await readFixture('zed', 'thread.jsonl')))
    expect(read.traces[0]!.head).toMatchObject({ format: 'zed', conversation: 't', cwd: null, parent: null })
  })

  it('is read where its threads are packed', async () => {
    const spaced = document.replace('{', '{        ')
    const path = write([
      row('t', { data_type: 'zstd', data: packed(spaced), folder_paths: '/lamp' }),
      row('sub', { data_type: 'zstd', data: packed(spaced), parent_id: 't' }),
    ])
    const read = await readSession(path, 't')
    expect(outlines(read)).toEqual(outlines(await readFixture('zed', 'thread.jsonl')))
    expect(read.traces[0]!.head).toMatchObject({ conversation: 't', cwd: '/lamp', parent: null })
    expect((await readSession(path, 'sub')).traces[0]!.head).toMatchObject({ conversation: 'sub', parent: 't' })
    const found = sessionsIn(path).map(({ id, parent, modified }) => [id, parent, modified])
    const modified = Date.UTC(2026, 5, 8, 9, 14, 10, 475)
    expect(found.toSorted()).toEqual([
      ['sub', 't', modified],
      ['t', null, modified],
    ])
  })

  it('is named as damaged where a thread is', async () => {
    const data = packed(document.replace('{', '{        '))
    const torn = await readSession(write([row('t', { data_type: 'zstd', data: data.subarray(0, -40) })]), 't')
    expect(torn.findings).toEqual(['torn-line@2', 'torn-compression@2'])
    const foreign = await readSession(write([row('t', { data_type: 'zstd', data: Buffer.from('nothing') })]), 't')
    expect(foreign.findings).toEqual(['torn-compression@1'])
  })

  it('tells when a thread has changed, and is named where a column is missing', () => {
    const path = write([row('t'), row('u')])
    const stamp = () => sessionOf(path, 't').source.session!.stamp()
    const before = stamp()
    writeDatabase(path, { statements: ["UPDATE threads SET summary = 'other' WHERE id = 'u'"] })
    expect(stamp()).toBe(before)
    writeDatabase(path, { statements: ["UPDATE threads SET data = data || ' ' WHERE id = 't'"] })
    expect(stamp()).not.toBe(before)
    const future = join(top, 'future.db')
    writeDatabase(future, { statements: versions.now.map((one) => one.replace('data_type TEXT', 'form TEXT')) })
    const line = 'it is a database of Zed in a form that is not read: there is no threads.data_type'
    expect(() => sessionsIn(future)).toThrow(line)
  })
})
