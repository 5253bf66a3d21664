/** Laws that hold for every reader. */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { JsonObject } from '../../src/base/json.ts'
import type { Block, Message } from '../../src/model/message.ts'
import type { Trace } from '../../src/model/trace.ts'
import { readers } from '../../src/readers/index.ts'
import { findings } from '../../src/readers/reader.ts'
import { jsonLinesOf } from '../readers/json-lines.ts'
import { countOf, fixture, type Read, readRecords, readSource } from '../readers/reading.ts'

interface File {
  readonly name: string
  readonly bytes: Buffer
}

function fixturesOf(format: string): File[] {
  return readdirSync(fixture(format)).map((file) => ({
    name: `${format}/${file}`,
    bytes: readFileSync(fixture(format, file)),
  }))
}

const read = (chunks: readonly Uint8Array[], format: string): Promise<Read> =>
  readSource({ name: 'file', chunks }, format)

/** The records of each fixture of a format. */
const recordsIn = new Map(
  await Promise.all(
    readers.names.map(async (format) => {
      const texts = await Promise.all(fixturesOf(format).map(({ bytes }) => jsonLinesOf(bytes.toString('utf8'))))
      return [format, texts.map(recordsOf)] as const
    }),
  ),
)

/** Everything that a reader produced, as plain data. */
function said({ traces, report }: Read) {
  const transcripts = traces.map((trace) => ({
    head: trace.head,
    preamble: trace.preamble,
    compactions: trace.compactions,
    messages: trace.messages,
    resets: (trace.messages ?? []).map((_, index) => trace.isReset(index)),
  }))
  return { transcripts, report }
}

/** The key in which a format's records have their kind. */
const kinds: Readonly<Record<string, string>> = {
  'claude-code': 'type',
  codex: 'type',
  duragent: 'type',
  ikigai: 'kind',
  mimir: 'event',
  pi: 'type',
}

/** A reader is a file in this folder, or in a folder of its own there. */
const formats = join(import.meta.dirname, '../../src/readers/formats')

/** Drawn once for all formats: to draw them anew for each takes longer than to read them. */
const jsonValues = fc.sample(fc.jsonValue(), 1000)
const anyJson = fc.constantFrom(...jsonValues)

const messagesOf = (trace: Trace): readonly Message[] => trace.messages ?? []

