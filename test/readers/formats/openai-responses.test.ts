import { describe, expect, it } from 'vitest'
import reader from '../../../src/readers/formats/openai-responses.ts'
import { readers } from '../../../src/readers/index.ts'
import { voteFormat } from '../../../src/readers/vote.ts'
import { exchangesOf, fixtureText, linesOf, outlines, readFixture } from '../reading.ts'

const read = (file: string) => readFixture('openai-responses', file)

describe('openai-responses: requests', () => {
  it('joins a growing log to one conversation, in which the items of one response are one message', async () => {
    const result = await read('cumulative-log.jsonl')
    expect(outlines(result)).toEqual([
      '1 ?user: Is the lamp on?',
      '2 assistant: <opaque 40> | read#c1 | read#c2',
      '2 tool#c1: on',
      '2 tool#c2: off',
      '4 assistant: One of two.',
      '4 ?user: Dim it.',
      '4 injected: {"type":"item_reference","id":"x',
    ])
    expect(exchangesOf(result)).toEqual(['1 complete', '4 open'])
    expect(result.findings).toEqual(['duplicate-record@3'])
    const { system, tools, complete } = result.traces[0]!.preamble
    expect(system.map(({ blocks }) => blocks)).toEqual([
      [{ type: 'text', text: 'You mind the lamps.' }],
      [{ type: 'text', text: 'Be brief.' }],
    ])
    expect([tools?.length, complete]).toEqual([1, true])
  })

  it('continues the response, or the conversation, that a request names', async () => {
    const result = await read('request-response.jsonl')
    expect(outlines(result)).toEqual([
      '1 ?user: Is the lamp on?',
      '1 assistant: <opaque 40> | read#c1',
      '2 tool#c1: on',
      '2 assistant: It is on.',
    ])
    expect(outlines(result, 2)).toEqual([
      '4 ?user: Count the lamps.',
      '4 assistant: Two.',
      '5 ?user: Sure?',
      '5 assistant: Yes.',
    ])
    expect(result.traces.map(({ head }) => head.conversation)).toEqual(['line:1', 'line:3', 'conv_1'])
    expect(result.findings).toEqual(['missing-head@3', 'no-message@6'])
  })

  it('counts cached tokens as part of the input, and thoughts as part of the output', async () => {
    const [trace] = (await read('request-response.jsonl')).traces
    const none = { cacheRead: 0, cacheWrite: 0, cacheWrite1h: 0 }
    expect(trace!.usage(0)).toEqual({ ...none, input: 300, output: 40 })
    expect(trace!.usage(1)).toEqual({ ...none, input: 360, cacheRead: 256, output: 6 })
    expect(trace!.head).toMatchObject({ provider: 'openai', model: 'gpt-5.4' })
  })

  it('stands behind an unknown history where a request continues what the file does not have', async () => {
    const result = await read('request-response.jsonl')
    expect(result.traces[1]!.head.headless).toBe(true)
    expect(outlines(result, 1)).toEqual([
      '3 injected: [what was said before this file ',
      '3 ?user: And the hall?',
      '3 assistant: Off.',
    ])
  })
})

describe('openai-responses: items', () => {
  it('reads a list of bare items, in the short form of messages too', async () => {
    const result = await read('items.json')
    expect(outlines(result)).toEqual([
      '1 ?user: Is the lamp on?',
      '2 assistant: <opaque 40> | read#c1',
      '4 tool#c1: on',
      '5 assistant: It is on.',
      '6 ?user: Dim it.',
      '7 assistant: Dimmed.',
    ])
    expect(result.findings).toEqual(['unknown-record@8'])
    expect(result.traces[0]!.preamble.complete).toBe(false)
  })

  it('leaves the old rollouts of Codex, which are bare items behind a head, to their reader', () => {
    const rollout = linesOf(fixtureText('codex', 'bare-items.jsonl'))
    const long = [rollout[0], ...Array.from({ length: 49 }, () => rollout[1])]
    for (const records of [rollout, long]) expect(voteFormat(readers.all, records)?.name).toBe('codex')
  })

  it('knows requests by their items, and is not taken in by other inputs', () => {
    const item = { type: 'function_call', call_id: 'a', name: 'b', arguments: '{}' }
    expect(reader.recognise({ input: [item] })).toBeGreaterThan(0.9)
    expect(reader.recognise({ model: 'gpt-5', input: [{ role: 'user', content: 'Hi.' }] })).toBeGreaterThan(0.9)
    for (const record of [
      null,
      { model: 'text-embedding-3-small', input: 'Hi.' },
      { input: [{ role: 'user', content: 'Hi.' }], messages: [], output: {} },
      { role: 'user', content: 'Hi.' },
      { messages: [{ role: 'user', content: 'Hi.' }] },
      { id: 'prt_1', messageID: 'msg_1', sessionID: 'ses_1', type: 'reasoning', text: 'A part of OpenCode.' },
    ])
      expect(reader.recognise(record)).toBe(0)
  })
})
