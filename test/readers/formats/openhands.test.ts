import { describe, expect, it } from 'vitest'
import reader from '../../../src/readers/formats/openhands/openhands.ts'
import { exchangesOf, fixtureText, linesOf, outlines, readFixture, readRecords, readText } from '../reading.ts'

const read = (file: string) => readFixture('openhands', file)
const event = { id: 1, source: 'user', action: 'message', args: { content: 'Mend the lamp.' } }

describe('openhands: events', () => {
  it('reads the response of several actions as one message, with its usage', async () => {
    const result = await read('trajectory.json')
    expect(outlines(result)).toEqual([
      '2 ?user: Mend the lamp. | <image 8>',
      '4 injected: Mind the glass.',
      '6 assistant: I look. | execute_bash#toolu_1 | execute_bash#toolu_2',
      '8 tool#toolu_1: lamp.py',
      '9 tool#toolu_2: /lamp',
      '11 assistant: Done. | finish#toolu_3',
    ])
    const [trace] = result.traces
    expect(trace!.preamble).toMatchObject({
      complete: true,
      tools: [{ type: 'function' }],
      system: [{ role: 'system' }],
    })
    expect([trace!.usage(0), trace!.usage(1)]).toEqual([
      { input: 500, cacheRead: 0, cacheWrite: 480, cacheWrite1h: 0, output: 40 },
      { input: 600, cacheRead: 480, cacheWrite: 100, cacheWrite1h: 0, output: 20 },
    ])
    expect(trace!.head.model).toBe('claude-sonnet-4-5')
    expect(result.report).toMatchObject({ records: 11, used: 9, noContext: 2, leftOut: 0 })
  })

  it('remembers a condensation: the first messages stay in front of its summary', async () => {
    const { traces } = await read('trajectory.json')
    const [compaction] = traces[0]!.compactions
    expect(compaction).toMatchObject({ at: 5, keptFrom: 4, line: 10 })
    expect(compaction!.summary.map(({ blocks }) => blocks[0])).toEqual([
      { type: 'text', text: 'Mend the lamp.' },
      { type: 'text', text: 'Mind the glass.' },
      { type: 'text', text: 'There is a lamp.py.' },
    ])
  })

  it('reads pairs of action and observation, whose responses are not recorded', async () => {
    const result = await read('output.jsonl')
    expect(outlines(result)).toEqual([
      '1 ?user: Mend the lamp.',
      '1 assistant: I look. | run#unnamed:0',
      '1 tool#unnamed:0: lamp.py',
      '1 assistant: Which one?',
      '1 ?user: The red one.',
      '1 assistant: Mended.',
    ])
    expect(exchangesOf(result)).toEqual(['1 complete', '1 complete'])
    expect(result.traces[0]!.head).toMatchObject({ conversation: 'lamp-1', model: 'gpt-4o' })
  })

  it('takes usage from the metrics of the row where the response has none', async () => {
    const { traces, findings } = await read('output.jsonl')
    expect(traces[1]!.usage(0)).toMatchObject({ input: 500, cacheRead: 300, output: 40 })
    expect(findings).toEqual(['bad-record@2'])
  })

  it('reads an action without its response as a call', async () => {
    const actions = [
      event,
      { id: 2, source: 'agent', action: 'read', args: { path: 'lamp.py', thought: 'I look.' } },
      { id: 3, source: 'agent', observation: 'read', content: 'on = True', cause: 2 },
      { id: 4, source: 'environment', observation: 'error', content: 'Out of glass.', extras: {} },
      { id: 5, source: 'user', action: 'run', args: { command: 'ls' } },
      { id: 6, source: 'agent', action: 'dance', observation: 'dance', args: {} },
    ]
    const result = await readRecords(actions, 'auto')
    expect(outlines(result)).toEqual([
      '1 ?user: Mend the lamp.',
      '2 assistant: I look. | read#unnamed:0',
      '3 tool#unnamed:0: on = True',
      '4 injected: Out of glass.',
      '5 injected: {"run":{"command":"ls"}}',
    ])
    expect(result.findings).toEqual(['unknown-record@6'])
  })
})

