/** A reader of the user's own: what it may do, and what is said when it does something else. */
import { describe, expect, it } from 'vitest'
import type { Message } from '../../src/model/message.ts'
import type { Trace } from '../../src/model/trace.ts'
import { checkReader } from '../../src/readers/own-reader.ts'
import { readTranscripts } from '../../src/readers/read.ts'
import type { ReaderContext, TranscriptWriter } from '../../src/readers/reader.ts'
import { lines, outline } from './reading.ts'

interface Said {
  readonly from: string
  readonly says: string
}

const chat: readonly Said[] = [
  { from: 'ann', says: 'hello' },
  { from: 'bot', says: 'hi' },
]

/** A reader whose `record` is `take`; the transcript it writes to is the first argument. */
const readerOf = (take: (transcript: TranscriptWriter, value: Said, line: number) => unknown, more: object = {}) => ({
  name: 'chatter',
  read({ open }: ReaderContext) {
    const transcript = open({ conversation: null, provider: 'openai' })
    return { record: (value: Said, line: number) => take(transcript, value, line), end: () => {} }
  },
  ...more,
})

const messageOf = ({ from, says }: Said, line: number): Message => ({
  role: from === 'bot' ? 'assistant' : 'user',
  line,
  blocks: [{ type: 'text', text: says }],
})

const good = (transcript: TranscriptWriter, value: Said, line: number) => {
  transcript.message(messageOf(value, line))
  return 'used'
}

async function read(module: unknown, records: readonly unknown[] = chat, trialSeconds?: number) {
  const traces: Trace[] = []
  const source = { name: 'log', chunks: [Buffer.from(lines(records))] }
  const options = { format: checkReader(module, './mine.js', trialSeconds), sizersFor: () => [], keepMessages: true }
  const report = await readTranscripts(source, options, (trace) => traces.push(trace))
  return { report, said: traces.flatMap(({ messages = [] }) => (messages ?? []).map(outline)) }
}

