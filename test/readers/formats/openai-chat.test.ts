import { readdirSync } from 'node:fs'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Block, Message } from '../../../src/model/message.ts'
import { anyText } from '../../any-text.ts'
import { bodiesOf, expectTokens, fixtureText, lines, linesOf, messagesOf, readRecords, readText } from '../reading.ts'
import { expectExact, type Recorded } from './openai-chat-requests.ts'

const file = (name: string) => fixtureText(`openai-chat/${name}`)
const read = (name: string) => readText(file(name))

describe('the requests are those that were recorded, to the byte', () => {
  const conversationALine = [
    'tools',
    'parallel-calls',
    'consecutive-users',
    'system-inside',
    'no-user',
    'interrupted',
    'long-agent-loop',
    'unicode',
    'deprecated-functions',
    'ids-reused',
    'ids-missing',
    'content-parts',
    'dialects',
  ]
  it.each(conversationALine)('%s: each line is a conversation', async (name) => {
    const text = file(`${name}.jsonl`)
    await expectExact(text, linesOf(text))
  })

  it('array: an array of messages is a conversation', async () => {
    await expectExact(file('array.json'), [{ messages: JSON.parse(file('array.json')) }])
  })

  it('array-of-conversations: bodies and arrays of messages are conversations', async () => {
    const records: unknown[] = JSON.parse(file('array-of-conversations.json'))
    const conversations = records.map((record) => (Array.isArray(record) ? { messages: record } : (record as Recorded)))
    await expectExact(file('array-of-conversations.json'), conversations)
  })

  it('message-a-line: a system message begins the next conversation', async () => {
    const messages = linesOf(file('message-a-line.jsonl'))
    await expectExact(file('message-a-line.jsonl'), [
      { messages: messages.slice(0, 7) },
      { messages: messages.slice(7) },
    ])
  })

  it('message-a-line-sessions: sessions that alternate are kept apart', async () => {
    const messages: { role: string; session_id: string }[] = linesOf(file('message-a-line-sessions.jsonl'))
    const of = (id: string) => ({ messages: messages.filter((message) => message.session_id === id) })
    await expectExact(file('message-a-line-sessions.jsonl'), [of('s1'), of('s2')])
  })

  it('cumulative-log: the last line is the conversation', async () => {
    const records = linesOf(file('cumulative-log.jsonl'))
    await expectExact(file('cumulative-log.jsonl'), records.slice(-1))
    const logged = records.map(({ messages, tools }) => ({ messages, tools }))
    const { traces } = await read('cumulative-log.jsonl')
    const bodies = traces.flatMap(bodiesOf)
    for (const body of bodies.slice(0, -1)) expect(logged).toContainEqual(body)
  })

  it('interleaved-logs: agents that share a log are kept apart', async () => {
    await expectExact(file('interleaved-logs.jsonl'), linesOf(file('interleaved-logs.jsonl')).slice(-2))
  })

  it('request-response: the answer that no request carries is the last message', async () => {
    const last = linesOf(file('request-response.jsonl')).at(-1)
    const { messages, tools } = last.request
    await expectExact(file('request-response.jsonl'), [
      { messages: [...messages, last.response.choices[0].message], tools },
    ])
  })

  it('hold for any conversations', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(conversation, { minLength: 1, maxLength: 4 }), async (conversations) => {
        // Ids separate conversations that happen to begin the same.
        const named = conversations.map((each, index) => ({ session_id: `s${index}`, ...each }))
        await expectExact(lines(named), conversations)
      }),
    )
  })

  it('hold for any conversation that is logged request by request', async () => {
    await fc.assert(
      fc.asyncProperty(conversation, async ({ messages, tools }) => {
        const ends = messages.flatMap(({ role }, index) => (role === 'assistant' ? [index] : []))
        const log = [...ends, messages.length].filter((end) => end > 0)
        const recorded = log.map((end) => ({ messages: messages.slice(0, end), ...(tools ? { tools } : {}) }))
        await expectExact(lines(recorded), [{ messages, ...(tools ? { tools } : {}) }])
      }),
    )
  })
})

