import { describe, expect, it } from 'vitest'
import type { Trace } from '../../../src/model/trace.ts'
import reader from '../../../src/readers/formats/copilot-cli.ts'
import { exchangesOf, fixtureText, linesOf, messagesOf, outlines, readFixture, readRecords } from '../reading.ts'

const read = (file: string) => readFixture('copilot-cli', file)

const usages = (trace: Trace) => Array.from({ length: trace.requests }, (_, request) => trace.usage(request))

describe('copilot-cli', () => {
  it('reads what the model was sent: prompts as transformed, reminders once, results without what is for the screen', async () => {
    const result = await read('session.jsonl')
    expect(outlines(result)).toEqual([
      '4 ?user: <current_datetime>noon</current_',
      '5 injected: <system_reminder>Tools.</system_',
      '8 assistant: (I look.) | view#c1 | bash#c2',
      '11 tool#c1: on',
      '12 +!tool#c2: denied',
      '14 queued: And the hall?',
      '15 assistant: <opaque 8> | Both are on.',
      '19 ?user: Count the lamps.',
      '20 assistant: task#task1',
      '27 tool#task1: Two.',
      '28 injected: <system_notification>Idle.</syst',
      '29 assistant: Two lamps.',
      '32 ?user: Thanks.',
      '33 assistant: <opaque 0>',
    ])
    expect(exchangesOf(result)).toEqual(['4 complete', '19 complete', '32 complete'])
    expect(result.findings).toEqual(['unknown-record@35', 'bad-record@36'])
    expect(messagesOf(result)[3]).toMatchObject({ toolName: 'view', time: 1775037622000 })
  })

  it('titles a transcript by what was asked, not by the time that is put in front of it', async () => {
    expect((await read('session.jsonl')).traces[0]!.title).toBe('Is the lamp on?')
  })

  it('takes the newest system prompt before the first response for the preamble', async () => {
    const { system, complete } = (await read('session.jsonl')).traces[0]!.preamble
    expect(system).toMatchObject([{ line: 3, blocks: [{ text: 'You mind the lamps.' }] }])
    expect(complete).toBe(false)
  })

  it('gives a sub-agent a transcript of its own, with its own model', async () => {
    const result = await read('session.jsonl')
    expect(outlines(result, 1)).toEqual([
      '22 ?user: Count.',
      '23 assistant: ls#s1',
      '24 tool#s1: hall attic',
      '25 assistant: Two.',
    ])
    const heads = result.traces.map(({ head }) => head)
    expect(heads[0]).toMatchObject({
      conversation: '55ee',
      provider: 'anthropic',
      cwd: '/home/ada/lamp',
      version: '1.0.74',
    })
    expect(heads[1]).toMatchObject({ conversation: 'task1', parent: '55ee', provider: 'openai', model: 'gpt-5.4-mini' })
  })

  it('remembers a compaction', async () => {
    const [trace] = (await read('session.jsonl')).traces
    expect(trace!.compactions).toMatchObject([
      { at: 7, keptFrom: 7, line: 17, summary: [{ origin: 'injected', blocks: [{ text: 'Both lamps are on.' }] }] },
    ])
  })

  it('bills the call that wrote a summary beside the sums, with its writes to the cache as they are billed', async () => {
    const counts = { inputTokens: 212_873, outputTokens: 2549, cacheReadTokens: 211_732, cacheWriteTokens: 0 }
    const details = (tokenCount: number) => ({ tokenDetails: [{ tokenType: 'cache_write', tokenCount }] })
    const summaryOf = async (used: object, data: object = {}) => {
      const compacted = { success: true, summaryContent: 'Both.', ...data, compactionTokensUsed: used }
      const records = [
        { type: 'user.message', data: { content: 'Go' } },
        { type: 'assistant.message', data: { content: 'Gone' } },
        { type: 'session.compaction_complete', data: compacted },
      ]
      const { traces } = await readRecords(
        records.map((one, at) => ({ ...one, id: `e${at}` })),
        'copilot-cli',
      )
      return traces[0]!.sideCalls.map(({ kind, model, line, usage }) => ({ kind, model, line, usage }))
    }
    const usage = { input: 212_873, cacheRead: 211_732, cacheWrite: 1066, cacheWrite1h: 0, output: 2549 }
    const call = { kind: 'summary', model: 'gpt-5.6-sol', line: 3, usage }
    const model = 'gpt-5.6-sol'
    expect(await summaryOf({ ...counts, copilotUsage: details(1066), model })).toEqual([call])
    expect(await summaryOf({ ...counts, model })).toEqual([{ ...call, usage: { ...usage, cacheWrite: 0 } }])
    // What failed was paid for, too.
    expect(await summaryOf({ ...counts, copilotUsage: details(1066), model }, { success: false })).toEqual([call])
    expect(await summaryOf({})).toEqual([])
  })

  it('counts a request where the sum of a run is that of one request, and others in sum', async () => {
    const [trace] = (await read('session.jsonl')).traces
    const one = { input: 1200, cacheRead: 1000, cacheWrite: 150, cacheWrite1h: 0, output: 9 }
    expect(usages(trace!)).toEqual([undefined, undefined, undefined, undefined, one].map((usage) => usage ?? null))
    const sum = { input: 4000, cacheRead: 0, cacheWrite: 0, cacheWrite1h: 0, output: 36 }
    expect(trace!.sideCalls).toMatchObject([
      { kind: 'summed', calls: 4, usage: sum, model: 'claude-sonnet-4.6', line: 30, span: { from: 2, to: 12 } },
    ])
  })

  it('takes the sums of a session that goes on apart', async () => {
    const sum = (count: number, inputTokens: number) => ({
      requests: { count },
      usage: { inputTokens, outputTokens: count, cacheReadTokens: count * 10, cacheWriteTokens: 0 },
    })
    const shutdown = (sessionStartTime: number, modelMetrics: unknown) => ({
      ...{ type: 'session.shutdown', id: 'e', timestamp: '', data: { sessionStartTime, modelMetrics } },
    })
    const ends = [
      shutdown(1, { a: sum(2, 200) }),
      shutdown(1, { a: sum(5, 800), b: sum(2, 50) }),
      shutdown(1, { a: sum(5, 800), b: sum(2, 50) }),
      shutdown(2, { a: sum(2, 300) }),
    ]
    const [start, ...rest] = linesOf(fixtureText('copilot-cli', 'session.jsonl')).slice(0, 8)
    const { traces } = await readRecords([start, ...rest, ...ends], 'copilot-cli')
    expect(traces[0]!.sideCalls.map(({ model, calls, usage }) => [model, calls, usage.input, usage.cacheRead])).toEqual(
      [
        ['a', 2, 200, 20],
        ['a', 3, 600, 30],
        ['b', 2, 50, 20],
        ['a', 2, 300, 20],
      ],
    )
    // Which requests these were is not known.
    expect(traces[0]!.sideCalls.every(({ span }) => span === undefined)).toBe(true)
  })

  it('takes a sum that is smaller than the one before it for one that began anew', async () => {
    const sum = (count: number, inputTokens: number, outputTokens: number) => ({
      ...{ type: 'session.shutdown', id: 'e', timestamp: '' },
      data: {
        sessionStartTime: 1,
        modelMetrics: {
          a: { requests: { count }, usage: { inputTokens, outputTokens, cacheReadTokens: 0, cacheWriteTokens: 0 } },
        },
      },
    })
    const begun = linesOf(fixtureText('copilot-cli', 'session.jsonl')).slice(0, 8)
    const { traces } = await readRecords([...begun, sum(3, 900, 60), sum(1, 50, 20), sum(3, 170, 60)], 'copilot-cli')
    expect(traces[0]!.sideCalls.map(({ calls, usage }) => [calls, usage.input, usage.output])).toEqual([
      [3, 900, 60],
      [1, 50, 20],
      [2, 120, 40],
    ])
  })

  describe('since 1.0.9x', () => {
    const event = (type: string, data: object) => ({ type, id: 'e', timestamp: '', data })
    const call = (model: string, api_id: string, usage: object, nano = 0) =>
      event('model.model_call_success', {
        modelCall: { model, api_id },
        responseUsage: usage,
        copilotUsage: { total_nano_aiu: nano, token_details: [{ token_type: 'cache_write', token_count: 30 }] },
      })
    const counts = { prompt_tokens: 900, completion_tokens: 7, prompt_tokens_details: { cached_tokens: 800 } }
    const answered = (apiCallId: string) =>
      event('assistant.message', { content: 'It is on.', toolRequests: [], model: 'gpt-6-luna', apiCallId })
    const asked = event('user.message', { content: 'Is the lamp on?' })
    const checked = (model_call_id: string) =>
      event('session.usage_checkpoint', {
        totalNanoAiu: 5e8,
        promptCacheBreakState: [
          {
            conversation: 'main',
            models: {
              'gpt-6-luna': { model_call_id, prompt_tokens: 950, cache_read: 900, cache_write: 40, tool_tokens: 300 },
            },
          },
        ],
      })
    const read = async (...events: readonly object[]) => {
      const { traces, findings } = await readRecords(events, 'copilot-cli')
      expect(findings).toEqual([])
      const [trace] = traces
      return { usages: usages(trace!), beside: trace!.sideCalls, cost: trace!.head.cost }
    }
    const usage = { input: 900, cacheRead: 800, cacheWrite: 30, cacheWrite1h: 0, output: 7 }

    it('counts a call by the response that follows it, by its id or its model', async () => {
      for (const [model, id] of [
        ['gpt-6-luna', 'x'],
        ['gpt-6-luna-2026', 'b'],
      ] as const) {
        const { usages, beside } = await read(asked, call(model, id, counts, 2e9), answered('b'))
        expect([usages, beside]).toEqual([[{ ...usage, cost: 0.02 }], []])
      }
    })

    it('bills a call that no response is of beside the history', async () => {
      const { usages, beside } = await read(asked, call('gpt-4o-mini', 'a', counts), answered('b'))
      expect(usages).toEqual([null])
      expect(beside).toMatchObject([{ kind: 'aside', model: 'gpt-4o-mini', usage, line: 2 }])
    })

    it('has the input of the newest request in a checkpoint, and what all of the session cost where all is known', async () => {
      const last = { input: 950, cacheRead: 900, cacheWrite: 40, cacheWrite1h: 0, output: 0 }
      const all = await read(asked, call('gpt-6-luna', 'a', counts), answered('a'), asked, answered('b'), checked('b'))
      expect(all).toEqual({ usages: [{ ...usage, cost: 0 }, last], beside: [], cost: 0.005 })
      const part = await read(asked, answered('a'), asked, answered('b'), checked('b'))
      expect(part).toEqual({ usages: [null, last], beside: [], cost: undefined })
    })

    it('takes what was counted by itself out of the sums behind it', async () => {
      const sum = { inputTokens: 2000, outputTokens: 20, cacheReadTokens: 1500, cacheWriteTokens: 80 }
      const aside = { inputTokens: 900, outputTokens: 7, cacheReadTokens: 800, cacheWriteTokens: 30 }
      const ended = event('session.shutdown', {
        modelMetrics: {
          'gpt-6-luna': { requests: { count: 2 }, usage: sum },
          'gpt-4o-mini': { requests: { count: 1 }, usage: aside },
        },
      })
      const calls = [call('gpt-6-luna', 'a', counts), answered('a'), call('gpt-4o-mini', 'c', counts)]
      const { usages, beside } = await read(asked, ...calls, asked, answered('b'), ended)
      expect(beside).toMatchObject([{ kind: 'summed', calls: 1, model: 'gpt-4o-mini', usage }])
      const rest = { input: 1100, cacheRead: 700, cacheWrite: 50, cacheWrite1h: 0, output: 13 }
      expect(usages).toEqual([{ ...usage, cost: 0 }, rest])
    })
  })

  it("counts each request of the SDK's recordings", async () => {
    const [trace] = (await read('sdk.jsonl')).traces
    expect(usages(trace!).map((usage) => usage?.input)).toEqual([900, 950])
  })

  it('takes the model that was chosen for that of a response which names none', async () => {
    const result = await read('sdk.jsonl')
    expect(messagesOf(result).map(({ model }) => model)).toEqual([undefined, 'gpt-5.4', undefined, 'gpt-5.4'])
  })

  it('knows where a session was taken up again', async () => {
    const [trace] = (await read('session.jsonl')).traces
    const places = Array.from({ length: trace!.length }, (_, index) => index)
    expect(places.filter((index) => trace!.isResumed(index))).toEqual([12])
  })

  it('begins another session with another start', async () => {
    const records = linesOf(fixtureText('copilot-cli', 'sdk.jsonl')).slice(0, 2)
    const other = { ...records[0], data: { sessionId: '77' } }
    const { traces } = await readRecords([...records, other, records[1]], 'auto')
    expect(traces.map(({ head }) => head.conversation)).toEqual(['66ff', '77'])
  })

  it('knows its events, and none of other programs', () => {
    for (const record of linesOf(fixtureText('copilot-cli', 'session.jsonl')).slice(0, -2))
      expect(reader.recognise(record)).toBe(1)
    for (const record of [
      null,
      {},
      { type: 'thread.started', thread_id: 'a' },
      { type: 'session.start', data: {} },
      { type: 'response.completed', data: {}, id: 'a', timestamp: 't' },
      { type: 'message', id: 'a', timestamp: 't', data: {} },
    ])
      expect(reader.recognise(record)).toBe(0)
  })

  it('reads older versions', async () => {
    const result = await read('older.jsonl')
    expect(outlines(result)).toEqual([
      '3 ?user: Is the lamp on?',
      '4 assistant: <opaque 12> | view#c1 | ls#c2',
      '5 tool#c1: on',
      '6 !tool#c2: no room',
      '8 assistant: It is.',
    ])
    expect(result.traces[0]!.head.model).toBe('gpt-5')
    expect(result.traces[0]!.compactions).toEqual([])
    expect(result.findings).toEqual([])
  })

  it('takes no count that is none for a missing one', async () => {
    const [start, , , , ...rest] = linesOf(fixtureText('copilot-cli', 'sdk.jsonl'))
    const counted = { type: 'assistant.usage', id: 'e', timestamp: '', data: { inputTokens: 'many', outputTokens: 1 } }
    const result = await readRecords([start, ...rest.slice(1, 2), counted], 'copilot-cli')
    expect(result.findings).toEqual(['bad-usage@2'])
  })
})
