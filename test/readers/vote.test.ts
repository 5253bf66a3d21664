/** What is enough to take a file for a transcript, and what is not. */
import { describe, expect, it } from 'vitest'
import { readers } from '../../src/readers/index.ts'
import { voteFormat } from '../../src/readers/vote.ts'
import { readRecords, readText } from './reading.ts'

/** What programs write that looks like one message, or one item, of a transcript. */
const pieces: Readonly<Record<string, unknown>> = {
  'an item': { type: 'reasoning', text: 'Adding a glob' },
  'a part of opencode': {
    type: 'reasoning',
    text: 'Adding a glob',
    metadata: { opencode: { itemId: 'rs_1', reasoningEncryptedContent: 'x' } },
    time: { start: 1772829006739, end: 1772829008790 },
    id: 'prt_1',
    sessionID: 'ses_1',
    messageID: 'msg_1',
  },
  'a message': { role: 'user', content: 'Hello' },
  'a call': { role: 'assistant', content: null, tool_calls: [{ id: 'a', type: 'function', function: { name: 'ls' } }] },
  'a message of Gemini': { role: 'user', parts: [{ text: 'Hello' }] },
  'a message of Bedrock': { role: 'user', content: [{ text: 'Hello' }] },
  'a question and its answer': { query: 'Which lamp?', response: 'The red one.' },
}

describe('one record', () => {
  it.each(Object.entries(pieces))('that is %s is no transcript, and the file is told as none', async (_, piece) => {
    const some = readers.all.find((reader) => reader.recognise(piece) > 0)
    expect(some).toBeDefined()
    expect(voteFormat(readers.all, [piece])).toBeNull()
    const error = await readText(JSON.stringify(piece)).catch((thrown: unknown) => thrown)
    expect(error).toMatchObject({ code: 'unknown-format' })
    expect((error as { details: string[] }).details.at(-1)).toContain(`if it is ${some!.name}, say so with --format`)
  })

  it.each(Object.entries(pieces))('that is %s is one where there are two of it', (_, piece) => {
    expect(voteFormat(readers.all, [piece, piece])).not.toBeNull()
  })

  it('is enough where it is a conversation', () => {
    expect(voteFormat(readers.all, [{ messages: [pieces['a message']] }])?.name).toBe('openai-chat')
    expect(voteFormat(readers.all, [pieces['a message']], true)?.name).toBe('openai-chat')
  })

  it('is read with the format named', async () => {
    const { traces } = await readRecords([pieces['a message']], 'openai-chat')
    expect(traces.map(({ length }) => length)).toEqual([1])
  })
})

describe('a reader that knows few of the records', () => {
  const foreign = Array.from({ length: 49 }, (_, index) => ({ kind: 'lamp', index }))
  const known = { role: 'user', content: 'Hello' }
  const withKnown = (count: number) => [...Array(count).fill(known), ...foreign.slice(0, 50 - count)]

  it.each([
    [2, undefined],
    [9, undefined],
    [10, 'openai-chat'],
  ])('%i of 50: %s', (count, name) => {
    expect(voteFormat(readers.all, withKnown(count))?.name).toBe(name)
  })

  it('leaves the file to one that knows more of them', () => {
    const events = Array.from({ length: 12 }, () => ({ type: 'thread.started', thread_id: 'a' }))
    const heads = Array(2).fill({ transcript: { ctxwin: 1 } })
    expect(voteFormat(readers.all, [...heads, ...events])?.name).toBe('codex-exec')
  })
})
