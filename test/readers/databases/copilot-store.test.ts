import { mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { areUnchanged, Watched } from '../../../src/cache/watch.ts'
import type { Trace } from '../../../src/model/trace.ts'
import { openFile } from '../../../src/readers/lines/source.ts'
import { lines, readSource } from '../reading.ts'
import { billOf } from './sessions.ts'
import { writeDatabase } from './writing.ts'

const top = mkdtempSync(join(tmpdir(), 'ctxwin-copilot-'))
afterAll(() => rmSync(top, { recursive: true }))

/** By version: the first, and with what came with later ones. */
const versions = {
  first: `session_id TEXT, model TEXT, input_tokens INTEGER, output_tokens INTEGER, cache_read_tokens INTEGER,
    cache_write_tokens INTEGER, reasoning_tokens INTEGER, created_at TEXT`,
  now: `session_id TEXT, model TEXT, input_tokens INTEGER, output_tokens INTEGER, cache_read_tokens INTEGER,
    cache_write_tokens INTEGER, reasoning_tokens INTEGER, created_at TEXT, total_nano_aiu INTEGER,
    request_multiplier REAL, initiator TEXT`,
}

type Row = Record<string, string | number | null>

const row = (input: number, output: number | null, second: number, more: Row = {}): Row => ({
  session_id: 's',
  model: 'claude-sonnet-4.6',
  input_tokens: input,
  output_tokens: output,
  cache_read_tokens: input / 2,
  cache_write_tokens: input / 4,
  created_at: `2026-11-20 10:00:0${second}`,
  ...more,
})

let number = 0
const event = (type: string, data: object, second = 0) => ({
  type,
  data,
  id: `e${number++}`,
  timestamp: `2026-11-20T10:00:0${second}.500Z`,
})
const said = (content: string) => event('user.message', { content, transformedContent: content })
const answered = (content: string, outputTokens: number, second: number) =>
  event('assistant.message', { content, toolRequests: [], outputTokens, model: 'claude-sonnet-4.6' }, second)
const shutdown = (count: number, inputTokens: number, outputTokens: number, second: number) =>
  event(
    'session.shutdown',
    {
      sessionStartTime: 1,
      modelMetrics: {
        'claude-sonnet-4.6': {
          requests: { count },
          usage: { inputTokens, outputTokens, cacheReadTokens: inputTokens / 2, cacheWriteTokens: inputTokens / 4 },
        },
      },
    },
    second,
  )

/** A session of Copilot, with the store beside the directory of all of them. */
function write(events: object[], rows: Row[] | null, version: keyof typeof versions = 'now'): string {
  const home = mkdtempSync(join(top, 'home-'))
  const file = join(home, 'session-state/s/events.jsonl')
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, lines([event('session.start', { sessionId: 's' }), ...events]))
  const statements = [`CREATE TABLE assistant_usage_events (id INTEGER PRIMARY KEY, ${versions[version]})`]
  if (rows) writeDatabase(storeOf(file), { statements, rows: { assistant_usage_events: rows } })
  return file
}
const storeOf = (file: string) => join(dirname(file), '../../session-store.db')

const read = (file: string) => readSource(openFile(file))
const usages = (trace: Trace) => Array.from({ length: trace.requests }, (_, request) => trace.usage(request))
const usage = (input: number, output: number) => ({
  input,
  cacheRead: input / 2,
  cacheWrite: input / 4,
  cacheWrite1h: 0,
  output,
})

const talk = [said('Hi'), answered('One', 3, 2), said('And?'), answered('Two', 4, 4)]