describe('a reader of the user’s own', () => {
  it('reads every file where it has no `recognise`', async () => {
    const { report, said } = await read(readerOf(good))
    expect(report).toMatchObject({ format: 'chatter', used: 2, transcripts: 1 })
    expect(said).toEqual(['1 ?user: hello', '2 assistant: hi'])
  })

  it('leaves what it does not recognise to the readers that do', async () => {
    const module = readerOf(good, { recognise: (record: object) => ('says' in record ? 1 : 0) })
    expect((await read(module)).report.format).toBe('chatter')
    const messages = [{ role: 'user', content: 'hello' }]
    expect((await read(module, [{ messages }])).report.format).toBe('openai-chat')
  })

  it('is tried without effect: what it keeps outside of `read` is its own affair', async () => {
    let records = 0
    const { report } = await read(
      readerOf((...given: Parameters<typeof good>) => {
        records++
        return good(...given)
      }),
    )
    expect([records, report.used]).toEqual([4, 2])
  })

  it('is stopped where it never returns, in `record` or in `recognise`', async () => {
    const spin = () => {
      for (;;);
    }
    const stopped = './mine.js cannot be used as a reader: log: it was still running after 0.05 seconds'
    for (const module of [readerOf(spin), readerOf(good, { recognise: spin })]) {
      await expect(read(module, chat, 0.05)).rejects.toThrow(stopped)
    }
  })

  it('closes, resets and rewinds its transcript', async () => {
    const { said } = await read(
      readerOf((transcript, value, line) => {
        good(transcript, value, line)
        if (line === 2) transcript.rewind(1)
        transcript.describe({ model: 'gpt-5' })
        transcript.compaction({ at: transcript.length, keptFrom: 0, summary: [], line })
        return 'used'
      }),
    )
    expect(said).toEqual(['1 ?user: hello'])
  })

  it.each([
    [null, 'its default export is not a reader: see defineReader'],
    [{ name: 'A b' }, 'it needs a `name` of lower-case letters, digits and dashes'],
    [{ name: 'a' }, 'it needs `read(context)`, which returns `record` and `end`'],
    [{ name: 'a', read: () => {}, recognise: 1 }, 'its `recognise` is no function'],
    [{ name: 'a', read: () => {}, shape: {} }, 'its `shape` is no function'],
  ])('needs its shape: %o', (module, words) => {
    expect(() => checkReader(module, './mine.js')).toThrow(`./mine.js cannot be used as a reader: ${words}`)
  })

  const wrong: readonly [string, (transcript: TranscriptWriter, value: Said, line: number) => unknown, string][] = [
    ['throws', (_, value) => JSON.parse(value.says), 'line 1: its `record` threw SyntaxError'],
    ['throws nothing', () => Promise.reject(null), 'line 1: its `record` returns a promise'],
    ['returns nothing', () => undefined, "line 1: its `record` returns neither 'used'"],
    ['returns another code', () => ({ code: 'lamp' }), "line 1: its `record` returns neither 'used'"],
    [
      'returns a key that is none',
      () => ({ code: 'bad-shape', key: '\u001b[31m' }),
      "line 1: its `record` returns neither 'used'",
    ],
    [
      'has no role',
      (to) => to.message({ line: 1, blocks: [] } as never),
      'line 1: its message has no `role` of system, user,',
    ],
    ['has no line', (to) => to.message({ role: 'user', blocks: [] } as never), 'line 1: its message has no `line`'],
    [
      'has no blocks',
      (to) => to.message({ role: 'user', line: 1 } as never),
      'line 1: its message has no list of `blocks`',
    ],
    [
      'has an odd block',
      (to) => to.message({ role: 'user', line: 1, blocks: [{ type: 'text' }] } as never),
      'line 1: its message has a block of a shape that there is not (see Block)',
    ],
    [
      'has half a usage',
      (to) => to.message({ role: 'user', line: 1, blocks: [], usage: { input: 1 } } as never),
      'line 1: its message has a `usage` without all of its counts (see Usage)',
    ],
    [
      'has a result of no call',
      (to) => to.message({ role: 'tool', line: 1, blocks: [] } as never),
      'line 1: its message has the role tool and no `callId`',
    ],
    [
      'rewinds too far',
      (to) => to.rewind(9),
      'line 1: the `length` to rewind to is not the index of a message, from 0 to 0',
    ],
    [
      'compacts the future',
      (to) => to.compaction({ at: 3 } as never),
      "line 1: a compaction's `at` is not the index of a message",
    ],
    [
      'has an odd preamble',
      (to) => to.preamble({ system: 'Be kind.' } as never),
      "line 1: a preamble's `system` is not a list",
    ],
  ]
  it.each(wrong)('which %s is one line with the line of the file', async (_, take, words) => {
    const failed = read(readerOf(take))
    await expect(failed).rejects.toMatchObject({ code: 'bad-reader' })
    await expect(failed).rejects.toThrow(`./mine.js cannot be used as a reader: log, ${words}`)
  })

  it('tells nothing of the transcript when it throws', async () => {
    const take = (_: unknown, { says }: { says: string }) => {
      throw new Error(says)
    }
    await expect(read(readerOf(take))).rejects.toThrow(/^(?!.*hello)/)
  })

  it('which goes wrong behind the first records is told in the same way', async () => {
    const many = Array.from({ length: 80 }, () => chat[0])
    const take = (transcript: TranscriptWriter, value: Said, line: number) =>
      line === 70 ? undefined : good(transcript, value, line)
    await expect(read(readerOf(take), many)).rejects.toThrow('log, line 70: its `record` returns neither')
  })

  it.each([
    ['throws', () => BigInt('lamp'), 'its `recognise` threw SyntaxError'],
    ['says a word', () => 'yes', 'its `recognise` returns neither a number nor true or false'],
  ])('whose `recognise` %s is told', async (_, recognise, words) => {
    await expect(read(readerOf(good, { recognise }))).rejects.toThrow(`log, line 1: ${words}`)
  })

  it('may say what a record must hold, and is asked of none that is left out', async () => {
    const take = (transcript: TranscriptWriter, value: Said, line: number) =>
      value.from === 'cat' ? { code: 'unknown-record' } : good(transcript, value, line)
    const shape = (record: Partial<Said>) => (record.says === '' ? 'says' : null)
    const records = [...chat, { from: 'ann', says: '' }, { from: 'cat', says: '' }]
    const { report } = await read(readerOf(take, { shape }), records)
    expect(report).toMatchObject({ used: 3, leftOut: 1, damagedLines: 1 })
    expect(report.problems).toEqual([
      { code: 'bad-shape', line: 3, detail: 'says' },
      { code: 'unknown-record', line: 4 },
    ])
  })

  it.each([
    ['throws', () => BigInt('lamp'), 'its `shape` threw SyntaxError'],
    ['returns a promise', async () => null, 'its `shape` returns a promise'],
    ['returns nothing', () => undefined, 'its `shape` returns neither null nor the path of a key'],
    ['returns what steers a terminal', () => '\u001b[31m', 'its `shape` returns neither null nor the path of a key'],
  ])('whose `shape` %s is told', async (_, shape, words) => {
    await expect(read(readerOf(good, { shape }))).rejects.toThrow(`log, line 1: ${words}`)
  })

  it('which reports what is no finding is told', async () => {
    const module = {
      name: 'chatter',
      read: ({ finding }: ReaderContext) => ({
        record: (_: Said, line: number) => finding({ code: 'lamp', line } as never),
        end: () => {},
      }),
    }
    await expect(read(module)).rejects.toThrow("log, line 1: what it reports has no code such as 'bad-record'")
  })

  it('may recognise with true and false', async () => {
    expect((await read(readerOf(good, { recognise: () => true }))).report.format).toBe('chatter')
  })
})
