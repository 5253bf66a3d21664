import { describe, expect, it } from 'vitest'
import { simulateSources } from '../../../src/app/analyse.ts'
import { choose } from '../../../src/base/chosen.ts'
import { policies } from '../../../src/policies/index.ts'
import reader from '../../../src/readers/formats/otel-genai.ts'
import { fixtureText, messagesOf, outlines, readFixture, readText } from '../reading.ts'

const read = (file: string) => readFixture('otel-genai', file)

describe('otel-genai: spans', () => {
  it('joins requests that grow, in the order of their times, whether as JSON or structured', async () => {
    const result = await read('otlp.json')
    expect(outlines(result)).toEqual([
      '1 ?user: Mend the lamp. | <image 8>',
      '1 assistant: (Where is it?) | I look. | bash#call_1 | bash#call_2',
      '1 tool#call_1: lamp.py',
      '1 tool#call_2: {"path":"/lamp"}',
      '1 assistant: Mended.',
    ])
    expect(result.findings).toEqual([])
    const [trace] = result.traces
    expect(trace!.head).toMatchObject({ conversation: 'conv-1', model: 'gpt-5-2025-08-07' })
    expect(trace!.preamble).toMatchObject({
      tools: [{ name: 'bash' }],
      system: [{ blocks: [{ text: 'You mend lamps.' }] }],
    })
    expect([0, 1].map((request) => trace!.usage(request))).toEqual([
      { input: 100, cacheRead: 0, cacheWrite: 0, cacheWrite1h: 0, output: 30 },
      { input: 150, cacheRead: 100, cacheWrite: 0, cacheWrite1h: 0, output: 5 },
    ])
    expect(trace!.requestTime(0)).toBe(1_767_225_601_500)
  })

  it('reads the conventions of before: a field an attribute, OpenInference, events of the span', async () => {
    const result = await read('earlier.jsonl')
    expect([0, 1, 2].map((index) => outlines(result, index))).toEqual([
      ['1 ?user: Is it on?', '1 assistant:  | look#call_1'],
      ['2 ?user: And the switch?', '2 assistant: look#toolu_1'],
      ['3 ?user: What of the bulb?', '3 assistant: It is red.'],
    ])
    expect(result.traces.map((trace) => trace.usage(0)?.input)).toEqual([20, 100, undefined])
    expect(result.traces.map(({ preamble }) => preamble.tools)).toEqual([
      [{ name: 'look' }],
      [{ name: 'look' }],
      undefined,
    ])
  })

  it('puts a conversation of any-agent together, which records the messages of its first request only', async () => {
    const result = await read('any-agent.json')
    expect(outlines(result)).toEqual([
      '1 ?user: Mend it.',
      '1 assistant: look#unnamed:0',
      '1 tool#unnamed:0: lamp.py',
      '1 assistant: Mended.',
    ])
    expect([0, 1].map((request) => result.traces[0]!.usage(request)?.input)).toEqual([30, 40])
  })

  it('takes an answer that is an object for what the model wrote', async () => {
    const attributes = { 'gen_ai.operation.name': 'call_llm', 'gen_ai.output': '{"on": true}' }
    const input = { 'gen_ai.input.messages': '[{"role":"user","content":"Is it on?"}]' }
    const span = { name: 'call_llm', start_time: 1767225601000000000, attributes: { ...attributes, ...input } }
    const result = await readText(JSON.stringify({ spans: [span] }), 'otel-genai')
    expect(outlines(result)).toEqual(['1 ?user: Is it on?', '1 assistant: {"on": true}'])
    expect(result.findings).toEqual([])
  })

  it("reads the spans of the AI SDK's requests, and not those of the runs around them", async () => {
    const prompt = [
      { role: 'system', content: 'You keep lamps.' },
      { role: 'user', content: [{ type: 'text', text: 'Is it on?' }] },
      {
        role: 'assistant',
        content: [
          { type: 'reasoning', text: 'I look.' },
          { type: 'tool-call', toolCallId: 'c', toolName: 'read', input: { lamp: 1 } },
        ],
      },
      {
        role: 'tool',
        content: [{ type: 'tool-result', toolCallId: 'c', toolName: 'read', output: { type: 'text', value: 'on' } }],
      },
    ]
    const counts = { 'ai.usage.inputTokens': 900, 'ai.usage.outputTokens': 7, 'ai.usage.cachedInputTokens': 800 }
    const calls = JSON.stringify([{ toolCallId: 'd', toolName: 'dim', input: { by: 2 } }])
    const run = {
      'operation.name': 'ai.generateText lamps',
      'ai.prompt': '{}',
      'ai.response.text': 'It is.',
      ...counts,
    }
    const asked = {
      ...{ 'operation.name': 'ai.generateText.doGenerate lamps', 'ai.model.id': 'claude-sonnet-4-5' },
      ...{ 'ai.prompt.messages': JSON.stringify(prompt), 'ai.response.text': 'It is.', 'ai.response.toolCalls': calls },
      ...counts,
    }
    const spans = [run, asked].map((attributes, at) => ({
      name: 'ai',
      start_time: 1767225601000000000 + at * 1e9,
      attributes,
    }))
    const result = await readText(JSON.stringify({ spans }))
    expect(result.findings).toEqual([])
    expect(outlines(result)).toEqual([
      '1 ?user: Is it on?',
      '1 assistant: (I look.) | read#c',
      '1 tool#c: on',
      '1 assistant: It is. | dim#d',
    ])
    const [trace] = result.traces
    expect(trace!.usage(0)).toBeNull()
    expect(trace!.usage(1)).toEqual({ input: 900, cacheRead: 800, cacheWrite: 0, cacheWrite1h: 0, output: 7 })
    expect(trace!.head.model).toBe('claude-sonnet-4-5')
    expect(trace!.preamble.system).toMatchObject([{ blocks: [{ text: 'You keep lamps.' }] }])
  })

  it('names what it cannot read of a request', async () => {
    const odd = async (attributes: object, beside: object = { start_time: 1767225601000000000 }) => {
      const said = { 'gen_ai.input.messages': [{ role: 'user', content: 'Hi.' }], ...attributes }
      const span = { name: 'chat', ...beside, attributes: { 'gen_ai.operation.name': 'chat', ...said } }
      const { report } = await readText(JSON.stringify({ spans: [span] }), 'otel-genai')
      return report.problems.map(({ code, detail }) => [code, detail])
    }
    expect(await odd({})).toEqual([])
    expect(await odd({}, {})).toEqual([['bad-shape', 'spans[].start_time']])
    expect(await odd({ 'gen_ai.usage.input_tokens': 9 })).toEqual([['bad-shape', 'spans[].gen_ai.usage']])
    expect(await odd({ 'gen_ai.input.messages': [{ role: 'user', text: 'Hi.' }] })).toEqual([['bad-shape', 'content']])
    // Attributes are cut off where they are too long.
    const cut = { 'gen_ai.input.messages': '[{"role":"user","conte', 'gen_ai.output.messages': 'Hello.' }
    expect(await odd(cut)).toEqual([['bad-shape', 'spans[].gen_ai.input.messages']])
    const unasked = { 'gen_ai.input.messages': undefined, 'gen_ai.output.messages': 'Hello.' }
    expect(await odd(unasked)).toEqual([['bad-shape', 'gen_ai.input.messages']])
  })

  it('keeps the spans in front of where a document was cut off', async () => {
    const text = fixtureText('otel-genai', 'any-agent.json')
    const result = await readText(text.slice(0, text.lastIndexOf('call_llm')))
    expect(messagesOf(result)).toHaveLength(2)
    expect(result.findings.map((finding) => finding.split('@')[0])).toEqual(['torn-document'])
  })
})