const text = fc.oneof(anyText({ maxLength: 40 }), fc.constantFrom('日本', '🙂', '\ud83d', '\u2028'))
const conversation = fc
  .record({
    system: fc.option(text),
    user: text,
    rest: fc.array(
      fc.oneof(
        fc.record({ role: fc.constantFrom('user', 'assistant', 'system'), content: fc.oneof(text, fc.constant(null)) }),
        fc.record({ role: fc.constant('tool'), tool_call_id: fc.constantFrom('a', 'b', ''), content: text }),
        fc.record({
          role: fc.constant('assistant'),
          content: fc.constant(null),
          tool_calls: fc.array(
            fc.record({
              id: fc.constantFrom('a', 'b', ''),
              type: fc.constant('function'),
              function: fc.record({ name: text, arguments: text }),
            }),
            { maxLength: 3 },
          ),
        }),
      ),
      { maxLength: 12 },
    ),
    tools: fc.option(fc.array(fc.record({ type: fc.constant('function'), function: fc.record({ name: text }) }))),
  })
  .map(({ system, user, rest, tools }) => ({
    messages: [
      ...(system === null ? [] : [{ role: 'system', content: system }]),
      { role: 'user', content: user },
      ...rest,
    ],
    ...(tools ? { tools } : {}),
  }))

describe('conversations', () => {
  it.each([
    ['tools.jsonl', ['c1', 'c2']],
    ['parallel-calls.jsonl', [null]],
    ['no-user.jsonl', ['line:1', 'line:2']],
    ['cumulative-log.jsonl', [null]],
    ['interleaved-logs.jsonl', ['line:1', 'line:2']],
    ['message-a-line.jsonl', ['line:1', 'line:8']],
    ['message-a-line-sessions.jsonl', ['s1', 's2']],
    ['array.json', [null]],
    ['array-of-conversations.json', ['line:1', 'line:2', 'line:3', 'line:4']],
    ['not-conversations.jsonl', ['line:1', 'line:6']],
  ])('%s', async (name, names) => {
    const { report, traces } = await read(name)
    expect(report.format).toBe('openai-chat')
    expect(traces.map((trace) => trace.head.conversation)).toEqual(names)
  })

  it('a message has the line where it first appeared', async () => {
    const { traces } = await read('cumulative-log.jsonl')
    expect(traces.map(({ messages }) => messages?.map(({ line }) => line))).toEqual([[1, 2, 2, 4, 4, 5, 5, 6, 6]])
    expect(messagesOf(await read('array.json')).map(({ line }) => line)).toEqual([2, 3, 4, 5, 6, 7])
  })

  it('a finished conversation that stands there twice is two; a request sent twice is one', async () => {
    const asked = { messages: [{ role: 'user', content: 'Hi' }] }
    const finished = { messages: [...asked.messages, { role: 'assistant', content: 'Hello' }] }
    expect((await readText(lines([finished, finished]))).traces).toHaveLength(2)
    const again = await readText(lines([asked, asked, finished]))
    expect(again.traces).toHaveLength(1)
    expect(again.report.problems).toEqual([{ code: 'duplicate-record', line: 2 }])
    expect(again.report.damagedLines).toBe(0)
  })

  it('an id that changes from line to line names the request, not the conversation', async () => {
    const asked = { id: 'r1', messages: [{ role: 'user', content: 'Hi' }] }
    const more = { id: 'r2', messages: [...asked.messages, { role: 'assistant', content: 'Hello' }] }
    const { traces } = await readText(lines([asked, more]))
    expect(traces.map((trace) => trace.head.conversation)).toEqual([null])
  })

  it('a system message begins a conversation among lines, and none inside an array', async () => {
    const turn = (role: string) => ({ role, content: role })
    const messages = ['system', 'user', 'assistant', 'system', 'user', 'assistant'].map(turn)
    expect((await readText(lines(messages))).traces.map((trace) => trace.length)).toEqual([2, 2])
    expect((await readText(JSON.stringify(messages))).traces.map((trace) => trace.length)).toEqual([5])
  })

  it('more conversations than are held stay apart and whole', async () => {
    const records = Array.from({ length: 40 }, (_, index) => ({
      messages: [
        { role: 'system', content: 'The same for all.' },
        { role: 'user', content: `Question ${index}` },
        { role: 'assistant', content: 'Answer' },
      ],
    }))
    const { traces } = await readText(lines(records))
    expect(traces.map((trace) => trace.head.conversation)).toEqual(records.map((_, index) => `line:${index + 1}`))
  })

  it('a message alone is one only if a user says it', async () => {
    const alone = (role: string) => readText(lines([{ role, content: 'Hi' }]), 'openai-chat')
    expect((await alone('user')).traces).toHaveLength(1)
    const { traces, report } = await alone('assistant')
    expect(traces).toEqual([])
    expect(report.problems).toEqual([{ code: 'no-message', line: 1 }])
  })

  it.each([
    ['2026-03-02T10:00:00Z', Date.UTC(2026, 2, 2, 10)],
    ['2026-03-02T12:00:00+02:00', Date.UTC(2026, 2, 2, 10)],
    ['2026-03-02 10:00:00.5', Date.UTC(2026, 2, 2, 10, 0, 0, 500)],
    [1772445600, 1772445600_000],
    [1772445600_000, 1772445600_000],
    ['yesterday', Number.NaN],
    [-1, Number.NaN],
    [null, Number.NaN],
  ])('time %j, in seconds, milliseconds or ISO 8601; without a zone it is UTC', async (timestamp, time) => {
    const { traces } = await readText(
      lines([
        { role: 'user', content: '' },
        { role: 'assistant', timestamp },
      ]),
      'openai-chat',
    )
    expect(traces[0]?.requestTime(0)).toBe(time)
  })

  it('what is no conversation is named by its line', async () => {
    const { report } = await read('not-conversations.jsonl')
    const unknown = (line: number) => ({ code: 'no-message', line })
    const byLine = [...report.problems].sort((a, b) => a.line - b.line)
    // A request without messages, in line 4, is an empty one.
    expect(byLine).toEqual([unknown(2), unknown(3), unknown(5), unknown(6), unknown(6)])
    // Line 6 has two of them.
    expect(report.damagedLines).toBe(4)
  })
})

