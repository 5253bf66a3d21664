import { readdirSync } from 'node:fs'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { deepest } from '../../../src/base/json-depth.ts'
import { textOf } from '../../../src/model/message.ts'
import anthropicMessages from '../../../src/readers/formats/anthropic-messages.ts'
import openaiChat from '../../../src/readers/formats/openai-chat.ts'
import { anyText } from '../../any-text.ts'
import { bodiesOf, expectBodies, expectTokens, fixtureText, lines, linesOf, messagesOf, readText } from '../reading.ts'

interface Recorded {
  readonly messages: readonly { readonly role: string; readonly content: unknown }[]
  readonly system?: unknown
  readonly tools?: unknown
}

/** The request bodies of a recorded conversation: the input-relevant part of everything before each assistant message. */
function bodiesImplied({ messages, system, tools }: Recorded): unknown[] {
  return messages.flatMap(({ role: end }, index) => {
    if (end !== 'assistant') return []
    const before = messages.slice(0, index).map(({ role, content }) => ({ role, content }))
    return [{ ...(system === undefined ? {} : { system }), ...(tools ? { tools } : {}), messages: before }]
  })
}

const file = (name: string) => fixtureText(`anthropic-messages/${name}`)
const read = (name: string) => readText(file(name))

const expectExact = (text: string, conversations: readonly Recorded[]) =>
  expectBodies(text, 'anthropic-messages', conversations.map(bodiesImplied))

describe('the requests are those that were recorded, to the byte', () => {
  it.each(['tools', 'parallel-results', 'text-on-results', 'media', 'system-inside'])('hold for %s', async (name) => {
    const text = file(`${name}.jsonl`)
    expect((await readText(text)).report.format).toBe('anthropic-messages')
    await expectExact(text, linesOf(text))
  })

  it('odd-shapes: empty contents stand as they were sent', async () => {
    const text = file('odd-shapes.jsonl')
    const [first, second] = linesOf(text)
    const messages = second.messages.filter((_: unknown, index: number) => index === 0 || index === 4)
    await expectExact(text, [first, { ...second, messages }])
    const { report } = await readText(text, 'anthropic-messages')
    expect(report.problems).toEqual(Array(3).fill({ code: 'no-message', line: 2 }))
  })

  it('hold for message-list and session-export', async () => {
    await expectExact(file('message-list.json'), [{ messages: JSON.parse(file('message-list.json')) }])
    const { messages, system_prompt: system } = JSON.parse(file('session-export.json'))
    const { traces } = await read('session-export.json')
    expect(traces.map(bodiesOf)).toEqual([bodiesImplied({ messages, system })])
  })

  it('hold for message-a-line', async () => {
    await expectExact(file('message-a-line.jsonl'), [{ messages: linesOf(file('message-a-line.jsonl')) }])
  })

  it('cumulative-log: the last line is the conversation', async () => {
    await expectExact(file('cumulative-log.jsonl'), linesOf(file('cumulative-log.jsonl')).slice(-1))
  })

  it('request-response: the answer that no request carries is the last message', async () => {
    const { request, response } = linesOf(file('request-response.jsonl')).at(-1)
    await expectExact(file('request-response.jsonl'), [{ ...request, messages: [...request.messages, response] }])
  })

  it('hold for any conversations', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(conversation, { minLength: 1, maxLength: 3 }), async (conversations) => {
        const named = conversations.map((each, index) => ({ session_id: `s${index}`, ...each }))
        const text = lines(named)
        // As JSON would write it: JSON has no -0.
        await expectExact(text, linesOf(text))
      }),
    )
  })

  it('hold for any conversation that is logged request by request', async () => {
    await fc.assert(
      fc.asyncProperty(conversation, async (each) => {
        const ends = each.messages.flatMap(({ role }, index) => (role === 'assistant' && index > 0 ? [index] : []))
        const log = [...ends, each.messages.length].map((end) => ({ ...each, messages: each.messages.slice(0, end) }))
        const text = lines(log)
        // As JSON would write it: JSON has no -0.
        await expectExact(text, linesOf(text).slice(-1))
      }),
    )
  })
})

