import { describe, expect, it } from 'vitest'
import { fixtureText, linesOf, outlines, readFixture, readRecords } from '../reading.ts'

const whole = [
  '2 ?user: Mend the lamp. | It is on.',
  '5 assistant: I look. | bash#sevt_06 | switch#sevt_07',
  '9 tool#sevt_06: A loose wire.',
  '10 +!tool#sevt_07: No current.',
  '14 assistant: Mended.',
  '18 ?user: Thanks.',
]

describe('managed-agents', () => {
  it('reads a session, with the usage of each request, and each thread by itself', async () => {
    const result = await readFixture('managed-agents', 'events.jsonl')
    expect(outlines(result)).toEqual(whole)
    expect(outlines(result, 1)).toEqual(['20 ?user: Check the wire.', '22 assistant: It holds.'])
    expect(result.findings).toEqual([])
    const [session, thread] = result.traces
    expect([session!.head.conversation, thread!.head.conversation]).toEqual([null, 'sthr_2'])
    expect([0, 1].map((request) => session!.usage(request))).toMatchObject([
      { input: 1002, cacheRead: 0, cacheWrite: 1000, output: 40 },
      { input: 1062, cacheRead: 1000, cacheWrite: 60, output: 4 },
    ])
    expect(session!.sideCalls).toMatchObject([{ kind: 'aside', usage: { input: 503, output: 20 }, line: 16 }])
    expect(session!.compactions).toMatchObject([{ at: 5, keptFrom: 5, line: 17 }])
  })

  it('reads a page of the API, and events in a wrapper', async () => {
    const events = linesOf(fixtureText('managed-agents', 'events.jsonl'))
    expect(outlines(await readRecords([{ data: events, next_page: null }], 'auto'))).toEqual(whole)
    const wrapped = events.map((raw) => ({ role: 'agent', kind: 'message', time: raw.processed_at, raw }))
    expect(outlines(await readRecords(wrapped, 'auto'))).toEqual(whole)
  })

  it('names events of an unknown kind, also within a page', async () => {
    const event = { id: 'sevt_1', processed_at: '2026-10-13T07:05:00Z', type: 'agent.telepathy' }
    const lone = await readRecords([event], 'managed-agents')
    expect(lone.report.problems).toEqual([expect.objectContaining({ code: 'unknown-record', line: 1 })])
    const page = await readRecords([{ data: [event, 7] }], 'managed-agents')
    expect(page.findings).toEqual(['unknown-record@1', 'bad-record@2'])
  })
})
