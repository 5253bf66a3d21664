import { describe, expect, it } from 'vitest'
import { readers } from '../../../src/readers/index.ts'
import { voteFormat } from '../../../src/readers/vote.ts'
import {
  bodiesOf,
  exchangesOf,
  fixtureText,
  linesOf,
  messagesOf,
  outlines,
  readFixture,
  readRecords,
} from '../reading.ts'

const read = (file: string) => readFixture('bedrock-converse', file)

describe('bedrock-converse', () => {
  it('joins pairs of a growing conversation though their cache points move', async () => {
    const result = await read('request-response.jsonl')
    expect(outlines(result)).toEqual([
      '1 ?user: Is the lamp on? | <image 5>',
      '1 assistant: (I look.) | Let me see. | read#t1 | read#t2',
      '2 tool#t1: {"on":true}',
      '2 +!tool#t2: no ladder',
      "2 assistant: The hall's is on.",
    ])
    expect(exchangesOf(result)).toEqual(['1 complete'])
    expect(result.findings).toEqual([])
    expect(result.traces[0]!.head).toMatchObject({
      provider: 'anthropic',
      model: 'eu.anthropic.claude-sonnet-4-5-20250929-v1:0',
    })
  })

  it('gives what was sent in the form of the Messages API', async () => {
    const [trace] = (await read('request-response.jsonl')).traces
    expect(bodiesOf(trace!)[0]).toEqual({
      system: [{ type: 'text', text: 'You mind the lamps.' }],
      tools: [
        {
          name: 'read',
          description: 'Reads a lamp',
          input_schema: { type: 'object', properties: { lamp: { type: 'string' } } },
        },
      ],
      messages: [
        {
          role: 'user',
          content: [
            { type: 'text', text: 'Is the lamp on?' },
            { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'aGVsbG8=' } },
          ],
        },
      ],
    })
  })

  it('counts cached tokens beside the input', async () => {
    const [trace] = (await read('request-response.jsonl')).traces
    expect(trace!.usage(0)).toMatchObject({ input: 240, cacheRead: 0, cacheWrite: 200, output: 60 })
    expect(trace!.usage(1)).toMatchObject({ input: 320, cacheRead: 240, cacheWrite: 60, output: 9 })
  })

  it('reads the log that Bedrock writes of its invocations', async () => {
    const result = await read('invocation-log.jsonl')
    expect(outlines(result)).toEqual([
      '1 ?user: Is it dark?',
      '1 assistant: clock#n1',
      '2 tool#n1: 23:00',
      '2 assistant: Yes.',
    ])
    expect(result.findings).toEqual([])
    expect(result.traces[0]!.head.model).toBe('amazon.nova-lite-v1:0')
    expect(result.traces[0]!.usage(1)).toMatchObject({ input: 50, output: 3 })
    expect(messagesOf(result)[1]).toMatchObject({ time: Date.parse('2025-11-03T08:00:00Z') })
  })

  it("leaves to Anthropic's reader what the log holds in that form", async () => {
    const result = await readFixture('anthropic-messages', 'invocation-log.jsonl')
    expect(result.report.format).toBe('anthropic-messages')
    expect(outlines(result)).toEqual(['1 ?user: Is it dark?', '1 assistant: It is night.'])
    expect(result.traces[0]!.usage(0)).toMatchObject({ input: 25, output: 6 })
    expect(result.traces[0]!.head.model).toMatch(/claude-sonnet-4-5/)
  })

  it('reads messages alone, in a list or one a line, and media by their size', async () => {
    const messages = [
      { role: 'user', content: [{ text: 'Watch.' }, { video: { format: 'mp4', source: { bytes: 'aGVsbG8=' } } }] },
      { role: 'assistant', content: [{ reasoningContent: { redactedContent: 'aGVs' } }, { text: 'Seen.' }] },
      { role: 'user', content: [{ document: { format: 'txt', name: 'a', source: { text: 'lamp' } } }] },
    ]
    const wanted = ['1 ?user: Watch. | <document 5>', '2 assistant: <opaque 4> | Seen.', '3 ?user: lamp']
    expect(outlines(await readRecords(messages, 'auto'))).toEqual(wanted)
    expect(outlines(await readRecords([messages], 'auto'))).toEqual(wanted)
  })

  it('is known by parts without a type', () => {
    for (const file of ['request-response.jsonl', 'invocation-log.jsonl']) {
      expect(voteFormat(readers.all, linesOf(fixtureText('bedrock-converse', file)))?.name).toBe('bedrock-converse')
    }
  })
})