describe('otel-genai: requests without messages', () => {
  const span = (attributes: Record<string, unknown>) => ({ name: 'span', start_time: 1767225601000000000, attributes })
  const silent = span({ 'gen_ai.operation.name': 'chat', 'gen_ai.request.model': 'gpt-5' })
  const tool = span({ 'gen_ai.operation.name': 'execute_tool', 'gen_ai.tool.name': 'bash' })
  const heard = (text: string) =>
    span({ 'gen_ai.operation.name': 'chat', 'gen_ai.input.messages': [{ role: 'user', content: text }] })

  it('reports them, beside others of the same export and alone, and no span that is no request', async () => {
    const text = [{ spans: [heard('Hi.'), tool] }, { spans: [heard('Who?'), silent] }, silent, tool]
    const result = await readText(text.map((each) => JSON.stringify(each)).join('\n'))
    expect(messagesOf(result, 0).concat(messagesOf(result, 1))).toHaveLength(2)
    expect(result.findings).toEqual(['no-content@2', 'no-content@3'])
  })

  it('says of a file of nothing else how they are captured', async () => {
    const source = { name: 'spans.jsonl', chunks: [Buffer.from(`${JSON.stringify(silent)}\n`)] }
    const plan = { policies: [choose(policies.get('keep-all'))], estimators: [], budgets: [0] }
    await expect(simulateSources([source], plan)).rejects.toThrow(
      'OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT=SPAN_ONLY',
    )
  })
})

describe('otel-genai: recognition', () => {
  it('knows spans of models, and no others', () => {
    const span = { name: 'chat', attributes: { 'gen_ai.request.model': 'gpt-5' } }
    expect(reader.recognise(span)).toBe(1)
    expect(reader.recognise({ spans: [span] })).toBe(1)
    expect(reader.recognise({ resourceSpans: [{ scopeSpans: [{ spans: [span] }] }] })).toBe(1)
    expect(reader.recognise({ ...span, attributes: { 'http.method': 'GET' } })).toBe(0)
    expect(reader.recognise({ resourceSpans: [] })).toBe(0)
    expect(reader.recognise({ name: 'chat', arguments: {} })).toBe(0)
    expect(reader.recognise([span])).toBe(0)
  })
})