describe.each(readers.all.map((reader) => [reader.name, reader] as const))('%s', (format, reader) => {
  const files = fixturesOf(format)

  it('is the file of its name and says what it reads', async () => {
    const home = existsSync(join(formats, format)) ? join(formats, format) : formats
    const module = (await import(join(home, `${format}.ts`))) as { default: unknown }
    expect(module.default).toBe(reader)
    expect(reader.summary).not.toBe('')
    expect(reader.source).not.toBe('')
  })

  describe.each(files.map((file) => [file.name, file.bytes] as const))('%s', (name, bytes) => {
    let reading: Promise<Read> | null = null
    /** The file is read once for all laws of what was read. */
    const whole = () => {
      reading ??= read([bytes], format)
      return reading
    }

    // Half of that file does not belong to its format, so the reader is given by name.
    it.skipIf(name === 'anthropic-messages/odd-shapes.jsonl')('is recognised, by its content alone', async () => {
      const { report } = await read([bytes], 'auto')
      expect(report.format).toBe(format)
    })

    it('says the same when it is read again, and when its bytes come in other chunks', async () => {
      const once = said(await whole())
      const expectAgain = async (cuts: readonly number[]) => {
        const ends = [...cuts, bytes.length].sort((a, b) => a - b)
        const chunks = ends.map((end, index) => bytes.subarray(ends[index - 1] ?? 0, end))
        const again = said(await read(chunks, format))
        // Matchers are slow on a whole file: they show what differs.
        if (!isDeepStrictEqual(again, once)) expect(again).toEqual(once)
      }
      await expectAgain([])
      await fc.assert(fc.asyncProperty(fc.array(fc.nat(bytes.length), { minLength: 1, maxLength: 8 }), expectAgain), {
        numRuns: 2,
      })
    })

    it('names lines that the file has', async () => {
      const { traces, report } = await whole()
      const text = bytes.toString('utf8')
      const lines = Math.max(text.split('\n').length, elementsOf(text))
      const named = [
        ...report.problems.map(({ line }) => line),
        ...traces.flatMap((trace) => [...messagesOf(trace), ...trace.preamble.system].map(({ line }) => line)),
      ]
      expect(named.filter((line) => !Number.isInteger(line) || line < 1 || line > lines)).toEqual([])
    })

    it('keeps prompts and responses in the order of the file', async () => {
      const { traces } = await whole()
      for (const trace of traces) {
        const lines = messagesOf(trace)
          .filter((_, index) => trace.isPrompt(index) || trace.isResponse(index))
          .map(({ line }) => line)
        expect(lines).toEqual([...lines].sort((a, b) => a - b))
      }
    })

    it('makes messages that are what they say', async () => {
      const { traces } = await whole()
      expect(traces.flatMap(messagesOf).flatMap(unsound)).toEqual([])
    })

    it('says of each result which call it answers, or leaves it without one', async () => {
      const { traces } = await whole()
      const wrong: Message[] = []
      for (const trace of traces) {
        const made = new Set<string>()
        for (const [index, message] of messagesOf(trace).entries()) {
          for (const block of message.blocks) if (block.type === 'call') made.add(block.id)
          if (message.role !== 'tool') continue
          const known = message.callId !== undefined && made.has(message.callId)
          if (trace.call(index) >= 0 !== known) wrong.push(message)
        }
      }
      expect(wrong).toEqual([])
    })

    it('lets a message go on only where there is one in front of it', async () => {
      const { traces } = await whole()
      const wrong: Message[] = []
      for (const trace of traces) {
        for (const [index, message] of messagesOf(trace).entries()) {
          if (!message.continues) continue
          const before = messagesOf(trace)[index - 1]
          if ((before?.role === 'assistant') !== (message.role === 'assistant')) wrong.push(message)
        }
      }
      expect(wrong).toEqual([])
    })
  })

  const known = (recordsIn.get(format) ?? []).filter(({ length }) => length > 0)

  it('never throws, whatever JSON the lines hold', async () => {
    const any = fc.constantFrom(...known.flat())
    const records = fc.array(fc.oneof(anyJson, any, any.chain(withAnything)), { maxLength: 12 })
    await fc.assert(
      fc.asyncProperty(records, async (records) => {
        const broken = brokenIn(await readRecords(records, format))
        // `expect` for each of thousands of reads takes as long as some of them.
        if (broken.length > 0) expect(broken).toEqual([])
      }),
      { numRuns: 60 },
    )
  })

  it('accounts for each record, whatever one value in it becomes', async () => {
    // With the records beside it. What stands far away matters to few records, and test/readers/survival damages whole files.
    const changed = fc
      .constantFrom(...known)
      .chain((records) =>
        fc
          .nat(records.length - 1)
          .chain((index) =>
            withOther(records[index]).map((record) => [
              ...records.slice(Math.max(0, index - 10), index),
              record,
              ...records.slice(index + 1, index + 11),
            ]),
          ),
      )
    await fc.assert(
      fc.asyncProperty(changed, async (records) => {
        const result = await readRecords(records, format)
        const only = records.length === 1 ? records[0] : undefined
        const count = Array.isArray(only) ? only.length : records.filter(isRecord).length
        const broken = brokenIn(result)
        if (result.report.records !== count || broken.length > 0)
          expect({ records: result.report.records, broken }).toEqual({ records: count, broken: [] })
      }),
      { numRuns: 60 },
    )
  })

  it.runIf(format in kinds)('leaves out and tells every record that calls itself by an unknown name', async () => {
    const records = known.flat(2)
    const named = records.filter(
      (record) => typeof (record as JsonObject | null)?.[kinds[format] as string] === 'string',
    )
    expect(named.length).toBeGreaterThan(0)
    const reports: object[] = []
    for (const record of named) {
      const { report } = await readRecords([{ ...(record as JsonObject), [kinds[format] as string]: 'lamp' }], format)
      const { records, leftOut, transcripts } = report
      // What it carried is told besides.
      const problems = report.problems.filter(({ code }) => code !== 'unread-usage').length
      reports.push({ records, leftOut, transcripts, problems })
    }
    expect(reports).toEqual(named.map(() => ({ records: 1, leftOut: 1, transcripts: 0, problems: 1 })))
  })

  it('is sure of a record to a degree between 0 and 1, whatever it is', () => {
    const unsure = jsonValues.filter((value) => {
      const sure = reader.recognise(value)
      return !(sure >= 0 && sure <= 1)
    })
    expect(unsure).toEqual([])
  })
})

