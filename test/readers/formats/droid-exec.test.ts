import { describe, expect, it } from 'vitest'
import { exchangesOf, outlines, readFixture } from '../reading.ts'

const read = () => readFixture('droid-exec', 'stream.jsonl')

describe('droid-exec', () => {
  it('reads what a run did, and its last text once', async () => {
    const result = await read()
    expect(outlines(result)).toEqual([
      '2 ?user: Is the lamp on?',
      '3 assistant: (I look.) | Let me see. | Execute#call_1',
      '6 !tool#call_1: denied',
      '7 assistant: I may not look.',
    ])
    expect(exchangesOf(result)).toEqual(['2 complete'])
    expect(outlines(result, 1)).toEqual(['9 ?user: Thanks.', '10 assistant: Welcome.'])
    expect(result.findings).toEqual([])
    expect(result.traces[0]!.head).toMatchObject({
      conversation: 'd-1',
      model: 'claude-sonnet-4-6',
      cwd: '/home/ada/lamp',
    })
  })

  it('takes the sum of a run only where it is that of one request', async () => {
    const { traces } = await read()
    expect([0, 1].map((request) => traces[0]!.usage(request))).toEqual([null, null])
    expect(traces[1]!.usage(0)).toMatchObject({ input: 100, cacheRead: 60, output: 5 })
    expect(traces[1]!.sideCalls).toEqual([])
  })

  it('bills the sum of several requests as one amount', async () => {
    const { traces } = await read()
    const usage = { input: 150, cacheRead: 50, cacheWrite: 0, cacheWrite1h: 0, output: 30 }
    expect(traces[0]!.sideCalls).toMatchObject([{ kind: 'summed', usage, calls: 2, span: { from: 1, to: 4 } }])
  })
})
