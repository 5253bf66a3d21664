import { describe, expect, it } from 'vitest'
import { textOf } from '../../../src/model/message.ts'
import reader from '../../../src/readers/formats/opencode.ts'
import { exchangesOf, fixtureText, messagesOf, outlines, readFixture, readRecords, readText } from '../reading.ts'

const read = (file: string) => readFixture('opencode', file)

describe('opencode: exports', () => {
  it('reads prompts, what is injected into them, responses, and the results inside their parts', async () => {
    const result = await read('session.json')
    expect(outlines(result)).toEqual([
      '1 ?user: Dim the lamp. | <image 5>',
      '1 +injected: Called the Read tool on lamp.md',
      '2 assistant: (Two files.) | <opaque 8> | I look. | read#REDACTED | bash#unnamed:1 | bash#unnamed:2 | shot#call_4',
      '2 tool#REDACTED: fn main() {}',
      '2 +!tool#unnamed:2: No such lamp.',
      '2 +tool#call_4: <document 2>',
      '3 assistant: Dimmed.',
      '4 ?user: The following tool was executed ',
    ])
    expect(exchangesOf(result)).toEqual(['1 complete', '4 open'])
    expect(result.findings).toEqual(['bad-record@6', 'bad-record@7'])
    expect(messagesOf(result)[3]).toMatchObject({ toolName: 'read', time: 1777917102000 })
  })

  it('counts cached tokens as input and reasoning as output', async () => {
    const { traces } = await read('session.json')
    expect(traces[0]!.requests).toBe(2)
    const none = { cacheRead: 0, cacheWrite: 0, cacheWrite1h: 0 }
    const counts = { input: 940, cacheRead: 800, cacheWrite: 40, cacheWrite1h: 0, output: 25 }
    expect(traces[0]!.usage(0)).toEqual({ ...counts, cost: 0.00074 })
    expect(traces[0]!.usage(1)).toEqual({ ...none, input: 1000, output: 3 })
  })

  it.each([
    // What the total is: the reasoning is in the output, or beside it.
    ['1.18.9', 1000 + 300, 300],
    ['1.2.26', 1000 + 300 + 70, 300],
    ['1.2.26', 1000 + 300 + 70 + 250, 550],
    ['1.18.9', undefined, 550],
    ['1.2.26', undefined, 300],
    ['1.0.3', undefined, 300],
    ['1.3.15', undefined, 300],
    ['1.3.16', undefined, 550],
    ['local', undefined, 550],
  ])(
    'tells by the total, else by the version (%s, %s), whether the output holds the reasoning',
    async (version, total, output) => {
      const counts = { input: 1000, output: 300, reasoning: 250, cache: { read: 70, write: 0 }, total }
      const messages = [
        {
          info: { role: 'assistant', modelID: 'gpt-5.4', providerID: 'openai', tokens: counts },
          parts: [{ type: 'text', text: 'Yes.' }],
        },
      ]
      const { traces } = await readRecords([{ info: { version }, messages }], 'auto')
      expect(traces[0]!.usage(0)).toMatchObject({ input: 1070, cacheRead: 70, output })
    },
  )

  it('lets results share a message only where the provider does', async () => {
    const parts = ['a', 'b'].map((callID) => ({ type: 'tool', callID, state: { status: 'completed', output: callID } }))
    const messages = [{ info: { role: 'assistant', modelID: 'gpt-5.4', providerID: 'openai' }, parts }]
    const result = await readRecords([{ info: {}, messages }], 'auto')
    expect(outlines(result)).toEqual(['1 assistant: #a | #b', '1 tool#a: a', '1 tool#b: b'])
  })

  it('says whose sub-agent it is, and that the preamble is not recorded', async () => {
    const { traces } = await read('session.json')
    expect(traces[0]!.head).toMatchObject({
      conversation: 'ses_2',
      parent: 'ses_1',
      provider: 'google',
      model: 'gemini-3.1-pro',
      cwd: '/lamp',
    })
    expect(traces[0]!.preamble.complete).toBe(false)
  })

  it('remembers a compaction that has a summary, and keeps the history whole', async () => {
    const result = await read('compacted.json')
    expect(result.traces[0]!.head.version).toBe('1.18.9')
    expect(outlines(result)).toEqual([
      '1 ?user: Is the lamp on?',
      '2 assistant: It is.',
      '5 injected: Continue if you have next steps',
      '6 assistant: None.',
      '9 ?user: Then dim it.',
      '10 assistant: Dimmed.',
      '13 ?user: And now?',
      '14 assistant: Dimmed.',
    ])
    const [trace] = result.traces
    expect(trace!.head.provider).toBe('anthropic')
    expect(trace!.compactions).toMatchObject([
      { at: 2, keptFrom: 2, line: 4, summary: [{ role: 'user' }, { blocks: [{ text: 'The lamp is on.' }] }] },
      // The messages that it names stay, behind the summary.
      { at: 6, keptFrom: 4, line: 12, summary: [{ role: 'user' }, { blocks: [{ text: 'The lamp was on.' }] }] },
    ])
    expect(result.findings).toEqual([])
  })

  it.each([
    ['as large as it was counted', 'gpt-5.6-luna', 40],
    ['not where the model drops it', 'gpt-5.5', 0],
  ])('has the reasoning behind a summary in the windows behind it, %s', async (_, modelID, words) => {
    const tokens = { input: 90, output: 5, reasoning: 40, cache: { read: 0, write: 0 } }
    const user = (text: string) => ({ info: { role: 'user' }, parts: [{ type: 'text', text }] })
    const summary = {
      info: { role: 'assistant', summary: true, modelID, tokens },
      parts: [
        { type: 'reasoning', text: '' },
        { type: 'text', text: 'It is on.' },
      ],
    }
    const asked = { info: { role: 'user' }, parts: [{ type: 'compaction', auto: true }] }
    const messages = [user('Is it on?'), asked, summary, user('And now?')]
    const { traces } = await readRecords([{ info: { id: 'ses_1' }, messages }], 'opencode')
    const text = textOf(traces[0]!.compactions[0]!.summary[1]!)
    expect(text.endsWith('It is on.')).toBe(true)
    expect(text.split(' the').length - 1).toBe(words === 0 ? 0 : words + 1)
  })

  it('counts what a summary took as a call beside the requests', async () => {
    const [trace] = (await read('compacted.json')).traces
    expect(
      trace!.sideCalls.map(({ kind, usage, model, line }) => [kind, usage.input, usage.output, model, line]),
    ).toEqual([
      ['summary', 110, 5, 'claude-sonnet-4-5', 4],
      ['summary', 150, 6, 'claude-haiku-4-5', 12],
    ])
    expect(trace!.sideCalls[1]!.time).toBe(1777917200000)
  })

  it.each([
    ['is not in the file', '"tail_start_id":"msg_9"', '"tail_start_id":"msg_0"'],
    ['is of two messages', '"msg_10"', '"msg_9"'],
  ])('names a compaction that keeps messages from one on that %s', async (_, from, to) => {
    const { findings, traces } = await readText(fixtureText('opencode', 'compacted.json').replace(from, to), 'opencode')
    expect(findings).toEqual(['missing-link@12'])
    expect(traces[0]!.compactions[1]).toMatchObject({ at: 6, keptFrom: 6 })
  })

  it('reads exports a line, wrapped or not, and knows no session by an overwritten id', async () => {
    const messages = [{ info: { role: 'user' }, parts: [{ type: 'text', text: 'hi' }] }]
    const result = await readRecords(
      [{ info: { id: 'ses_1' }, messages }, { data: { info: { id: 'REDACTED' }, messages } }],
      'auto',
    )
    expect(result.traces.map(({ head }) => [head.format, head.conversation])).toEqual([
      ['opencode', 'ses_1'],
      ['opencode', null],
    ])
  })
})