describe('openhands: events of the agent SDK', () => {
  it('reads the actions of one response as one message', async () => {
    const result = await read('sdk.jsonl')
    expect(outlines(result)).toEqual([
      '2 ?user: Mend the lamp. | <image 0> | Mind the glass.',
      '3 assistant: I look. | terminal#call_1 | terminal#call_2',
      '5 tool#call_1: lamp.py',
      '6 tool#call_2: /lamp',
      '9 assistant: terminal#call_3',
      '10 tool#call_3: No such tool.',
      '11 assistant: Mended.',
    ])
    const [trace] = result.traces
    expect(trace!.preamble.system.map(({ blocks }) => blocks[0])).toMatchObject([
      { text: 'You are OpenHands agent.' },
      { text: 'It is Monday.' },
    ])
    expect(trace!.compactions).toMatchObject([{ at: 4, keptFrom: 4, line: 7, summary: [{}, { origin: 'injected' }] }])
    expect(result.findings).toEqual([])
  })

  it('takes usage from the metrics of a row, by response', async () => {
    const history = linesOf(fixtureText('openhands', 'sdk.jsonl'))
    const token_usages = [{ response_id: 'r2', prompt_tokens: 90, completion_tokens: 3 }]
    for (const metrics of [{ token_usages }, { usage_to_metrics: { agent: { token_usages } } }]) {
      const { traces } = await readRecords([{ instance_id: 'lamp', history, metrics }], 'auto')
      expect([0, 1].map((request) => traces[0]!.usage(request)?.input)).toEqual([undefined, 90])
    }
  })
})

describe('openhands: damage', () => {
  it('keeps the events in front of where a trajectory was cut off', async () => {
    const text = fixtureText('openhands', 'trajectory.json')
    const result = await readText(text.slice(0, text.indexOf('"content": "/lamp"')))
    expect(result.findings.map((finding) => finding.split('@')[0])).toEqual(['torn-document'])
    expect(outlines(result)).toHaveLength(4)
  })

  it('names counts that a row must have beside their sum', async () => {
    const history = [event, { id: 2, source: 'agent', action: 'finish', args: { thought: 'Mended.' } }]
    const accumulated_token_usage = { prompt_tokens: 90, completion_tokens: 3 }
    for (const metrics of [{ accumulated_token_usage }, { usage_to_metrics: { agent: { accumulated_token_usage } } }]) {
      const { report } = await readRecords([{ instance_id: 'lamp', history, metrics }], 'auto')
      expect(report.problems).toMatchObject([{ code: 'bad-shape', line: 1 }, { code: 'unread-usage' }])
      expect(report.problems[0]?.detail).toContain('token_usages')
    }
  })

  it('forgets nothing for ids that stand nowhere', async () => {
    const wild = {
      id: 2,
      source: 'agent',
      action: 'condensation',
      args: { forgotten_events_start_id: -5, forgotten_events_end_id: 2 ** 40 },
    }
    const { traces } = await readRecords([event, { ...wild, args: { forgotten_event_ids: ['x'] } }, event], 'auto')
    expect(traces[0]!.compactions).toEqual([])
    expect((await readRecords([event, wild, event], 'auto')).traces[0]!.compactions).toHaveLength(1)
  })
})

describe('openhands: recognition', () => {
  it('knows its events and rows, and nothing that only looks like them', () => {
    expect(reader.recognise(event)).toBe(1)
    expect(reader.recognise({ kind: 'MessageEvent', source: 'user', llm_message: {} })).toBe(1)
    expect(reader.recognise({ history: [[{ action: 'message', content: 'Mend it.' }]] })).toBe(1)
    expect(reader.recognise({ action: 'run', observation: 'lamp.py', response: 'ls' })).toBe(0)
    expect(reader.recognise({ history: [{ role: 'user', content: 'Mend it.', agent: 'main' }] })).toBe(0)
    expect(reader.recognise({ kind: 'assistant', content: 'Mend it.' })).toBe(0)
    expect(reader.recognise({ role: 'user', content: 'Mend it.' })).toBe(0)
  })
})