/** What breaks a law that holds whatever was read: messages are sound, and each record is used or left out and told. */
function brokenIn({ traces, report }: Read): unknown[] {
  const wrong = traces.flatMap(messagesOf).flatMap(unsound)
  for (const trace of traces) if (trace.length !== messagesOf(trace).length) wrong.push({ length: trace.length })
  const { records, used, noContext, leftOut } = report
  const told = (Object.keys(findings) as (keyof typeof findings)[]).reduce(
    (sum, code) => sum + countOf(report, code),
    0,
  )
  const counts = [used, noContext, leftOut]
  if (used + noContext + leftOut !== records || counts.some((count) => !(count >= 0)) || !(told >= leftOut))
    wrong.push({ records, used, noContext, leftOut, told })
  return wrong
}

/** The parts of a message besides its content. */
function unsound({ role, blocks, usage, time, callId, continues, origin }: Message): unknown[] {
  const isCount = (count: number) => Number.isFinite(count) && count >= 0
  const wrong: unknown[] = blocks.filter((block) => !isSound(block, role))
  if (!['system', 'user', 'assistant', 'tool'].includes(role)) wrong.push({ role })
  if (origin !== undefined && role !== 'user') wrong.push({ role, origin })
  if (callId !== undefined && !(role === 'tool' && typeof callId === 'string')) wrong.push({ role, callId })
  if (continues !== undefined && typeof continues !== 'boolean') wrong.push({ continues })
  if (time !== undefined && !Number.isFinite(time)) wrong.push({ time })
  if (!usage) return wrong
  const { input, cacheRead, cacheWrite, cacheWrite1h, output } = usage
  if (![input, cacheRead, cacheWrite, cacheWrite1h, output].every(isCount)) wrong.push({ usage })
  return wrong
}

function isSound(block: Block, role: Message['role']): boolean {
  if (block.type === 'text' || block.type === 'thinking') return typeof block.text === 'string'
  if (block.type === 'call')
    return role === 'assistant' && typeof block.id === 'string' && typeof block.name === 'string'
  return Number.isFinite(block.bytes) && block.bytes >= 0
}

/** A record in which one field, at the first or second level, has any value. */
function withAnything(record: unknown): fc.Arbitrary<unknown> {
  if (record === null || typeof record !== 'object') return anyJson
  const fields = Object.keys(record)
  if (fields.length === 0) return anyJson
  return fc.tuple(fc.constantFrom(...fields), anyJson, fc.boolean()).chain(([field, value, deeper]) => {
    const inner = (record as Record<string, unknown>)[field]
    const changed = deeper ? withAnything(inner) : fc.constant(value)
    return changed.map((other) =>
      Array.isArray(record) ? Object.assign([...record], { [field]: other }) : { ...record, [field]: other },
    )
  })
}

const isRecord = (value: unknown): boolean => typeof value === 'object' && value !== null

/** A record in which one value, at any depth, is replaced or missing. */
function withOther(record: unknown): fc.Arbitrary<unknown> {
  if (!isRecord(record)) return otherValue
  const fields = Object.keys(record as object)
  if (fields.length === 0) return otherValue
  return fc.tuple(fc.constantFrom(...fields), fc.nat(5)).chain(([field, way]) => {
    const { [field]: inner, ...rest } = record as Record<string, unknown>
    if (way === 0 && !Array.isArray(record)) return fc.constant(rest)
    return (way < 3 ? otherValue : withOther(inner)).map((other) =>
      Array.isArray(record)
        ? Object.assign([...record], { [field]: other })
        : { ...(record as object), [field]: other },
    )
  })
}

const otherValue = fc.oneof(
  fc.constantFrom<unknown>(
    null,
    'lamp',
    '',
    0,
    -1,
    0.5,
    1e308,
    -1e308,
    true,
    [],
    {},
    [[]],
    [null],
    { type: 'lamp' },
    { __proto__: null },
  ),
  anyJson,
)

/** The records of a file: its lines, or its one document. */
function recordsOf(text: string): unknown[] {
  try {
    return [JSON.parse(text)]
  } catch {
    return text.split('\n').flatMap((line) => {
      try {
        return [JSON.parse(line)]
      } catch {
        return []
      }
    })
  }
}

/** How many elements the largest list of a file has: in a file that is one document, these are numbered. */
function elementsOf(text: string): number {
  let most = 0
  const look = (value: unknown): void => {
    if (value === null || typeof value !== 'object') return
    if (Array.isArray(value)) most = Math.max(most, value.length)
    for (const inner of Object.values(value)) look(inner)
  }
  for (const record of recordsOf(text)) look(record)
  return most
}
