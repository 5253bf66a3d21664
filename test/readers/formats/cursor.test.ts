import { describe, expect, it } from 'vitest'
import reader from '../../../src/readers/formats/cursor.ts'
import { exchangesOf, messagesOf, outlines, readFixture, readRecords } from '../reading.ts'

describe('cursor', () => {
  it('reads messages whose calls have no ids, and of which most results are missing', async () => {
    const result = await readFixture('cursor', 'transcript.jsonl')
    expect(outlines(result)).toEqual([
      '1 ?user: <user_query>',
      '2 assistant: (I look.) | I look. | Read#unnamed:0',
      '3 tool#unnamed:0: on',
      '4 assistant: Shell#unnamed:1',
      '5 assistant: It is on.',
      '6 ?user: <user_query>',
      '7 assistant: Dimmed.',
    ])
    expect(exchangesOf(result)).toEqual(['1 complete', '6 complete'])
    expect(result.findings).toEqual(['bad-record@8'])
    expect(result.traces[0]!.preamble).toEqual({ system: [], complete: false })
  })

  it('knows the end of a turn, and the time in front of a prompt', async () => {
    const prompt = (stamp: string) => ({
      role: 'user',
      message: {
        content: [{ type: 'text', text: `<timestamp>${stamp}</timestamp>\n<user_query>\nHi.\n</user_query>` }],
      },
    })
    const said = { role: 'assistant', message: { content: [{ type: 'text', text: 'Hello.' }] } }
    const ended = { type: 'turn_ended', status: 'success' }
    const result = await readRecords(
      [
        ...[prompt('Tuesday, Oct 13, 2026, 7:05 PM (UTC+5:30)'), said, ended],
        ...[prompt('Tuesday, Oct 13, 2026, 12:05 AM (UTC-8)'), said, ended],
        ...[prompt('yesterday'), said],
      ],
      'auto',
    )
    expect(result.report).toMatchObject({ used: 6, noContext: 2, leftOut: 0, problems: [] })
    expect([0, 2, 4].map((index) => messagesOf(result)[index]!.time)).toEqual([
      Date.parse('2026-10-13T13:35Z'),
      Date.parse('2026-10-13T08:05Z'),
      undefined,
    ])
  })

  it('knows its lines by what they do not have', () => {
    const line = { role: 'user', message: { content: [{ type: 'text', text: 'Hi.' }] } }
    expect(reader.recognise(line)).toBeGreaterThan(0.8)
    for (const other of [
      null,
      { ...line, uuid: 'a', sessionId: 'b' },
      { ...line, type: 'message' },
      { role: 'user', message: { role: 'user', content: [] } },
      { role: 'user', message: 'Hi.' },
      { role: 'user', content: 'Hi.' },
    ])
      expect(reader.recognise(other)).toBe(0)
  })
})