const text = fc.oneof(anyText({ maxLength: 30 }), fc.constantFrom('日本', '🙂', '\ud83d', '\u2028'))
const textBlock = fc.record({ type: fc.constant('text'), text })
const result = fc.record({
  type: fc.constant('tool_result'),
  tool_use_id: fc.constantFrom('a', 'b'),
  content: fc.oneof(text, fc.array(textBlock, { maxLength: 2 })),
})
const use = fc.record({
  type: fc.constant('tool_use'),
  id: fc.constantFrom('a', 'b'),
  name: text,
  input: fc.dictionary(fc.string(), fc.jsonValue()),
})
const user = fc.record({
  role: fc.constant('user'),
  content: fc.oneof(text, fc.array(fc.oneof(textBlock, result), { maxLength: 5 })),
})
const assistant = fc.record({
  role: fc.constant('assistant'),
  content: fc.oneof(text, fc.array(fc.oneof(textBlock, use), { maxLength: 4 })),
})
const conversation = fc
  .record({
    system: fc.option(fc.oneof(text, fc.array(textBlock, { maxLength: 2 }))),
    first: user,
    rest: fc.array(fc.oneof(user, assistant), { maxLength: 10 }),
    tools: fc.option(fc.array(fc.record({ name: text, input_schema: fc.constant({ type: 'object' }) }))),
  })
  .map(({ system, first, rest, tools }) => ({
    ...(system === null ? {} : { system }),
    ...(tools ? { tools } : {}),
    messages: [first, ...rest],
  }))

describe('canonical messages', () => {
  const one = async (name: string) => {
    const { traces } = await read(name)
    const [trace] = traces
    if (!trace || traces.length > 1) throw new Error(`${name} holds ${traces.length} conversations`)
    return trace
  }
  const messages = async (name: string) => messagesOf({ traces: [await one(name)] })

  it('each result is a message, and shares the recorded one', async () => {
    const results = (await messages('parallel-results.jsonl')).filter(({ role }) => role === 'tool')
    expect(results.map(({ callId, isError, continues }) => [callId, isError, continues])).toEqual([
      ['toolu_b', undefined, undefined],
      ['toolu_a', undefined, true],
      ['toolu_c', true, true],
    ])
    expect(results.map(({ toolName }) => toolName)).toEqual(['read', 'read', 'read'])
  })

  it('text beside results starts no exchange', async () => {
    const all = await messages('text-on-results.jsonl')
    expect(all.map(({ role, origin, continues }) => [role, origin, continues])).toEqual([
      ['user', undefined, undefined],
      ['assistant', undefined, undefined],
      ['tool', undefined, undefined],
      ['tool', undefined, true],
      ['user', 'queued', true],
      ['assistant', undefined, undefined],
      ['user', undefined, undefined],
      ['assistant', undefined, undefined],
      ['user', 'queued', undefined],
      ['tool', undefined, true],
      ['user', 'queued', true],
      ['assistant', undefined, undefined],
    ])
    expect(all[4]?.blocks).toHaveLength(2)
  })

  it('usage, model and time of a response come with its message', async () => {
    const trace = await one('request-response.jsonl')
    expect([trace.usage(0), trace.usage(1)]).toEqual([
      { input: 510, cacheRead: 0, cacheWrite: 500, cacheWrite1h: 200, output: 20 },
      { input: 552, cacheRead: 500, cacheWrite: 40, cacheWrite1h: 0, output: 6 },
    ])
    expect(trace.requestTime(1) - trace.requestTime(0)).toBe(9000)
    expect(trace.preamble.complete).toBe(true)
    const session = await one('session-export.json')
    expect(session.usage(0)).toMatchObject({ input: 1100, cacheRead: 1000, cacheWrite: 80, cacheWrite1h: 0, output: 4 })
    expect(session.head).toMatchObject({ conversation: 's-1', model: 'claude-sonnet-4-5' })
    expect(session.preamble.complete).toBe(false)
  })

  it('a bare list does not say what else was sent', async () => {
    expect((await one('message-list.json')).preamble).toEqual({ system: [], complete: false })
    expect((await one('message-a-line.jsonl')).preamble).toEqual({ system: [], complete: false })
  })

  it('what the provider ran itself waits for no answer', async () => {
    const trace = await one('media.jsonl')
    expect(trace.calls).toBe(0)
    expect(trace.messages?.[1]?.blocks.map(({ type }) => type)).toEqual(['opaque', 'text', 'text', 'text'])
  })

  it('a message has the line where it first appeared', async () => {
    expect((await messages('cumulative-log.jsonl')).map(({ line }) => line)).toEqual([1, 2, 2, 4, 4])
  })
})