describe('opencode: recognition', () => {
  it('knows its exports, and nothing that only looks like them', () => {
    const messages = [{ info: { role: 'user' }, parts: [] }]
    expect(reader.recognise({ info: {}, messages })).toBe(1)
    expect(reader.recognise({ info: { projectID: 'p' }, messages: [] })).toBe(1)
    expect(reader.recognise({ info: {}, messages: [] })).toBe(0)
    expect(reader.recognise({ messages })).toBe(0)
    expect(reader.recognise({ info: {}, messages: [{ role: 'user', parts: [] }] })).toBe(0)
    expect(reader.recognise([{ info: {}, messages }])).toBe(0)
  })
})

describe('opencode: parts', () => {
  const session = (role: string, parts: readonly unknown[]) => ({
    info: { id: 'ses_1' },
    messages: [{ info: { role }, parts: [{ type: 'text', text: 'Hello' }, ...parts] }],
  })

  it.each(['user', 'assistant'])('of a kind that nobody knows are counted, in a message of the %s', async (role) => {
    const lamps = Array.from({ length: 1000 }, () => ({ type: 'lamp', watt: 40 }))
    const { report } = await readRecords([session(role, [...lamps, { type: 'snapshot' }, null])], 'opencode')
    expect(report.problems).toEqual([
      { code: 'bad-record', line: 1 },
      { code: 'unknown-record', line: 1, count: 1000 },
    ])
  })

  it('of a task name the session that did it', async () => {
    const part = (tool: string, metadata: unknown) => ({
      type: 'tool',
      tool,
      callID: tool,
      state: { status: 'completed', input: {}, output: 'done', metadata },
    })
    const parts = [part('task', { sessionId: 'ses_9' }), part('read', { sessionId: 'ses_8' }), part('task', null)]
    const info = { id: 'm', role: 'assistant', modelID: 'gpt-5', providerID: 'openai' }
    const session = { info: { id: 'ses_1', projectID: 'p', time: { created: 1 } }, messages: [{ info, parts }] }
    const messages = messagesOf(await readText(JSON.stringify(session), 'opencode'))
    expect(messages.flatMap(({ role, agent }) => (role === 'tool' ? [agent?.conversation ?? null] : []))).toEqual([
      'ses_9',
      null,
      null,
    ])
  })

  it('whose tool has a state that nobody knows are damaged, and those still running are not', async () => {
    const tool = (status: unknown) => ({ type: 'tool', tool: 'read', callID: 'a', state: { status, output: 'x' } })
    const parts = ['running', 'pending', 'completed', 'error', 'lamp', {}].map(tool)
    const { findings } = await readRecords([session('assistant', parts)], 'opencode')
    expect(findings).toEqual(['bad-record@1', 'bad-record@1'])
  })
})

