import { describe, expect, it } from 'vitest'
import type { Trace } from '../../../src/model/trace.ts'
import reader from '../../../src/readers/formats/mimir/mimir.ts'
import { exchangesOf, messagesOf, outlines, readFixture, readRecords } from '../reading.ts'

const read = (file: string) => readFixture('mimir', file)

const inputs = (trace: Trace) => Array.from({ length: trace.requests }, (_, request) => trace.usage(request)?.input)

describe('mimir: logs', () => {
  it('takes the messages from the contexts, and calls and usage from the events between them', async () => {
    const result = await read('contexts.jsonl')
    expect(outlines(result)).toEqual([
      '5 ?user: Who lives in the tower?',
      '6 assistant: I look. | find_npc#call_a | find_map#call_b',
      '7 tool#call_a: Ada',
      '8 !tool#call_b: Error: no map',
      '11 assistant: Ada does.',
      '17 ?user: What does she want?',
      '18 assistant: A lamp.',
    ])
    const [trace] = result.traces
    expect(inputs(trace!)).toEqual([900, 1000, undefined])
    expect(trace!.head).toMatchObject({ conversation: 'chat-1', provider: 'openai', model: 'qwen3:32b' })
    expect(trace!.preamble).toMatchObject({ system: [{ role: 'system' }], complete: false })
    expect(messagesOf(result)[2]).toMatchObject({ toolName: 'find_npc', time: Date.UTC(2026, 2, 1, 9, 0, 7, 250) })
    expect(messagesOf(result)[1]!.blocks[1]).toMatchObject({ input: { place: 'tower' } })
    expect(result.findings).toEqual([])
  })

  it('goes on with the whole history where a context was pruned, and remembers what was kept', async () => {
    const result = await read('pruned.jsonl')
    expect(outlines(result).map((message) => message.replace(/^\d+ /, ''))).toEqual([
      '?user: Question 1?',
      'assistant: Answer 1.',
      '?user: Question 2?',
      'assistant: Answer 2.',
      '?user: Question 3?',
      'assistant: Answer 3.',
      '?user: Question 4?',
      'assistant: I look. | find#call_1',
      'tool#call_1: it',
      'assistant: More. | find#call_2',
      'tool#call_2: them',
      'assistant: Answer 4.',
    ])
    const [trace] = result.traces
    expect(trace!.compactions.map(({ at, keptFrom }) => [at, keptFrom])).toEqual([
      [7, 1],
      [11, 5],
    ])
    expect(trace!.compactions[1]!.summary).toMatchObject([{ role: 'system', blocks: [{ type: 'text' }] }])
    expect(inputs(trace!)).toEqual([100, 200, 300, 350, 380, 360])
  })

  it('makes do with the events where no context is logged', async () => {
    const result = await read('events-only.jsonl')
    expect(outlines(result)).toEqual([
      '2 ?user: Who lives in the tower?',
      '5 assistant: find_npc#unnamed:0',
      '6 tool#unnamed:0: {"name":"Ada"}',
      '8 assistant: Ada does.',
      '10 ?user: Who lives in the tower?',
      '13 assistant: A lamp.',
    ])
    const [trace] = result.traces
    expect(trace!.preamble.system).toMatchObject([{ line: 3 }])
    // Four messages after the cut: the system prompt, the note, and the newest two.
    expect(trace!.compactions).toMatchObject([{ at: 5, keptFrom: 3, summary: [] }])
    expect(inputs(trace!)).toEqual([50, 70, 60])
  })

  it('makes one transcript of a session, whatever was edited or begun anew in it', async () => {
    const result = await read('sessions.jsonl')
    expect(outlines(result)).toEqual([
      '2 ?user: One.',
      '3 assistant: 1',
      '8 ?user: Two.',
      '9 assistant: 2',
      '11 ?user: Two, differently.',
      '12 assistant: zwei',
    ])
    expect(outlines(result, 1)).toEqual(['5 ?user: Uno.', '6 assistant: uno', '14 ?user: Afresh.', '15 assistant: yes'])
    expect(result.traces.map((trace) => [0, 1, 2, 3].filter((index) => trace.isReset(index)))).toEqual([[], [2]])
    expect(result.findings).toEqual(['unknown-record@16', 'bad-record@18', 'bad-record@19', 'bad-record@20'])
  })

  it('knows that nothing else was sent where there were no tools', async () => {
    const event = (tools_enabled: boolean, tools_count: number) => ({
      session_id: 'a',
      event: 'full_conversation_context',
      messages: [{ role: 'user', content: 'Hi.' }],
      tools_enabled,
      tools_count,
    })
    for (const [record, complete] of [
      [event(true, 9), false],
      [event(true, 0), true],
      [event(false, 9), true],
    ] as const) {
      const { traces } = await readRecords([record], 'mimir')
      expect(traces[0]!.preamble.complete).toBe(complete)
    }
  })
})