describe('recognition', () => {
  const formatOf = async (...records: unknown[]) => (await readText(lines(records))).report.format
  const hi = { role: 'user', content: 'Hi' }

  it('plain text is OpenAI chat, unless the body says otherwise', async () => {
    expect(await formatOf({ messages: [hi] })).toBe('openai-chat')
    expect(await formatOf({ messages: [hi], max_tokens: 5, model: 'gpt-4o' })).toBe('openai-chat')
    expect(await formatOf({ messages: [hi], max_tokens: 5 })).toBe('anthropic-messages')
    expect(await formatOf({ messages: [hi], system: 'Be kind.' })).toBe('anthropic-messages')
  })

  it('what only one of them has decides, wherever it stands', async () => {
    const called = { role: 'assistant', content: [{ type: 'tool_use', id: 'a', name: 'b', input: {} }] }
    const tool = { role: 'tool', tool_call_id: 'a', content: 'b' }
    expect(await formatOf(hi, { role: 'assistant', content: 'Hello' }, hi, called)).toBe('anthropic-messages')
    expect(await formatOf(hi, { role: 'assistant', content: 'Hello' }, hi, tool)).toBe('openai-chat')
    expect(await formatOf({ messages: [hi] }, { messages: [hi, called] })).toBe('anthropic-messages')
  })

  it.each([
    { type: 'user', uuid: 'u', sessionId: 's', message: hi },
    { type: 'message', id: 'm', message: hi },
    { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'Hi' }] },
    { role: 'user', parts: [{ type: 'text', text: 'Hi' }] },
    { role: 'user', message: { content: [] } },
    { role: 'user', created: 1, content: [{ type: 'text', text: 'Hi' }] },
    { sessionId: 's', projectHash: 'p', messages: [{ type: 'user', content: 'Hi' }] },
    { messages: [{ role: 'user', content: [{ text: 'Hi' }] }], system: [{ text: 'Bedrock' }] },
    { messages: [hi, { role: 'assistant', content: [{ type: 'toolCall', id: 'a' }] }] },
    { messages: [hi, { role: 'toolResult', content: [] }] },
    { conversations: [{ from: 'human', value: 'Hi' }] },
  ])('leaves what is of another format to others: %j', (record) => {
    expect([openaiChat, anthropicMessages].map((reader) => reader.recognise(record))).toEqual([0, 0])
  })
})