describe('canonical messages', () => {
  const messages = async (name: string, conversation = 0): Promise<readonly Message[]> =>
    messagesOf(await read(name), conversation)
  const calls = (all: readonly Message[]) =>
    all.map(({ blocks }) => blocks.flatMap((block) => (block.type === 'call' ? [block.id] : [])))
  const answers = (all: readonly Message[]) => all.flatMap(({ role, callId }) => (role === 'tool' ? [callId] : []))
  const blocksOf = async (name: string, conversation = 0): Promise<readonly (readonly Block[])[]> =>
    (await messages(name, conversation)).map(({ blocks }) => blocks)

  it('system messages in front are the preamble, later ones are messages', async () => {
    const trace = (await read('system-inside.jsonl')).traces[0]
    expect(trace?.preamble.system.map(({ blocks }) => blocks)).toEqual([
      [{ type: 'text', text: 'You are a tutor.' }],
      [{ type: 'text', text: 'Answer in one sentence.' }],
    ])
    expect(trace?.preamble.complete).toBe(true)
    const roles = (await messages('system-inside.jsonl')).map(({ role }) => role)
    expect(roles).toEqual(['user', 'assistant', 'system', 'user', 'assistant', 'system'])
  })

  it('results of parallel calls answer by id, in any order', async () => {
    const all = await messages('parallel-calls.jsonl')
    expect(answers(all)).toEqual(['call_c', 'call_a', 'call_b'])
    expect(all[2]?.toolName).toBe('get_weather')
  })

  it('results without an id answer by name, then in order; one too many answers nothing', async () => {
    const all = await messages('ids-missing.jsonl')
    expect(calls(all).flat()).toEqual(['unnamed:0', 'unnamed:1', 'unnamed:2', 'unnamed:3'])
    expect(answers(all)).toEqual(['unnamed:1', 'unnamed:0', 'unnamed:2', 'unnamed:3', undefined])
  })

  it('an id used again pairs within its step', async () => {
    const all = await messages('ids-reused.jsonl')
    expect(calls(all).flat()).toEqual(['0', '0', 'unnamed:2', '0', '0'])
    expect(answers(all)).toEqual(['0', '0', 'unnamed:2', '0'])
    const trace = (await read('ids-reused.jsonl')).traces[0]
    const paired = all.flatMap(({ role }, index) => (role === 'tool' ? [trace?.call(index)] : []))
    expect(paired).toEqual([0, 1, 2, 4])
  })

  it('functions are tools of an older name', async () => {
    const all = await messages('deprecated-functions.jsonl')
    expect(calls(all).flat()).toEqual(['unnamed:0', 'unnamed:1', 'unnamed:2'])
    expect(answers(all)).toEqual(['unnamed:0', 'unnamed:1', 'unnamed:2'])
    expect((await read('deprecated-functions.jsonl')).traces[0]?.preamble.tools).toHaveLength(1)
  })

  it.each([
    ['a call by itself', { id: 'a', function: { name: 'look', arguments: '' } }, ['call']],
    ['a text', 'lamp', ['text', '"lamp"']],
    ['an object that is no call', { lamp: 'on' }, ['text', '{"lamp":"on"}']],
    ['nothing', null, []],
  ])('what stands in the place of the calls is kept: %s', async (_, tool_calls, wanted) => {
    const messages = [
      { role: 'user', content: 'Look.' },
      { role: 'assistant', content: null, tool_calls },
    ]
    const [, answer] = messagesOf(await readRecords([{ messages }], 'openai-chat'))
    expect(answer?.blocks.flatMap((block) => ('text' in block ? [block.type, block.text] : [block.type]))).toEqual(
      wanted,
    )
  })

  it('parts become blocks', async () => {
    const [user, refusal, empty] = await blocksOf('content-parts.jsonl')
    expect(user).toEqual([
      { type: 'text', text: 'What is this?' },
      { type: 'image', mediaType: 'image/png', bytes: 8, data: 'iVBORw0KGgo=' },
      { type: 'image', mediaType: '', bytes: 0 },
      { type: 'document', mediaType: 'audio/wav', bytes: 4, data: 'UklGRg==' },
      { type: 'document', mediaType: 'application/pdf', bytes: 5, data: 'JVBERi0=' },
    ])
    expect(refusal).toEqual([{ type: 'text', text: 'I cannot say.' }])
    expect(empty).toEqual([{ type: 'text', text: '' }])
  })

  it('dialects say the same with other keys', async () => {
    expect((await blocksOf('dialects.jsonl', 0))[0]).toEqual([{ type: 'text', text: 'LLaMA-Factory says value.' }])
    expect((await blocksOf('dialects.jsonl', 1))[1]).toEqual([
      { type: 'thinking', text: 'DeepSeek thinks here.' },
      { type: 'text', text: 'Done.' },
    ])
    const third = await blocksOf('dialects.jsonl', 2)
    expect(third[1]).toEqual([
      { type: 'thinking', text: 'OpenRouter thinks here.' },
      { type: 'opaque', bytes: 8 },
      { type: 'text', text: 'Done.' },
    ])
    expect(third[3]).toEqual([
      { type: 'call', id: 'call_1', name: 'shell', input: 'ls' },
      { type: 'call', id: 'call_2', name: 'read', input: { path: 'a' } },
    ])
  })

  it('reasoning of another type is kept as text', async () => {
    const reasoning_details = { type: 'reasoning.text', text: 'Alone.' }
    const messages = [
      { role: 'user', content: 'Hello' },
      { role: 'assistant', content: 'Hi', reasoning_details },
      { role: 'assistant', content: 'Hi', reasoning_content: ['Listed.'] },
    ]
    const result = await readRecords([{ messages }], 'openai-chat')
    expect(messagesOf(result).map(({ blocks }) => blocks[0])).toEqual([
      { type: 'text', text: 'Hello' },
      { type: 'thinking', text: 'Alone.' },
      { type: 'text', text: '["Listed."]' },
    ])
  })

  it("LiteLLM's thinking blocks count once, with what is encrypted of them", async () => {
    const thinking_blocks = [
      { type: 'thinking', thinking: 'Look first.', signature: 'c2ln' },
      { type: 'redacted_thinking', data: 'abcd' },
    ]
    const answer = { role: 'assistant', content: 'Hi', reasoning_content: 'Look first.', thinking_blocks }
    const result = await readRecords([{ messages: [{ role: 'user', content: 'Hello' }, answer] }], 'openai-chat')
    expect(messagesOf(result)[1]?.blocks).toMatchObject([
      { type: 'thinking', text: 'Look first.' },
      { type: 'opaque', bytes: 4 },
      { type: 'text', text: 'Hi' },
    ])
  })

  it('usage, model and time of a response come with its message', async () => {
    const { traces } = await read('request-response.jsonl')
    const trace = traces[0]
    expect(trace?.head.model).toBe('gpt-5')
    expect([trace?.usage(0), trace?.usage(1)]).toEqual([
      { input: 80, cacheRead: 0, cacheWrite: 0, cacheWrite1h: 0, output: 20 },
      { input: 120, cacheRead: 64, cacheWrite: 0, cacheWrite1h: 0, output: 5 },
    ])
    expect([trace?.requestTime(0), trace?.requestTime(1)]).toEqual([
      Date.UTC(2026, 2, 2, 10, 0, 0),
      Date.UTC(2026, 2, 2, 10, 0, 5),
    ])
    const lone = (await read('message-a-line.jsonl')).traces[0]
    expect(lone?.usage(1)?.input).toBe(90)
    expect(lone?.head.model).toBe('gpt-4o')
  })

  it('bodies that an HTTP recorder kept as text are read', async () => {
    const { traces } = await read('http-recording.json')
    expect(traces.flatMap(bodiesOf)).toEqual([{ messages: [{ role: 'user', content: 'Say hi.' }] }])
    expect(traces[0]?.usage(0)?.input).toBe(10)
  })
})

