import { describe, expect, it } from 'vitest'
import reader from '../../../src/readers/formats/langsmith.ts'
import { fixtureText, outlines, readFixture, readRecords, readText } from '../reading.ts'

const read = (file: string) => readFixture('langsmith', file)

describe('langsmith: runs', () => {
  it('joins the runs of a thread that grow, with the usage of each', async () => {
    const result = await read('runs.jsonl')
    expect(outlines(result)).toEqual([
      '2 ?user: Mend the lamp.',
      '2 assistant: I look. | bash#toolu_1',
      '3 tool#toolu_1: lamp.py',
      '3 assistant: Mended.',
    ])
    expect(result.report).toMatchObject({ used: 2, noContext: 1, leftOut: 0 })
    const [trace] = result.traces
    expect(trace!.head).toMatchObject({ conversation: 'th-1', model: 'claude-sonnet-4-5' })
    expect(trace!.preamble).toMatchObject({ tools: [{ name: 'bash' }], system: [{ role: 'system' }] })
    expect([0, 1].map((request) => trace!.usage(request))).toEqual([
      { input: 120, cacheRead: 100, cacheWrite: 10, cacheWrite1h: 0, output: 20 },
      { input: 150, cacheRead: 0, cacheWrite: 0, cacheWrite1h: 0, output: 4 },
    ])
  })

  it('knows the end of a run by its place, as the SDK for JavaScript sends it', async () => {
    const id = 'dc34609e-3eeb-459d-bc2a-6fedb01d2e6e'
    const run = { trace_id: id, dotted_order: `20261013T070537170001Z${id}` }
    const inputs = { messages: [{ role: 'user', content: 'Is it on?' }] }
    const outputs = { choices: [{ message: { role: 'assistant', content: 'It is.' } }] }
    const post = { ...run, id, run_type: 'llm', inputs }
    const whole = await readRecords([{ post: [post], patch: [{ ...run, outputs }] }], 'langsmith')
    expect(outlines(whole)).toEqual(['1 ?user: Is it on?', '1 assistant: It is.'])
    expect(whole.findings).toEqual([])
    const end = await readRecords([{ post: [post] }, { patch: [{ ...run, outputs }] }], 'langsmith')
    expect(end.report.problems).toEqual([{ code: 'bad-shape', line: 2, detail: '[].run_type' }])
  })

  it('names inputs of another form, unless they are hidden', async () => {
    const run = { id: 'r', trace_id: 'r', run_type: 'llm' }
    const { report } = await readRecords(
      [
        { ...run, inputs: {} },
        { ...run, inputs: { question: 'Is it on?' } },
      ],
      'langsmith',
    )
    expect(report.problems).toEqual([{ code: 'bad-shape', line: 2, detail: 'inputs.messages' }])
  })

  it('joins what a batch says of a run at its beginning and at its end', async () => {
    const result = await read('batch.json')
    expect(outlines(result)).toEqual(['1 ?user: Is it on?', '1 assistant: It is.'])
    expect(result.traces[0]!.usage(0)).toMatchObject({ input: 9, output: 3 })
  })

  it('takes a run that failed for a request without a response', async () => {
    const failed = { run_type: 'llm', trace_id: 't', id: 'r', error: 'overloaded', outputs: null }
    const inputs = { messages: [{ role: 'user', content: 'Is it on?' }] }
    const result = await readRecords([{ ...failed, inputs }], 'auto')
    expect(outlines(result)).toEqual(['1 ?user: Is it on?'])
    expect(result.findings).toEqual([])
  })
})

describe('langsmith: messages of LangChain', () => {
  it.each([
    ['an array', (messages: unknown[]) => JSON.stringify(messages)],
    ['lines', (messages: unknown[]) => messages.map((message) => JSON.stringify(message)).join('\n')],
    ['a state', (messages: unknown[]) => JSON.stringify({ values: { messages } })],
  ])('are read from %s', async (_, written) => {
    const result = await readText(written(JSON.parse(fixtureText('langsmith', 'messages.json'))))
    expect(outlines(result).map((line) => line.replace(/^\d+ /, ''))).toEqual([
      '?user: Mend the lamp.',
      'assistant:  | bash#call_1',
      'tool#call_1: lamp.py',
      'assistant: Mended.',
    ])
    expect(result.report.format).toBe('langsmith')
  })
})

describe('langsmith: recognition', () => {
  it('knows runs and messages, and nothing that only looks like them', () => {
    expect(reader.recognise({ run_type: 'llm', trace_id: 't', inputs: {} })).toBe(1)
    expect(reader.recognise({ type: 'human', content: 'Is it on?' })).toBe(0.9)
    expect(reader.recognise({ messages: [{ type: 'ai', data: { content: 'It is.' } }] })).toBe(1)
    expect(reader.recognise({ run_type: 'llm' })).toBe(0)
    expect(reader.recognise({ type: 'human', role: 'user', content: 'Is it on?' })).toBe(0)
    expect(reader.recognise({ type: 'system', subtype: 'init', session_id: 's' })).toBe(0)
    expect(reader.recognise({ messages: [{ role: 'user', content: 'Is it on?' }] })).toBe(0)
  })
})
