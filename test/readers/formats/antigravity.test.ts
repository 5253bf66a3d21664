import { describe, expect, it } from 'vitest'
import { messagesOf, outlines, readFixture, readRecords } from '../reading.ts'

describe('antigravity', () => {
  it('reads steps, with the results of calls in their order', async () => {
    const result = await readFixture('antigravity', 'transcript_full.jsonl')
    expect(outlines(result)).toEqual([
      '1 ?user: <USER_REQUEST>',
      '3 injected: Keep it short.',
      '4 assistant: (Where is it?) | I look. | view_file#unnamed:0 | run_command#unnamed:1',
      '5 tool#unnamed:0: A loose wire.',
      '6 +!tool#unnamed:1: mend: not found',
      '8 assistant: Mended.',
      '10 injected: A process ended.',
      '11 assistant: Well.',
    ])
    expect(result.findings).toEqual(['duplicate-record@9'])
    expect(messagesOf(result)[2]!.time).toBe(Date.parse('2026-10-13T07:05:02Z'))
    const [trace] = result.traces
    expect(trace!.head).toMatchObject({ model: 'gemini-3.1-pro', provider: 'google' })
    expect([0, 1, 2].map((request) => trace!.usage(request))).toEqual([
      { input: 2400, cacheRead: 2000, cacheWrite: 0, cacheWrite1h: 0, output: 30 },
      { input: 2500, cacheRead: 2400, cacheWrite: 0, cacheWrite1h: 0, output: 4 },
      null,
    ])
  })

  it('takes a step behind a response without calls for words of the program', async () => {
    const step = { status: 'DONE', created_at: '2026-10-13T07:05:00Z' }
    const result = await readRecords(
      [
        { ...step, step_index: 0, source: 'USER_EXPLICIT', type: 'USER_INPUT', content: 'Is it on?' },
        { ...step, step_index: 1, source: 'MODEL', type: 'PLANNER_RESPONSE', content: 'It is.' },
        { ...step, step_index: 2, source: 'MODEL', type: 'GENERIC', content: 'Light.' },
      ],
      'auto',
    )
    expect(outlines(result)).toEqual(['1 ?user: Is it on?', '2 assistant: It is.', '3 injected: Light.'])
  })

  it('names a step without its kind, and a response without anything said', async () => {
    const { report } = await readRecords(
      [
        { step_index: 0, source: 'USER_EXPLICIT', content: 'Is it on?' },
        { step_index: 1, source: 'MODEL', type: 'PLANNER_RESPONSE' },
      ],
      'antigravity',
    )
    expect(report.problems).toEqual([
      { code: 'bad-shape', line: 1, detail: 'type' },
      { code: 'bad-shape', line: 2, detail: 'content' },
    ])
  })
})
