/** What is said of a file that no reader recognises. */
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { objectOf } from '../../src/base/json.ts'
import { readers } from '../../src/readers/index.ts'
import { readRecords } from '../../src/readers/lines/records.ts'
import { openFile } from '../../src/readers/lines/source.ts'
import { describeUnknown, keysIn, nearest } from '../../src/readers/unknown.ts'
import { fixture, readText } from './reading.ts'

/**
 * Formats that look alike until a tool is called, one whose first files were bare items of the other, and one that Bedrock
 * logs beside its own.
 */
const alike: Readonly<Record<string, readonly string[]>> = {
  'anthropic-messages': ['openai-chat', 'bedrock-converse'],
  codex: ['openai-responses'],
  'openai-responses': ['codex'],
}

const root = fixture()
const files = readers.names.flatMap((name) => readdirSync(join(root, name)).map((file) => join(name, file)))

/** As where transcripts are read: a log of text is put into records only there. */
const columns = { conversations: [], about: [] }

async function headOf(file: string): Promise<unknown[]> {
  const values: unknown[] = []
  await readRecords(
    openFile(join(root, file)),
    { record: (value) => void values.push(value), problem: () => {} },
    { columns },
  )
  return (values.length === 1 && Array.isArray(values[0]) ? values[0] : values).slice(0, 50)
}

describe('a format', () => {
  it.each(readers.all)('$name says by which keys a person tells it', ({ shapes }) => {
    expect(shapes).not.toBeUndefined()
  })

  it.each(files)('of the fixture %s is the nearest, or one that looks like it', async (file) => {
    const keys = keysIn((await headOf(file)).map(objectOf).filter((record) => record !== undefined))
    const [own = ''] = file.split('/')
    expect([own, ...(alike[own] ?? [])]).toContain(nearest(keys, readers.all)?.name)
  })
})

describe('a file of no known format', () => {
  const said = (...records: unknown[]) => describeUnknown(records, readers.all)

  it('is told by its keys, and by those that the nearest format also has', () => {
    expect(said({ type: 'a', uuid: 'b', sessionId: 'c', message: { role: 'user' } })).toEqual([
      'keys in its first record: type, uuid, sessionId, message',
      'nearest: claude-code, which also has parentUuid, message.content',
      expect.stringContaining('docs/own-format.md'),
    ])
  })

  it('shows no text that stands as a key, but counts it', () => {
    const [keys] = said({ 'my secret diary': 1, '\u001b[31m': 2, id: 3 }, { ['x'.repeat(80)]: 4 })
    expect(keys).toBe('keys in its first 2 records: id, and 3 more')
  })

  it('shows a dozen of many keys', () => {
    const [keys] = said(Object.fromEntries(Array.from({ length: 30 }, (_, index) => [`key${index}`, 0])))
    expect(keys).toMatch(/^keys in its first record: key0, (?:key\d+, ){10}key11, and 18 more$/)
  })

  it('is shown which keys look like a conversation', () => {
    const lines = said(
      { at: 1, sender: 'customer', body: 'My parcel has not come.' },
      { at: 2, sender: 'bot', body: 'Let me look.' },
    )
    expect(lines[1]).toMatch(/^"sender" looks like who speaks and "body" like what is said/)
  })

  it('is shown the key of what is said, and not of a version, an id or a copy of everything', () => {
    const version = '0.10.1-nightly.202608130635.9862b0dd6.0.20260813151813-ec5593200a1c'
    const [, hint] = said(
      { version, who: 'user', parts: [{ text: 'My parcel has not come.' }] },
      { version, who: 'bot', at: '2026-10-13 07:05:00', parts: [{ text: 'Let me look.' }, 7] },
    )
    expect(hint).toMatch(/^"who" looks like who speaks and "parts" like what is said/)
    const [, other] = said(
      { who: 'system', started_at: '2026-10-13T07:05:00.000000Z' },
      { who: 'user', body: 'Is it on?', event: { text: 'Is it on?', from: 'a user of this lamp' } },
    )
    expect(other).toMatch(/"body" like what is said/)
    // One word each, or a language without spaces.
    expect(said({ who: 'user', body: 'Hi.', n: 1 })[1]).toMatch(/"body" like what is said/)
    expect(said({ who: 'user', body: 'こんにちは', id: 'aaaaaaaaaaaaaaaaaaaa' })[1]).toMatch(/"body" like what is said/)
  })

  it('is shown the key of what is said behind paths, addresses and what each record repeats', () => {
    const cwd = '/home/me/My Documents/A long path with spaces in it'
    const note = 'The same note stands in each record, and is long.'
    for (const beside of [{ cwd }, { cwd: `C:\\${cwd}` }, { page: `https://a.example/${cwd}` }, { note }]) {
      const records = [
        { who: 'user', said: 'Fix it now.', ...beside },
        { who: 'bot', said: 'I did it.', ...beside },
      ]
      expect(said(...records)[1]).toMatch(/"said" like what is said/)
      const [first] = records
      if (!('note' in beside)) expect(said(first)[1]).toMatch(/"said" like what is said/)
    }
  })

  it('is shown keys of messages that stand inside its records', () => {
    const [user, bot] = [
      { author: 'user', body: { text: 'My parcel has not come.' } },
      { author: 'bot', body: { text: 'Let me look.' } },
    ]
    expect(said({ n: 1, msg: user }, { n: 2, msg: bot })[1]).toMatch(/^"msg.author" looks .* "msg.body" like/)
    expect(said({ title: 'A talk of two', turns: [user, bot] })[1]).toMatch(
      /^"turns\[\].author" looks .* "turns\[\].body" like/,
    )
  })

  it('is shown where its words are if nobody is said to speak', () => {
    const asked = [
      { at: 1, question: 'Has my parcel come?', answer: 'It has not come, and I do not know where it is.' },
      { at: 2, question: 'And now?', answer: 'It has come.' },
    ]
    expect(said(...asked)[1]).toBe('most of its words stand in "answer"')
  })

  it('has no nearest format where little is alike', () => {
    expect(said({ lamp: 1, type: 'a' })).toHaveLength(2)
    expect(said(1, 'two', [3])).toEqual([expect.stringMatching(/^its records are no objects/)])
  })

  it('is an error with these lines', async () => {
    await expect(readText('{"lamp":1}')).rejects.toMatchObject({ code: 'unknown-format', details: said({ lamp: 1 }) })
  })
})
