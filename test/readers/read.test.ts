/** The report about a file's records, for any format. */
import { describe, expect, it } from 'vitest'
import { countOf, readRecords, readSource } from './reading.ts'

const manyOf = (record: (index: number) => unknown): unknown[] =>
  Array.from({ length: 1000 }, (_, index) => record(index))

describe('the report of a file', () => {
  const time = '2026-03-02T09:00:00.000Z'
  const seen: Record<string, readonly unknown[]> = {
    codex: [
      {
        type: 'response_item',
        payload: { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'Hello' }] },
      },
    ],
    pi: [{ type: 'message', id: '1', parentId: null, timestamp: time, message: { role: 'user', content: 'Hello' } }],
    mimir: [{ event: 'llm_response', session_id: 'a', content: 'Hello' }],
    ikigai: [{ id: 1, kind: 'user', content: 'Hello', data: {} }],
    duragent: [{ type: 'user_message', seq: 1, timestamp: time, content: 'Hello' }],
    'claude-code': [{ type: 'user', sessionId: 'a', uuid: '1', message: { role: 'user', content: 'Hello' } }],
  }

  it.each([
    ['codex', (id: number) => ({ type: 'lamp', id, payload: {} })],
    ['codex', (id: number) => ({ type: 'response_item', payload: { type: 'lamp', id } })],
    ['codex', (id: number) => ({ type: 'event_msg', payload: { type: 'lamp', id } })],
    ['pi', (id: number) => ({ type: 'lamp', id: `id ${id}`, parentId: '1' })],
    ['mimir', (id: number) => ({ event: 'lamp', session_id: 'a', id })],
    ['ikigai', (id: number) => ({ id: id + 10, kind: 'lamp', content: '' })],
    ['duragent', (id: number) => ({ type: 'lamp', seq: id + 10, timestamp: time })],
    ['claude-code', (id: number) => ({ type: 'lamp', sessionId: 'a', id })],
    [
      'claude-code',
      (id: number) => ({ type: 'attachment', sessionId: 'a', uuid: `${id}`, attachment: { type: 'lamp' } }),
    ],
  ])('counts each record of an unknown kind, and tells of them at once: %s %o', async (format, record) => {
    const unknown = manyOf((index) => record(index + 2))
    const { report } = await readRecords([...(seen[format] as unknown[]), ...unknown], format)
    expect(report.problems).toEqual([{ code: 'unknown-record', line: 2, count: 1000 }])
    expect(report).toMatchObject({ records: 1001, used: 1, noContext: 0, leftOut: 1000, damagedLines: 0 })
  })

  it('tells kinds that differ apart, without their names', async () => {
    const { report } = await readRecords([{ type: 'lamp-a' }, { type: 'lamp-b' }, { type: 'lamp-a' }], 'claude-code')
    expect(report.problems).toEqual([
      { code: 'unknown-record', line: 1, count: 2 },
      { code: 'unknown-record', line: 2 },
    ])
  })

  it('counts the elements of an array as records', async () => {
    const messages = ['user', 'assistant', 'lamp'].map((role) => ({ role, content: 'Hello' }))
    const { report } = await readRecords([messages], 'openai-chat')
    expect(report).toMatchObject({ records: 3, used: 2, leftOut: 1 })
  })

  it('counts a line of several problems once, and a file of damaged lines in a few words', async () => {
    const good = '{"role":"user","content":"Hello"}'
    const damaged = '{"role":"user","content":"\\q"} {"role":"assistant","content":"\\q"} {"role":"lamp"}'
    const text = `${good}\n${`${damaged}\n`.repeat(5000)}`
    const { report } = await readSource({ name: 'file', chunks: [Buffer.from(text)] }, 'openai-chat')
    expect(report.damagedLines).toBe(5000)
    expect(report.problems.length).toBeLessThan(80)
    expect(countOf(report, 'invalid-escape')).toBe(10_000)
  })
})
