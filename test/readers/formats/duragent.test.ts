import { describe, expect, it } from 'vitest'
import type { Trace } from '../../../src/model/trace.ts'
import reader from '../../../src/readers/formats/duragent.ts'
import { exchangesOf, messagesOf, outlines, readFixture, readRecords } from '../reading.ts'

const read = (file: string) => readFixture('duragent', file)

const inputs = (trace: Trace) => Array.from({ length: trace.requests }, (_, request) => trace.usage(request)?.input)

describe('duragent: events', () => {
  it('reads the conversation, and not what went on around it', async () => {
    const result = await read('events.jsonl')
    expect(outlines(result)).toEqual([
      '2 ?user: Is the lamp on?',
      '3 assistant: bash#c1 | bash#c2',
      '4 tool#c1: on',
      '8 !tool#c2: denied',
      '9 assistant: It is on, and stays.',
      '11 ?user: Thanks.',
      '12 assistant: Welcome.',
    ])
    const [trace] = result.traces
    expect(inputs(trace!)).toEqual([1000, 1100, undefined])
    expect(trace!.head).toMatchObject({ conversation: null, provider: 'openai', model: null })
    expect(trace!.preamble).toEqual({ system: [], complete: false })
    expect(messagesOf(result)[2]).toMatchObject({ toolName: 'bash', time: Date.UTC(2026, 2, 1, 9, 0, 4, 500) })
    expect(result.findings).toEqual([])
  })

  it('answers each skipped call, and starts no exchange while the agent works', async () => {
    const result = await read('skipped.jsonl')
    expect(outlines(result)).toEqual([
      '2 ?user: Count the lamps.',
      '3 assistant: I count. | count#c1 | count#c2 | count#c3',
      '4 tool#c1: 1',
      '5 queued: Only two, please.',
      '6 tool#c2: Skipped: new user message receiv',
      '6 tool#c3: Skipped: new user message receiv',
      '7 assistant: count#c4',
      '9 ?user: Again?',
      '10 assistant: One.',
    ])
    expect(exchangesOf(result)).toEqual(['2 interrupted', '9 complete'])
  })

  it('merges calls of older files into the message in front of them', async () => {
    const result = await read('legacy.jsonl')
    expect(outlines(result)).toEqual([
      '2 ?user: Is the lamp on?',
      '3 assistant: I look. | bash#c1 | bash#c2',
      '5 tool#c1: on',
      '7 tool#c2: 40 W',
      '8 assistant: On, 40 W.',
      '9 ?user: And now?',
      '10 assistant: bash#c3',
      '11 tool#c3: off',
    ])
    expect(inputs(result.traces[0]!)).toEqual([50, undefined, undefined])
  })

  it('keeps what stands in the place of the calls', async () => {
    const at = (seq: number) => ({ seq, timestamp: '2026-01-01T00:00:00Z' })
    const asked = { ...at(1), type: 'user_message', content: 'Hi.' }
    const answered = { ...at(2), type: 'assistant_response', content: 'Yes.', tool_calls: 'lamp' }
    expect(outlines(await readRecords([asked, answered], 'duragent'))[1]).toBe('2 assistant: Yes. | "lamp"')
    const conversation = [{ role: 'assistant', content: 'Yes.', tool_calls: 'lamp' }]
    const snapshot = { session_id: 'a', last_event_seq: 2, conversation }
    expect(outlines(await readRecords([snapshot], 'duragent'))).toEqual(['1 assistant: Yes. | "lamp"'])
  })

  it('reads an event once, and each session by itself', async () => {
    const result = await read('archive.jsonl')
    expect(outlines(result)).toEqual(['2 ?user: One.', '3 assistant: 1', '5 ?user: Two.', '6 assistant: 2'])
    expect(outlines(result, 1)).toEqual(['8 ?user: Three.'])
    expect(result.traces.map(({ head }) => head.conversation)).toEqual([null, 'line:7'])
    expect(result.findings).toEqual(['duplicate-record@4'])
    expect(result.report.damagedLines).toBe(0)
  })

  it('tells unknown kinds once, and counts broken records', async () => {
    const result = await read('damaged.jsonl')
    expect(outlines(result)).toEqual(['1 ?user: Hi.'])
    expect(result.findings).toEqual(['unknown-record@2', 'bad-record@4', 'bad-record@5', 'bad-record@6'])
    expect(result.report.damagedLines).toBe(3)
  })
})

describe('duragent: snapshots', () => {
  const stored = [
    '1 ?user: Is the lamp on?',
    '2 assistant: bash#c1',
    '3 tool#c1: on',
    '4 injected: [steering] Be quick.',
    '5 assistant: On.',
  ]

  it('reads the conversation of a state.json', async () => {
    const result = await read('state.json')
    expect(outlines(result)).toEqual(stored)
    expect(result.traces[0]!.head.conversation).toBe('session-1')
    expect(result.findings).toEqual(['bad-record@6'])
  })

  it('goes on with the events that no checkpoint has taken over', async () => {
    const result = await read('snapshot-and-events.jsonl')
    const onOneLine = stored.map((message) => message.replace(/^\d/, '1'))
    expect(outlines(result)).toEqual([...onOneLine, '3 ?user: Dim it.', '4 assistant: Dimmed.'])
    expect(inputs(result.traces[0]!)).toEqual([undefined, undefined, 30])
    expect(result.findings).toEqual(['duplicate-record@2'])
  })
})

it('duragent: knows the checkpoint of older snapshots', async () => {
  const snapshot = { schema_version: '1', session_id: 'a', last_event_seq: 2, conversation: [] }
  const event = (seq: number) => ({ seq, timestamp: '2026-03-01T09:00:00Z', type: 'user_message', content: `${seq}` })
  const result = await readRecords([snapshot, event(1), event(2), event(3)], 'duragent')
  expect(outlines(result)).toEqual(['4 ?user: 3'])
  expect(result.findings).toEqual(['duplicate-record@2', 'duplicate-record@3'])
})

it('duragent: names what an event, a snapshot or a message of one lacks, on its line', async () => {
  const oddities = async (record: object) =>
    (await readRecords([record], 'duragent')).report.problems.map(({ line, detail }) => [line, detail])
  const event = { timestamp: '2026-03-01T09:00:00Z', type: 'user_message' }
  expect(await oddities({ ...event, content: 'One.' })).toEqual([[1, 'seq']])
  expect(await oddities({ ...event, seq: 1, text: 'One.' })).toEqual([[1, 'content']])
  const snapshot = { session_id: 'a', last_event_seq: 2, checkpoint_seq: 2 }
  const conversation = [{ role: 'user', content: 'One.' }, { role: 'assistant' }]
  expect(await oddities({ ...snapshot, conversation })).toEqual([[2, 'content']])
  expect(await oddities({ ...snapshot, checkpoint_seq: '2', conversation: [] })).toEqual([[1, 'checkpoint_seq']])
})

describe('duragent: recognition', () => {
  it('knows its events and snapshots, and nothing that only looks like them', () => {
    const event = { seq: 1, timestamp: '2026-03-01T09:00:00Z' }
    expect(reader.recognise({ ...event, type: 'status_change' })).toBe(1)
    expect(reader.recognise({ session_id: 'a', last_event_seq: 1, conversation: [] })).toBe(1)
    expect(reader.recognise({ type: 'user_message', content: 'hi' })).toBe(0)
    expect(reader.recognise({ ...event, type: 'telepathy' })).toBe(0)
    expect(reader.recognise({ conversation: [], id: 'a' })).toBe(0)
    expect(reader.recognise({ type: 'error', timestamp: '' })).toBe(0)
  })
})