describe('mimir: stored chats', () => {
  it('reads what was saved, without the calls that were not', async () => {
    const result = await read('chat.json')
    expect(outlines(result)).toEqual([
      '1 ?user: Who lives in the tower?',
      '2 assistant: I look.',
      '3 tool#undefined: Ada',
      '4 assistant: Ada does.',
      '5 ?user: Thanks.',
      '6 assistant: Welcome.',
    ])
    expect(inputs(result.traces[0]!)).toEqual([900, 1000, undefined])
    expect(exchangesOf(result)).toEqual(['1 complete', '5 complete'])
    expect(result.traces[0]!.head.conversation).toBe('chat-7')
  })

  it('knows chats whose times are numbers, as the program stores them', () => {
    const message = { id: 'm', role: 'user', content: 'Hi.', timestamp: 1772355601 }
    const chat = { id: 'a', title: 'A', created_at: 1772355600, updated_at: 1772355660, messages: [message] }
    expect(reader.recognise(chat)).toBe(1)
    expect(reader.recognise({ ...chat, created_at: null })).toBe(0)
  })

  it('names what a message lacks, on its line', async () => {
    const oddities = async (message: object) => {
      const chat = {
        id: 'a',
        title: 'A',
        created_at: 1,
        updated_at: 2,
        messages: [{ role: 'user', content: '' }, message],
      }
      return (await readRecords([chat], 'mimir')).report.problems.map(({ line, detail }) => [line, detail])
    }
    expect(await oddities({ role: 'tool', text: 'Ada' })).toEqual([[2, 'content']])
    expect(await oddities({ role: 'assistant', content: '', tokenUsage: { prompt: 7 } })).toEqual([
      [2, 'tokenUsage.completion'],
    ])
    expect(await oddities({ role: 'assistant', content: '', toolCalls: ['find', { name: 'find' }] })).toEqual([
      [2, 'toolCalls[].arguments'],
    ])
  })

  it('reads what the frontend holds beside it', async () => {
    const result = await read('frontend-chat.json')
    expect(outlines(result)).toEqual([
      '2 ?user: Who?',
      '3 assistant: find_npc#call_1',
      '4 !tool#call_1: nobody',
      '5 assistant: Nobody.',
    ])
    expect(inputs(result.traces[0]!)).toEqual([80, undefined])
    expect(result.traces[0]!.preamble.system).toMatchObject([{ line: 1 }])
    expect(result.findings).toEqual(['bad-record@6'])
  })
})

describe('mimir: recognition', () => {
  it('knows its events and chats, and nothing that only looks like them', () => {
    const chat = { id: 'a', title: 'b', created_at: '', updated_at: '' }
    expect(reader.recognise({ session_id: 'a', event: 'session_info', action: 'chat_started' })).toBe(1)
    expect(reader.recognise({ ...chat, messages: [] })).toBe(1)
    expect(reader.recognise({ ...chat, messages: [{ role: 'user', content: 'hi' }] })).toBe(0)
    expect(reader.recognise({ session_id: 'a', event: 'session_info' })).toBe(0)
    expect(reader.recognise({ session_id: 'a', event: 'constructor' })).toBe(0)
    expect(reader.recognise({ messages: [{ role: 'user', content: 'hi' }], session_id: 'a' })).toBe(0)
  })
})