describe('opencode: the stream of a run', () => {
  it('is a session for each id, with a response for each step', async () => {
    const result = await read('run.jsonl')
    expect(outlines(result)).toEqual([
      '1 ?user: [a prompt that is not recorded]',
      '1 assistant: (I look first.) | bash#call_1',
      '1 tool#call_1: red.lamp',
      '5 assistant: One lamp: red.',
    ])
    expect(outlines(result, 1)).toEqual(['9 ?user: [a prompt that is not recorded]', '9 assistant: Cut off.'])
    expect(result.traces.map(({ head }) => head.conversation)).toEqual(['ses_run', 'ses_other'])
    expect(result.findings).toEqual([])
    expect(result.report).toMatchObject({ format: 'opencode', used: 8, noContext: 1 })
  })

  it('has the tokens and the cost that each step ends with', async () => {
    const { traces } = await read('run.jsonl')
    const ends = fixtureText('opencode', 'run.jsonl')
      .split('\n')
      .flatMap((line) => (line.includes('step-finish') ? [JSON.parse(line).part] : []))
    for (const [request, { cost, tokens }] of ends.entries()) {
      const { input, output, reasoning, cache } = tokens
      expect(traces[0]!.usage(request)).toEqual({
        ...{ cacheRead: cache.read, cacheWrite: cache.write, cacheWrite1h: 0, cost },
        ...{ input: input + cache.read + cache.write, output: output + reasoning },
      })
    }
    expect(ends).toHaveLength(traces[0]!.requests)
  })
})