describe('hostile input', () => {
  it('never throws, whatever stands in a field', async () => {
    const key = fc.constantFrom(
      ...['messages', 'role', 'content', 'tool_calls', 'function', 'function_call', 'tools', 'request', 'response'],
      ...[
        'body',
        'choices',
        'message',
        'usage',
        'type',
        'text',
        'image_url',
        'id',
        'session_id',
        '__proto__',
        'kwargs',
      ],
    )
    const { value } = fc.letrec((tie) => ({
      value: fc.oneof(
        { maxDepth: 6 },
        fc.constantFrom(
          'user',
          'assistant',
          'tool',
          'system',
          null,
          0,
          -1,
          true,
          '',
          '{"messages":[]}',
          '[1',
          'data:,',
        ),
        fc.array(tie('value'), { maxLength: 4 }),
        fc.dictionary(key, tie('value'), { maxKeys: 5 }),
        fc.record({ messages: fc.array(tie('value')) }),
        fc.record({
          role: fc.constantFrom('user', 'assistant', 'tool'),
          content: tie('value'),
          tool_calls: tie('value'),
        }),
      ),
    }))
    await fc.assert(
      fc.asyncProperty(fc.array(value, { maxLength: 8 }), async (records) => {
        const { traces } = await readText(lines(records), 'openai-chat')
        for (const trace of traces) expectTokens(trace)
      }),
      { numRuns: 120 },
    )
  })

  it('nesting that would overflow the stack', async () => {
    const deep = `${'['.repeat(5000)}${']'.repeat(5000)}`
    const message = `{"role":"user","content":${deep}}`
    const { traces } = await readText(`{"messages":[${message}]}\n{"messages":[${message},${message}]}`, 'openai-chat')
    expect(traces.map(({ length }) => length)).toEqual([2])
  })

  it('a conversation that goes on behind a value of any depth is still one', async () => {
    const deep = `${'{"a":['.repeat(4000)}1${']}'.repeat(4000)}`
    const call = `{"role":"assistant","tool_calls":[{"id":"1","function":{"name":"look","arguments":${deep}}}]}`
    const messages = `{"role":"user","content":"Look."},${call}`
    const other = messages.replace('1]', '2]')
    const next = ',{"role":"tool","tool_call_id":"1","content":"on"}'
    const { traces } = await readText(
      `{"messages":[${messages}]}\n{"messages":[${messages}${next}]}\n{"messages":[${other}${next}]}`,
      'openai-chat',
    )
    expect(traces.map(({ length }) => length)).toEqual([3, 3])
  })
})

it('every fixture is in the list', () => {
  const names = readdirSync(new URL('../../../fixtures/openai-chat', import.meta.url))
  const readme = fixtureText('README.md')
  for (const name of names) expect(readme).toContain(`openai-chat/${name}`)
})
