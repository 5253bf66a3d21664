import { describe, expect, it } from 'vitest'
import type { Trace } from '../../../src/model/trace.ts'
import reader from '../../../src/readers/formats/forge.ts'
import { exchangesOf, messagesOf, outlines, readFixture, readRecords } from '../reading.ts'

const read = (file: string) => readFixture('forge', file)

/** Input, cached input and output of each request. */
const usageOf = (trace: Trace) =>
  Array.from({ length: trace.requests }, (_, request) => {
    const usage = trace.usage(request)
    return usage && [usage.input, usage.cacheRead, usage.output]
  })

describe('forge: dumps', () => {
  it('reads messages, attachments, images, thoughts, calls and results', async () => {
    const result = await read('dump.json')
    expect(outlines(result)).toEqual([
      '3 ?user: <task>What is in lamp.rs?</task>',
      '4 injected: <file_content path="lamp.rs">fn ',
      '5 injected: <image 5>',
      '6 assistant: (A lamp.) | <opaque 8> | I look. | read#toolu_1 | sage#toolu_2',
      '7 tool#toolu_1: fn main() {} | <image 5>',
      '8 !tool#toolu_2: Lamps shine.',
      '9 assistant: A lamp.',
      '10 ?user: <task>Thanks.</task>',
      '11 assistant: Welcome.',
    ])
    expect(exchangesOf(result)).toEqual(['3 complete', '10 complete'])
    expect(messagesOf(result)[2]!.blocks).toMatchObject([{ type: 'image', mediaType: 'image/png' }])
    expect(messagesOf(result)[4]).toMatchObject({ toolName: 'read' })
    expect(result.findings).toEqual([])
  })

  it('takes usage that was counted, and none that was approximated', async () => {
    const { traces } = await read('dump.json')
    expect(usageOf(traces[0]!)).toEqual([[900, 0, 40], [1000, 880, 20], null])
  })

  it('has system messages and tools in front, and then knows all that was sent', async () => {
    const { traces } = await read('dump.json')
    expect(traces[0]!.preamble.system.map(({ line }) => line)).toEqual([1, 2])
    expect(traces[0]!.preamble.tools).toMatchObject([{ name: 'read' }])
    expect(traces[0]!.preamble.complete).toBe(true)
  })

  it('makes a transcript of each sub-agent, and says whose it is', async () => {
    const { traces } = await read('dump.json')
    expect(traces.map(({ head }) => [head.conversation?.[0], head.parent?.[0], head.provider, head.model])).toEqual([
      ['1', undefined, 'anthropic', 'claude-sonnet-4-5'],
      ['2', '1', 'openai', 'gpt-5'],
    ])
    expect(traces[1]!.head.forkMessage).toBe(null)
  })

  it('remembers a summary frame as a compaction, behind what had stayed', async () => {
    const result = await read('compacted.json')
    expect(outlines(result)).toEqual([
      '2 ?user: <task>What is in lamp.rs?</task>',
      '4 assistant: Where were we?',
      '5 ?user: <task>Dim it.</task>',
      '6 assistant: Dimmed.',
    ])
    const [trace] = result.traces
    expect(trace!.compactions).toMatchObject([{ at: 1, keptFrom: 0, line: 3, summary: [{ origin: 'injected' }] }])
    expect(usageOf(trace!)).toEqual([
      [300, 0, 4],
      [330, 0, 2],
    ])
  })
})

