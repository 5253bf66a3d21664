/** What Codex was billed: by running counts, by records of their own, and only once where a fork copies its parent. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { billOf } from '../databases/sessions.ts'
import { countOf, readRecords } from '../reading.ts'

const start = Date.UTC(2026, 10, 20, 10)

interface Counted {
  readonly input: number
  readonly cacheRead: number
  readonly cacheWrite: number
  readonly output: number
}

const counts = (one: Counted) => ({
  input_tokens: one.input,
  cached_input_tokens: one.cacheRead,
  cache_write_input_tokens: one.cacheWrite,
  output_tokens: one.output,
})

/** Writes the lines of a rollout, a second apart. */
class Writer {
  readonly lines: Record<string, unknown>[] = []
  #time = start
  #number = 0
  #total: Counted = { input: 0, cacheRead: 0, cacheWrite: 0, output: 0 }

  at(time: number): this {
    this.#time = time
    return this
  }

  line(type: string, payload: object): this {
    this.#time += 1000
    this.lines.push({
      timestamp: new Date(this.#time).toISOString(),
      ordinal: this.lines.length,
      type,
      payload,
    })
    return this
  }

  head(id: string, more: object = {}): this {
    return this.line('session_meta', { id, cwd: '/lamp', cli_version: '0.160.0', ...more })
  }

  user(text: string): this {
    return this.line('response_item', { type: 'message', role: 'user', content: [{ type: 'input_text', text }] })
  }

  said(): this {
    return this.line('response_item', {
      type: 'message',
      role: 'assistant',
      content: [{ type: 'output_text', text: 'Yes.' }],
    })
  }

  /** @param by as which of both kinds of record */
  counted(one: Counted, by: readonly ('count' | 'record')[]): this {
    const total = this.#total
    this.#total = {
      input: total.input + one.input,
      cacheRead: total.cacheRead + one.cacheRead,
      cacheWrite: total.cacheWrite + one.cacheWrite,
      output: total.output + one.output,
    }
    const id = `resp_${this.#number++}`
    for (const kind of by) {
      if (kind === 'count') {
        const info = { last_token_usage: counts(one), total_token_usage: counts(this.#total) }
        // The screen's limits are refreshed: the same count again.
        for (let time = 0; time < 2; time++) this.line('event_msg', { type: 'token_count', info })
      } else this.line('token_usage_record', { response_id: id, usage: counts(one) })
    }
    return this
  }
}

const counted: fc.Arbitrary<Counted> = fc
  .tuple(fc.nat(1000), fc.nat(1000), fc.integer({ min: 1, max: 1000 }), fc.integer({ min: 1, max: 500 }))
  .map(([cacheRead, cacheWrite, fresh, output]) => ({
    input: cacheRead + cacheWrite + fresh,
    cacheRead,
    cacheWrite,
    output,
  }))

const sumOf = (all: readonly Counted[]) => ({
  input: all.reduce((sum, { input }) => sum + input, 0),
  cacheRead: all.reduce((sum, { cacheRead }) => sum + cacheRead, 0),
  cacheWrite: all.reduce((sum, { cacheWrite }) => sum + cacheWrite, 0),
  output: all.reduce((sum, { output }) => sum + output, 0),
})

describe('the bill of Codex', () => {
  it.each([[['count']], [['record']], [['count', 'record']], [['record', 'count']]] as const)(
    'has each response once, told by %j',
    async (by) => {
      const responses = fc.array(fc.tuple(counted, fc.boolean()), { minLength: 1, maxLength: 8 })
      await fc.assert(
        fc.asyncProperty(responses, async (all) => {
          const writer = new Writer().head('a').user('Go.')
          // A response that was broken off, or of a compaction, leaves no item.
          for (const [one, hasItem] of all) (hasItem ? writer.said() : writer).counted(one, by)
          const read = await readRecords(writer.lines, 'auto')
          expect(billOf(read)).toMatchObject(sumOf(all.map(([one]) => one)))
          expect(read.traces[0]!.requests).toBe(all.filter(([, hasItem]) => hasItem).length)
          expect(read.findings).toEqual([])
        }),
        { numRuns: 30, seed: 1 },
      )
    },
  )

  it('names what a compaction claims, and what was broken off', async () => {
    const one = { input: 10, cacheRead: 0, cacheWrite: 0, output: 1 }
    const writer = new Writer().head('a').user('Go.').said().counted(one, ['record'])
    writer.counted({ ...one, input: 20 }, ['record']).counted({ ...one, input: 30 }, ['record'])
    writer.line('compacted', { message: 'A lamp.', compaction_response_id: 'resp_2' })
    const { traces } = await readRecords(writer.lines, 'auto')
    expect(traces[0]!.sideCalls.map(({ kind, usage }) => [kind, usage.input])).toEqual([
      ['taken-back', 20],
      ['summary', 30],
    ])
  })

  it('is at the service tier that the session had, response by response', async () => {
    const one = { input: 10, cacheRead: 0, cacheWrite: 0, output: 1 }
    const tier = (service_tier: string | null) => ({
      type: 'thread_settings_applied',
      thread_settings: { service_tier },
    })
    const writer = new Writer()
      .head('a')
      .line('event_msg', tier('priority'))
      .user('Go.')
      .said()
      .counted(one, ['record'])
    writer
      .line('event_msg', tier(null))
      .said()
      .counted({ ...one, input: 20 }, ['record'])
    const { traces } = await readRecords(writer.lines, 'auto')
    expect([0, 1].map((request) => traces[0]!.usage(request)?.terms)).toEqual([['priority'], undefined])
  })

  it('misses the counts of a record', async () => {
    const writer = new Writer().head('a').line('token_usage_record', { response_id: 'resp_0', usage: { input: 1 } })
    expect(countOf((await readRecords(writer.lines, 'auto')).report, 'bad-shape')).toBe(1)
  })
})

describe('a fork of Codex', () => {
  const one = { input: 100, cacheRead: 0, cacheWrite: 0, output: 10 }
  const own = { input: 120, cacheRead: 100, cacheWrite: 0, output: 20 }

  /** A parent's lines as its fork has them. @param times those of the copy, or of the parent */
  function fork(times: 'new' | 'old', head: object): Record<string, unknown>[] {
    const parent = new Writer().head('a').user('Go.').said().counted(one, ['count']).said().counted(one, ['count'])
    const begun = start + 3_600_000
    const [first] = new Writer().at(begun - 1000).head('b', head).lines
    const copied = parent.lines.map((line, at) => ({
      ...line,
      ...(times === 'new' && { timestamp: new Date(begun + 300 + at).toISOString() }),
    }))
    const writer = new Writer().at(begun + 60_000)
    writer.user('And now?').said().counted(own, ['record'])
    const lines = [first, ...copied, ...writer.lines]
    return lines.map((line, ordinal) => ({ ...line, ordinal }))
  }

  it.each([
    ['new', { forked_from_id: 'a' }],
    ['old', { forked_from_id: 'a' }],
    ['new', { parent_thread_id: 'a' }],
  ] as const)(
    'is billed for its own responses alone, its parent being elsewhere (%s times, %j)',
    async (times, head) => {
      const read = await readRecords(fork(times, head), 'auto')
      expect(billOf(read)).toMatchObject(own)
      expect(read.traces[0]!.head).toMatchObject({ conversation: 'b', parent: 'a', forkMessage: 3 })
      expect(read.traces[0]!.requests).toBe(1)
      expect(read.traces[0]!.length).toBe(5)
    },
  )

  it.each([{ subagent_history_start_ordinal: 9 }, { history_base: { end_ordinal_exclusive: 9 } }])(
    'goes by the numbers of lines where there are some: %j',
    async (head) => {
      const lines = fork('new', { parent_thread_id: 'a', ...head })
      // The agent goes on at once.
      const times = lines.map((line, at) => ({ ...line, timestamp: new Date(start + 3_600_000 + at).toISOString() }))
      expect(billOf(await readRecords(times, 'auto'))).toMatchObject(own)
    },
  )

  it('is billed for all where it copies nothing: a sub-agent that begins anew', async () => {
    const writer = new Writer().head('b', { parent_thread_id: 'a' }).user('Go.').said().counted(one, ['count'])
    const { traces } = await readRecords(writer.lines, 'auto')
    expect(traces[0]!.head).toMatchObject({ parent: 'a', forkMessage: null })
    expect(billOf({ traces } as never)).toMatchObject(one)
  })
})