describe("the store of Copilot's CLI", () => {
  it.each(['first', 'now'] as const)(
    'gives each response its row, as version %s has it, without the sum',
    async (version) => {
      const rows = [row(80, 4, 3), row(40, 3, 1)]
      const file = write([...talk, shutdown(2, 120, 7, 5)], rows, version)
      const { traces, findings } = await read(file)
      expect(findings).toEqual([])
      // Told apart by what they wrote: in the order of the responses it is the second row first.
      expect(usages(traces[0]!)).toEqual([usage(40, 3), usage(80, 4)])
      expect(traces[0]!.sideCalls).toEqual([])
    },
  )

  it('leaves the sums where there is no store, no such table, or no row of the session', async () => {
    const summed = [{ kind: 'summed', calls: 2, usage: usage(120, 7) }]
    const events = [...talk, shutdown(2, 120, 7, 5)]
    const older = write(events, null)
    writeDatabase(storeOf(older), { statements: ['CREATE TABLE sessions (id TEXT, cwd TEXT)'] })
    const torn = write(events, null)
    writeFileSync(storeOf(torn), `SQLite format 3\0${'lamp'.repeat(200)}`)
    const others = write(events, [row(40, 3, 1, { session_id: 'other' })])
    for (const file of [write(events, null), older, torn, others]) {
      const { traces } = await read(file)
      expect(usages(traces[0]!)).toEqual([null, null])
      expect(traces[0]!.sideCalls).toMatchObject(summed)
    }
  })

  it('takes what its rows have out of sums that go on, whoever asked', async () => {
    const rows = [row(40, 3, 1), row(16, 1, 2, { initiator: 'agent' }), row(80, 4, 6), row(8, 1, 7)]
    const file = write(
      [
        ...talk.slice(0, 2),
        // Two requests, and one from before the store.
        shutdown(3, 100, 9, 3),
        event('session.resume', {}, 4),
        ...talk.slice(2),
        shutdown(5, 188, 14, 8),
      ],
      rows,
    )
    const read_ = await read(file)
    const [trace] = read_.traces
    expect(usages(trace!)).toEqual([usage(40, 3), usage(80, 4)])
    expect(trace!.sideCalls.map(({ kind, calls = 1, usage }) => [kind, calls, usage])).toEqual([
      ['summed', 1, usage(44, 5)],
      ['aside', 1, usage(16, 1)],
      ['aside', 1, usage(8, 1)],
    ])
    expect(billOf(read_)).toMatchObject({ input: 188, output: 14 })
  })

  it('bills a compaction once: as its row says, which the sums do not have', async () => {
    const compaction = event(
      'session.compaction_complete',
      {
        success: true,
        summaryContent: 'The lamp is on.',
        compactionTokensUsed: { inputTokens: 400, outputTokens: 20 },
      },
      3,
    )
    const rows = [row(40, 3, 1), row(400, 20, 3, { initiator: 'compaction' }), row(80, 4, 4)]
    const other = row(240, 12, 5, { initiator: 'compaction' })
    const file = write([...talk.slice(0, 2), compaction, ...talk.slice(2), shutdown(2, 120, 7, 6)], [...rows, other])
    const { traces } = await read(file)
    expect(traces[0]!.compactions).toHaveLength(1)
    expect(traces[0]!.sideCalls.map(({ kind, usage }) => [kind, usage])).toEqual([
      ['summary', usage(400, 20)],
      ['summary', usage(240, 12)],
    ])
  })

  it('keeps what was read as long as the rows of the session are the same', async () => {
    const file = write([...talk, shutdown(2, 120, 7, 5)], [row(40, 3, 1)])
    utimesSync(file, 1_770_000_000, 1_770_000_000)
    const source = openFile(file)
    // Long after the file was written.
    const watched = new Watched(source, Date.now() + 60_000)
    await readSource(watched.source)
    const stamps = watched.stamps()!
    expect(areUnchanged(stamps, source)).toBe(true)
    const add = (one: Row) => writeDatabase(storeOf(file), { rows: { assistant_usage_events: [one] } })
    add(row(9, 1, 1, { session_id: 'other' }))
    expect(areUnchanged(stamps, source)).toBe(true)
    add(row(80, 4, 3))
    expect(areUnchanged(stamps, source)).toBe(false)
    rmSync(storeOf(file))
    expect(areUnchanged(stamps, source)).toBe(false)
  })
})