describe('forge: older forms', () => {
  it('reads a conversation by itself, in the spellings of its time', async () => {
    const result = await read('old-spellings.json')
    expect(outlines(result)).toEqual([
      '2 ?user: Dim the lamp.',
      '3 assistant: patch#unnamed:0 | read#unnamed:1',
      '4 tool#unnamed:1: # lamp | [File diff: lamp.rs]',
      '5 tool#unnamed:0: for the model',
      '6 assistant: Dimmed.',
      '7 system: A reminder.',
      '8 ?user: Good.',
      '9 assistant: ',
      '10 tool#undefined: {"unheard":"of"}',
    ])
    expect(messagesOf(result)[1]!.blocks).toMatchObject([
      { input: '{"path":"lamp.rs"}' },
      { input: { path: 'lamp.rs' } },
    ])
    const [trace] = result.traces
    expect(usageOf(trace!)).toEqual([null, null, [500, 400, 9]])
    expect(trace!.preamble).toMatchObject({ complete: false, system: [{ line: 1 }] })
    expect(result.findings).toEqual(['bad-shape@10', 'bad-record@11', 'bad-record@12', 'bad-record@13'])
  })

  it('names what an entry lacks, on its line', async () => {
    const oddities = async (record: object) =>
      (await readRecords([record], 'forge')).report.problems.map(({ line, detail }) => [line, detail])
    const messages = [{ text: { role: 'User', content: 'Hi.' } }, { text: { role: 'Assistant', text: 'Yes.' } }]
    const conversation = { id: 'a', context: { messages } }
    expect(await oddities(conversation)).toEqual([[2, 'text.content']])
    expect(await oddities({ conversation })).toEqual([
      [2, 'text.content'],
      [1, 'related_conversations'],
    ])
    const row = { conversation_id: 'a', context: JSON.stringify({ messages, tools: {} }) }
    expect(await oddities(row)).toEqual([
      [1, 'text.content'],
      [1, 'tools'],
    ])
  })

  it('reads rows of the table, whose messages are nested or not', async () => {
    const result = await read('table-rows.jsonl')
    expect(outlines(result, 1)).toEqual(['2 ?user: Is it off?', '2 assistant: Yes.', '2 ?user: Sure?'])
    expect(result.traces.map((trace) => [trace.head.provider, usageOf(trace)])).toEqual([
      ['google', [[50, 0, 1]]],
      ['google', [[51, 0, 1]]],
    ])
    expect(result.findings).toEqual(['bad-record@3'])
  })

  it('keeps what stands in the place of the calls', async () => {
    const messages = [{ text: { role: 'Assistant', content: 'Yes.', tool_calls: 'lamp' } }]
    const result = await readRecords([{ id: 'a', context: { messages } }], 'forge')
    expect(outlines(result)).toEqual(['1 assistant: Yes. | "lamp"'])
  })

  it('keeps reasoning of another type', async () => {
    const said = (reasoning_details: unknown) => ({ text: { role: 'Assistant', content: 'Yes.', reasoning_details } })
    const result = await readRecords([{ id: 'a', context: { messages: [said({ text: 'Hm.' }), said([7])] } }], 'forge')
    expect(outlines(result)).toEqual(['1 assistant: (Hm.) | Yes.', '2 assistant: 7 | Yes.'])
  })

  it('starts an exchange with an image that nobody introduces', async () => {
    const image = { image: { url: 'https://lamp.example/on.png', mime_type: 'image/png' } }
    const messages = [image, image, { text: { role: 'assistant', content: 'A lamp.' } }, image]
    const result = await readRecords([{ id: 'a', context: { messages } }], 'auto')
    expect(messagesOf(result).map(({ origin }) => origin)).toEqual([undefined, 'injected', undefined, undefined])
  })
})

describe('forge: recognition', () => {
  it('knows its conversations, and nothing that only looks like them', () => {
    const context = { messages: [{ text: { role: 'User', content: 'hi' } }] }
    expect(reader.recognise({ id: 'a', context })).toBe(1)
    expect(reader.recognise({ conversation: { id: 'a', context: null, metrics: {} } })).toBe(1)
    expect(reader.recognise({ conversation_id: 'a', context: JSON.stringify(context) })).toBe(1)
    expect(reader.recognise({ id: 'a', messages: [{ role: 'user', content: 'hi' }] })).toBe(0)
    expect(reader.recognise({ id: 'a', context: { messages: [{ role: 'user', content: 'hi' }] } })).toBe(0)
    expect(reader.recognise({ id: 'a', context: null })).toBe(0)
    expect(reader.recognise({ context })).toBe(0)
  })
})
