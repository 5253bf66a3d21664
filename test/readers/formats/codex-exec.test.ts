import { describe, expect, it } from 'vitest'
import reader from '../../../src/readers/formats/codex-exec.ts'
import { exchangesOf, fixtureText, linesOf, outlines, readFixture, readRecords } from '../reading.ts'

const read = () => readFixture('codex-exec', 'stream.jsonl')

describe('codex-exec', () => {
  it('reads the items of turns in the order in which they ended, behind placeholders for the prompts', async () => {
    const result = await read()
    expect(outlines(result)).toEqual([
      '2 ?user: [a prompt that is not recorded]',
      '3 assistant: The lamp is on.',
      '5 ?user: [a prompt that is not recorded]',
      '6 assistant: (I look.) | shell#item_2',
      '8 !tool#item_2: denied',
      '9 assistant: house.dim#item_3',
      '9 tool#item_3: dimmed',
      '10 assistant: apply_patch#item_4',
      '10 tool#item_4: completed',
      '12 assistant: {"id":"item_6","type":"web_searc | Dimmed.',
      '15 ?user: [a prompt that is not recorded]',
      '16 assistant: Welcome.',
      '18 ?user: [a prompt that is not recorded]',
    ])
    expect(exchangesOf(result)).toEqual(['2 complete', '5 complete', '15 complete', '18 open'])
    expect(result.findings).toEqual(['unknown-record@19'])
    expect(result.traces[0]!.head).toMatchObject({ conversation: '01a0', provider: 'openai', model: null })
  })

  it('takes what a turn adds to the total for the usage of its response, where it is the only one', async () => {
    const [trace] = (await read()).traces
    const none = { cacheWrite: 0, cacheWrite1h: 0 }
    expect(trace!.usage(0)).toEqual({ ...none, input: 9000, cacheRead: 8000, output: 12 })
    expect([1, 2, 3, 4].map((request) => trace!.usage(request))).toEqual([null, null, null, null])
    expect(trace!.usage(5)).toEqual({ ...none, input: 9500, cacheRead: 9000, output: 5 })
  })

  it('bills what a turn of several responses adds as one amount, and each token once', async () => {
    const [trace] = (await read()).traces
    const totals = linesOf(fixtureText('codex-exec', 'stream.jsonl')).flatMap((record) => {
      const { type, usage } = record as { type?: string; usage?: { input_tokens: number; output_tokens: number } }
      return type === 'turn.completed' && usage ? [usage] : []
    })
    const usages = [...Array(trace!.requests).keys()].flatMap((request) => trace!.usage(request) ?? [])
    const all = [...usages, ...trace!.sideCalls.map(({ usage }) => usage)]
    expect(trace!.sideCalls.map(({ kind }) => kind)).toContain('summed')
    expect(all.reduce((sum, { input }) => sum + input, 0)).toBe(totals.at(-1)!.input_tokens)
    expect(all.reduce((sum, { output }) => sum + output, 0)).toBe(totals.at(-1)!.output_tokens)
  })

  it('reads the first version, which named the kinds of items otherwise, and tokens written to the cache', async () => {
    const result = await readRecords(
      [
        { type: 'thread.started', thread_id: '01' },
        { type: 'turn.started' },
        { type: 'item.completed', item: { id: 'item_0', item_type: 'assistant_message', text: 'It is on.' } },
        {
          type: 'turn.completed',
          usage: { input_tokens: 90, cached_input_tokens: 40, cache_write_input_tokens: 30, output_tokens: 5 },
        },
      ],
      'auto',
    )
    expect(outlines(result)).toEqual(['2 ?user: [a prompt that is not recorded]', '3 assistant: It is on.'])
    expect(result.traces[0]!.usage(0)).toMatchObject({ input: 90, cacheRead: 40, cacheWrite: 30, output: 5 })
  })

  it('begins another transcript with another thread', async () => {
    const records = linesOf(fixtureText('codex-exec', 'stream.jsonl')).slice(0, 4)
    const { traces } = await readRecords([...records, { ...records[0], thread_id: '02' }, ...records.slice(1)], 'auto')
    expect(traces.map(({ head, requests }) => [head.conversation, requests])).toEqual([
      ['01a0', 1],
      ['02', 1],
    ])
  })

  it('knows its events, and none of other streams', () => {
    for (const record of linesOf(fixtureText('codex-exec', 'stream.jsonl')))
      expect(reader.recognise(record)).toBeGreaterThan(0.8)
    for (const record of [
      null,
      { type: 'error' },
      { type: 'item.completed' },
      { type: 'response.completed', response: {} },
    ])
      expect(reader.recognise(record)).toBe(0)
  })
})