describe('hostile input', () => {
  it.each([
    ['results', '{"type":"tool_result","content":[', ']}'],
    ['documents', '{"type":"document","source":{"type":"content","content":[', ']}}'],
  ])('%s that stand in each other as deep as a line may be', async (_, open, close) => {
    const times = Math.floor(deepest / (open.match(/[[{]/g) ?? []).length) - 5
    const content = `${open.repeat(times)}"deep",{"type":"text","text":"end"}${close.repeat(times)}`
    const message = `{"role":"user","content":[{"type":"tool_result","tool_use_id":"c","content":[${content}]},"after"]}`
    const read = await readText(`{"messages":[${message}]}`, 'anthropic-messages')
    const texts = messagesOf(read).flatMap(({ blocks }) => blocks.map((block) => block.type === 'text' && block.text))
    expect(texts).toEqual(['deep', 'end', 'after'])
  })

  it('never throws, whatever stands in a field', async () => {
    const key = fc.constantFrom(
      ...[
        'messages',
        'role',
        'content',
        'type',
        'text',
        'source',
        'data',
        'id',
        'tool_use_id',
        'input',
        'name',
        'usage',
      ],
      ...['system', 'tools', 'request', 'response', 'session_id', '__proto__', 'metrics', 'ts', 'model', 'is_error'],
    )
    const words = fc.constantFrom('user', 'assistant', 'tool_result', 'tool_use', 'text', 'thinking', null, 0, '', true)
    const { value } = fc.letrec((tie) => ({
      value: fc.oneof(
        { maxDepth: 6 },
        words,
        fc.array(tie('value'), { maxLength: 4 }),
        fc.dictionary(key, tie('value'), { maxKeys: 5 }),
        fc.record({ messages: fc.array(tie('value')), system: tie('value') }),
        fc.record({ role: fc.constantFrom('user', 'assistant'), content: fc.array(tie('value'), { maxLength: 4 }) }),
        fc.record({ type: words, tool_use_id: words, content: tie('value'), id: words }),
      ),
    }))
    await fc.assert(
      fc.asyncProperty(fc.array(value, { maxLength: 8 }), async (records) => {
        const { traces } = await readText(lines(records), 'anthropic-messages')
        for (const trace of traces) expectTokens(trace)
      }),
      { numRuns: 120 },
    )
  })
})

describe('compaction by the API', () => {
  const summary = 'The user listed forty lamps of the hall and asked for those in the cellar.'

  it('takes every message in front of its block out of the requests, and its summary stands for them', async () => {
    const { traces, report } = await read('server-compaction.jsonl')
    expect(report.problems).toEqual([])
    expect(traces[0]!.compactions).toMatchObject([
      { at: 3, keptFrom: 3, summary: [{ origin: 'injected', blocks: [{ type: 'text', text: summary }] }] },
    ])
    expect(messagesOf({ traces }).map(textOf)[3]).toBe('None were listed.')
  })

  it('is none where the summary is missing, or where nothing was said behind it', async () => {
    const failed = file('server-compaction.jsonl').replaceAll(`"${summary}"`, 'null')
    expect((await readText(failed)).traces[0]!.compactions).toEqual([])
    const paused = linesOf(file('server-compaction.jsonl')).at(-1).request
    paused.messages[3].content.length = 1
    const { traces } = await readText(lines([paused]))
    expect(traces[0]!.compactions).toHaveLength(1)
    expect(messagesOf({ traces })).toHaveLength(4)
  })

  it('is found in a stream', async () => {
    const [, second] = linesOf(file('server-compaction.jsonl'))
    const [{ type, content }] = second.response.content
    const events = [
      { type: 'message_start', message: { ...second.response, content: [] } },
      { type: 'content_block_start', index: 0, content_block: { type, content: null } },
      { type: 'content_block_delta', index: 0, delta: { type: 'compaction_delta', content } },
      { type: 'content_block_start', index: 1, content_block: { type: 'text', text: '' } },
      { type: 'content_block_delta', index: 1, delta: { type: 'text_delta', text: 'None were listed.' } },
    ]
    const { traces } = await readText(lines([{ ...second, response: events }]))
    expect(traces[0]!.compactions).toHaveLength(1)
  })
})

it('every fixture is in the list', () => {
  const readme = fixtureText('README.md')
  for (const name of readdirSync(new URL('../../../fixtures/anthropic-messages', import.meta.url))) {
    expect(readme).toContain(`anthropic-messages/${name}`)
  }
})
