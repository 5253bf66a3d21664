import { createReadStream, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import * as zlib from 'node:zlib'
import fc from 'fast-check'
import { describe, expect, it, vi } from 'vitest'
import type { LineProblem } from '../../../src/readers/lines/problems.ts'
import { type ReadOptions, readRecords } from '../../../src/readers/lines/records.ts'
import { openFile } from '../../../src/readers/lines/source.ts'
import { anyText, codePoint } from '../../any-text.ts'

const { gzipSync } = zlib
/** Node has Zstandard from 22.15 on; the type definitions are those of Node 20. */
const { zstdCompressSync } = zlib as { zstdCompressSync?: (text: string | Buffer) => Buffer }
const canZstd = zstdCompressSync !== undefined

type Chunks = Iterable<Uint8Array> | AsyncIterable<Uint8Array>

async function read(chunks: Chunks, options?: ReadOptions) {
  const records: { value: unknown; line: number; bytes: number }[] = []
  const problems: LineProblem[] = []
  const sink = {
    record: (value: unknown, line: number, bytes: number) => void records.push({ value, line, bytes }),
    problem: (problem: LineProblem) => void problems.push(problem),
  }
  return { ...(await readRecords({ name: 'test', chunks }, sink, options)), records, problems }
}

const readText = (text: string, options?: ReadOptions) => read([Buffer.from(text)], options)
const valuesOf = ({ records }: Awaited<ReturnType<typeof read>>) => records.map(({ value }) => value)
/** Matchers are slow on records by the thousand: they show what differs. */
function expectSame(result: unknown, whole: unknown): void {
  if (!isDeepStrictEqual(result, whole)) expect(result).toEqual(whole)
}
const codesOf = ({ problems }: Awaited<ReturnType<typeof read>>) => problems.map(({ code, line }) => `${code}@${line}`)

describe('lines', () => {
  it('numbers records by line and says how large each is', async () => {
    const result = await readText('{"a":1}\n\n  \r\n{"b":"é"}\n')
    expect(result).toEqual({
      framing: 'lines',
      lines: 4,
      bytes: 24,
      records: [
        { value: { a: 1 }, line: 1, bytes: 7 },
        { value: { b: 'é' }, line: 4, bytes: 10 },
      ],
      problems: [],
    })
  })

  it.each([
    ['nothing', '', [], 0],
    ['blank lines only', '\n\r\n', [], 2],
    ['no line feed at the end', '{"a":1}\n{"b":2}', [{ a: 1 }, { b: 2 }], 2],
    ['CRLF', '{"a":1}\r\n{"b":2}\r\n', [{ a: 1 }, { b: 2 }], 2],
    ['a byte order mark', '\uFEFF{"a":1}\n{"b":2}\n', [{ a: 1 }, { b: 2 }], 2],
    ['line separators inside strings', '{"a":"x\u2028y\u2029z"}\n', [{ a: 'x\u2028y\u2029z' }], 1],
    ['escapes of lone surrogates', '{"a":"\\ud800"}\n', [{ a: '\ud800' }], 1],
    ['indented lines', '  {"a":1}\n\t[2]\n', [{ a: 1 }, [2]], 2],
    ['files that were concatenated', '\uFEFF{"a":1}\n\uFEFF{"b":2}\n', [{ a: 1 }, { b: 2 }], 2],
    ['a genuine U+FFFD', '{"a":"\uFFFD"}\n', [{ a: '\uFFFD' }], 1],
    ['a comma after each record', '{"a":1},\n{"b":2}\n', [{ a: 1 }, { b: 2 }], 2],
    ['RFC 7464 record separators', '\x1e{"a":1}\n\x1e{"b":2}\n', [{ a: 1 }, { b: 2 }], 2],
  ])('reads %s without a complaint', async (_, text, values, lines) => {
    const result = await readText(text)
    expect(valuesOf(result)).toEqual(values)
    expect(result.problems).toEqual([])
    expect(result.framing).toBe('lines')
    expect(result.lines).toBe(lines)
  })

  it('takes a lone carriage return for white space, so the records on that line are kept and counted', async () => {
    const result = await readText('{"a":1}\r{"b":2}\r')
    expect(valuesOf(result)).toEqual([{ a: 1 }, { b: 2 }])
    expect(codesOf(result)).toEqual(['two-on-a-line@1'])
  })

  it.each([
    [
      'several records on one line',
      '{"a":1}{"b":"}{"}[3]\n{"c":3}\n',
      [{ a: 1 }, { b: '}{' }, [3], { c: 3 }],
      ['two-on-a-line@1'],
    ],
    ['garbage in the middle', '{"a":1}\nhello\n{"b":2}\n', [{ a: 1 }, { b: 2 }], ['not-json@2']],
    ['garbage in front', 'hello\n{"b":2}\n', [{ b: 2 }], ['not-json@1']],
    ['garbage after a record', '{"a":1} hello\n{"b":2}\n', [{ a: 1 }, { b: 2 }], ['not-json@1']],
    [
      'an invalid escape',
      '{"a":1}\n{"b":"\\u12\\\\x\\x\\N\\u00e9"}\n',
      [{ a: 1 }, { b: '\uFFFD12\\x\uFFFDx\uFFFDNé' }],
      ['invalid-escape@2'],
    ],
    ['an invalid escape in the first line', '{"b":"\\u12"}\n[]\n', [{ b: '\uFFFD12' }, []], ['invalid-escape@1']],
    ['an invalid escape in a document', '{\n"b":"\\u12"\n}\n[]\n', [{ b: '\uFFFD12' }, []], ['invalid-escape@1']],
    ['an escape outside of a string', '{"b":\\u12}\n[]\n', [[]], ['not-json@1']],
    ['bare values', '1\n"a"\nnull\n{"b":2}\n', [{ b: 2 }], ['not-json@1', 'not-json@2', 'not-json@3']],
    ['a bracket that does not match', '{"b":[}\n{"a":1}\n', [{ a: 1 }], ['not-json@1']],
    ['a torn last line', '{"a":1}\n{"b":"tor', [{ a: 1 }], ['torn-line@2']],
    ['a torn last line after a record', '{"a":1}\n{"b":1}{"c', [{ a: 1 }, { b: 1 }], ['torn-line@2']],
    ['a torn line in the middle', '{"a":1}\n{"b":\n{"c":3}\n', [{ a: 1 }, { c: 3 }], ['not-json@2']],
    ['a first line torn in a string', '{"a":"tor\n{"b":2}\n{"c":3}\n', [{ b: 2 }, { c: 3 }], ['not-json@1']],
    ['a first line torn between members', '{"a":1,\n{"b":2}\n{"c":3}', [{ b: 2 }, { c: 3 }], ['not-json@1']],
    ['NULs after the last record', '{"a":1}\n\0\0\0', [{ a: 1 }], ['nul-bytes@2']],
    ['NULs in front of a record', '{"a":1}\n\0\0{"b":2}\n', [{ a: 1 }, { b: 2 }], ['nul-bytes@2']],
  ])('reports %s and keeps the rest', async (_, text, values, codes) => {
    const result = await readText(text)
    expect(valuesOf(result)).toEqual(values)
    expect(codesOf(result)).toEqual(codes)
    expect(result.framing).toBe('lines')
  })

  it('asks JSON.parse about no line that does not end as it begins: 100,000 refusals take seconds', async () => {
    const parse = vi.spyOn(JSON, 'parse')
    const { records, problems } = await readText(`[1] \r\n${'{\n[1\n{]\n\n'.repeat(100)}{"a":1}\n`)
    expect(records).toHaveLength(2)
    expect(problems).toHaveLength(300)
    expect(parse).toHaveBeenCalledTimes(2)
    parse.mockRestore()
  })

  it('keeps a record with invalid UTF-8 and says so once', async () => {
    const result = await read([Buffer.from('{"a":"x'), Buffer.from([0xff, 0xc3]), Buffer.from('"}\n{"b":2}\n')])
    expect(valuesOf(result)).toEqual([{ a: 'x\uFFFD\uFFFD' }, { b: 2 }])
    expect(codesOf(result)).toEqual(['invalid-utf8@1'])
  })

  it('skips a line over the limit and reads on, however it is chunked', async () => {
    const text = `{"a":1}\n{"b":"${'x'.repeat(100)}"}\n{"c":3}\n`
    for (const size of [1, 7, 1000]) {
      const result = await read(chunked(Buffer.from(text), size), { longestLine: 20 })
      expect(valuesOf(result)).toEqual([{ a: 1 }, { c: 3 }])
      expect(codesOf(result)).toEqual(['line-too-long@2'])
    }
  })

  it('does not hold a line over the limit', async () => {
    function* endless() {
      yield Buffer.from('{"a":1}\n')
      const block = Buffer.alloc(1 << 20, 0x78)
      for (let i = 0; i < 700; i++) yield block
      yield Buffer.from('\n{"b":2}\n')
    }
    const before = process.memoryUsage().arrayBuffers
    let most = 0
    function* watched() {
      for (const chunk of endless()) {
        most = Math.max(most, process.memoryUsage().arrayBuffers)
        yield chunk
      }
    }
    const result = await read(watched(), { longestLine: 4 << 20 })
    expect(codesOf(result)).toEqual(['line-too-long@2'])
    expect(valuesOf(result)).toEqual([{ a: 1 }, { b: 2 }])
    expect(most - before).toBeLessThan(64 << 20)
  })

  it('parses __proto__ as a key like any other', async () => {
    const [value] = valuesOf(await readText('{"__proto__":{"polluted":true}}\n'))
    expect(Object.keys(value as object)).toEqual(['__proto__'])
    expect(({} as { polluted?: boolean }).polluted).toBeUndefined()
  })
})

describe('a document', () => {
  const document = {
    id: 'x',
    messages: [
      { role: 'user', content: 'a\n"}{' },
      { role: 'assistant', content: ['é'] },
    ],
    end: true,
  }

  it.each([
    ['an object', document],
    ['an array', document.messages],
  ])('over several lines is one record: %s', async (_, value) => {
    const text = `\uFEFF\n${JSON.stringify(value, null, 2)}\n`.replaceAll('\n', '\r\n')
    const result = await readText(text)
    expect(result.records).toEqual([{ value, line: 2, bytes: Buffer.byteLength(text) - 5 }])
    expect(result).toMatchObject({ framing: 'document', problems: [], lines: text.split('\n').length - 1 })
  })

  it('that holds one record per line is still one document', async () => {
    const text = `[\n${document.messages.map((each) => JSON.stringify(each)).join(',\n')}\n]`
    const result = await readText(text)
    expect(valuesOf(result)).toEqual([document.messages])
    expect(result).toMatchObject({ framing: 'document', problems: [], lines: 4 })
  })

  it('on a single line counts as a line: only its keys can tell', async () => {
    const result = await readText(JSON.stringify(document))
    expect(valuesOf(result)).toEqual([document])
    expect(result).toMatchObject({ framing: 'lines', lines: 1 })
  })

  it('after another one is a record of its own, as `jq .` prints JSONL', async () => {
    const text = [document, { a: 1 }, [2]].map((each) => JSON.stringify(each, null, 2)).join('\n')
    const result = await readText(text)
    expect(valuesOf(result)).toEqual([document, { a: 1 }, [2]])
    expect(result.records.map(({ line }) => line)).toEqual([1, 17, 20])
    expect(result).toMatchObject({ framing: 'lines', problems: [], lines: text.split('\n').length })
  })

  it.each([null, 2])('that is cut anywhere keeps whole messages and names the byte (indent %s)', async (indent) => {
    const whole = Buffer.from(JSON.stringify(document, null, indent ?? undefined))
    for (let size = 1; size < whole.length; size++) {
      const result = await read([whole.subarray(0, size)])
      const kept = valuesOf(result)[0] as Partial<typeof document> | undefined
      for (const [at, message] of (kept?.messages ?? []).entries()) expect(message).toEqual(document.messages[at])
      const at = Buffer.byteLength(whole.subarray(0, size).toString())
      const torn = { code: 'torn-document', detail: `at byte ${at}` }
      expect(result.problems[0]).toMatchObject(kept === undefined ? { code: 'torn-line' } : torn)
    }
    const cut = await read([whole.subarray(0, whole.indexOf('assistant'))])
    expect(valuesOf(cut)).toEqual([{ id: 'x', messages: document.messages.slice(0, 1) }])
  })

  it('looks for the records in the outermost array that has a complete one', async () => {
    const text = '{"resource":[{"scope":{"n":[1]},"spans":[\n{"id":1,"tags":["a","b"]},\n{"id":2,"tags":["c","d'
    const result = await readText(text)
    expect(valuesOf(result)).toEqual([{ resource: [{ scope: { n: [1] }, spans: [{ id: 1, tags: ['a', 'b'] }] }] }])
  })

  it('that is no JSON is reported', async () => {
    const result = await readText('{\n "a": nope\n}\n')
    expect(valuesOf(result)).toEqual([])
    expect(codesOf(result)).toEqual(['not-json@1'])
  })

  it('too large to parse is refused with the remedy', async () => {
    const text = JSON.stringify(document, null, 2)
    await expect(readText(text, { largestDocument: 50, longestLine: 50 })).rejects.toMatchObject({ code: 'unreadable' })
    expect(valuesOf(await readText(text, { largestDocument: 500, longestLine: 50 }))).toEqual([document])
  })
})

function* chunked(bytes: Buffer, ...sizes: number[]) {
  for (let at = 0, i = 0; at < bytes.length; i++) {
    const size = Math.max(1, sizes[i % sizes.length] ?? 1)
    yield bytes.subarray(at, at + size)
    at += size
  }
}

/** As openFile does: every chunk in the same buffer, so bytes kept without a copy would change. */
function* inOneBlock(chunks: Iterable<Uint8Array>) {
  const block = Buffer.alloc(1 << 16)
  for (const chunk of chunks) {
    block.fill(0x21)
    block.set(chunk)
    yield block.subarray(0, chunk.length)
  }
}

describe('laws', () => {
  const line = fc.oneof(
    {
      weight: 4,
      arbitrary: fc.jsonValue({ stringUnit: codePoint }).map((value) => Buffer.from(JSON.stringify(value))),
    },
    anyText().map((text) => Buffer.from(text)),
    fc.uint8Array({ maxLength: 12 }).map((bytes) => Buffer.from(bytes)),
    fc
      .constantFrom('{', '[', '{"a":', '}', '{"a":"é', '[1]{"b":2}', '\0\0', '\r', ' ')
      .map((text) => Buffer.from(text)),
  )
  const file = fc
    .tuple(fc.array(line, { maxLength: 8 }), fc.constantFrom('\n', '\r\n', ',\n'), fc.boolean())
    .map(([lines, end, last]) =>
      Buffer.concat(lines.flatMap((each, at) => [each, Buffer.from(at < lines.length - 1 || last ? end : '')])),
    )
    .filter((bytes) => !((bytes[0] === 0xff && bytes[1] === 0xfe) || (bytes[0] === 0xfe && bytes[1] === 0xff)))

  it('the same bytes give the same records, however they are cut into chunks', async () => {
    await fc.assert(
      fc.asyncProperty(file, fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1 }), async (bytes, sizes) => {
        const options = { longestLine: 64, largestDocument: 200 }
        const attempt = (chunks: Chunks) => read(chunks, options).catch(String)
        const whole = await attempt([bytes])
        expectSame(await attempt(inOneBlock(chunked(bytes, ...sizes))), whole)
      }),
      { numRuns: 250 },
    )
  })

  it('records separated by line feeds come back as JSON.parse gives them', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.jsonValue({ stringUnit: codePoint }).map((value) => [value])), async (values) => {
        const lines = values.map((value) => JSON.stringify(value))
        const result = await readText(lines.join('\n'))
        expect(valuesOf(result)).toEqual(lines.map((each) => JSON.parse(each)))
        expect(result.problems).toEqual([])
      }),
    )
  })
})

describe('files', () => {
  const folder = mkdtempSync(join(tmpdir(), 'ctxwin-'))
  const text = `${JSON.stringify({ a: 'é'.repeat(1000) })}\n`.repeat(3000)
  const readFile = (path: string) => read(openFile(path).chunks)
  it('are read whole, plain and compressed, whatever their name', async () => {
    writeFileSync(join(folder, 'plain.jsonl'), text)
    writeFileSync(join(folder, 'packed.jsonl'), gzipSync(text))
    const plain = await readFile(join(folder, 'plain.jsonl'))
    expect(plain.records).toHaveLength(3000)
    expectSame(plain, await readText(text))
    expectSame(await readFile(join(folder, 'packed.jsonl')), plain)
    expectSame(await read(chunked(gzipSync(text), 1, 1000)), plain)
  })

  it.each([
    ['is not there', undefined, /no such file/],
    ['is UTF-16', Buffer.from('\uFEFF{"a":1}', 'utf16le'), /UTF-16/],
    ['is an archive', Buffer.from('PK\x03\x04....'), /ZIP/],
  ])('that cannot be read say why and what to do: %s', async (name, bytes, words) => {
    const path = join(folder, name)
    if (bytes !== undefined) writeFileSync(path, bytes)
    await expect(readFile(path)).rejects.toMatchObject({ code: 'unreadable', message: expect.stringMatching(words) })
  })

  it.each([
    ['Zstandard', Buffer.from('28b52ffd00ff', 'hex')],
    ['gzip', gzipSync(text).subarray(0, 6)],
  ])('of which nothing can be unpacked are damaged, like those of which no line is whole: %s', async (name, bytes) => {
    const path = join(folder, name)
    writeFileSync(path, bytes)
    await expect(readFile(path)).rejects.toMatchObject({
      code: 'damaged',
      message: expect.stringMatching(/damaged or cut off/),
    })
  })

  it.each([
    ['a.jsonl', 'Try: iconv -f UTF-16 -t UTF-8 a.jsonl | ctxwin simulate -'],
    ["it's $x.jsonl", "Try: iconv -f UTF-16 -t UTF-8 $'it\\x27s $x.jsonl' | ctxwin simulate -"],
    ['-x.jsonl', 'Try: iconv -f UTF-16 -t UTF-8 ./-x.jsonl | ctxwin simulate -'],
    ['-', 'Put iconv -f UTF-16 -t UTF-8 before ctxwin in the pipe'],
  ])('in UTF-16 are told with a command that can be typed: %s', async (name, remedy) => {
    const chunks = [Buffer.from('\uFEFF{"a":1}', 'utf16le')]
    const reading = readRecords({ name, chunks }, { record: () => {}, problem: () => {} })
    await expect(reading).rejects.toMatchObject({ message: `cannot read ${name}: it is UTF-16 text. ${remedy}` })
  })

  it('that are directories say so, as a path and as a stream', async () => {
    const message = expect.stringMatching(/^cannot read test: it is a directory/)
    await expect(read(createReadStream(folder))).rejects.toMatchObject({ code: 'unreadable', message })
    await expect(readFile(folder)).rejects.toMatchObject({
      code: 'unreadable',
      message: expect.stringMatching(/directory/),
    })
    rmSync(folder, { recursive: true })
  })
})

// Not every Node version that runs the tests can compress with Zstandard, so its bytes are written here.
const packers: [name: string, pack: (text: string | Buffer) => Buffer][] = [['gzip', (each) => gzipSync(each)]]
if (zstdCompressSync) packers.push(['Zstandard', zstdCompressSync])

describe.each(packers)('%s', (_, pack) => {
  // Numbers that do not repeat, so that the compressed data has many blocks.
  const lines = Array.from({ length: 20_000 }, (_, nth) => JSON.stringify({ nth, noise: Math.sin(nth) }))
  const text = `${lines.join('\n')}\n`
  const packed = pack(text)

  it('that is cut off anywhere is kept up to there, and the tear is counted', async () => {
    for (const share of [0.5, 0.7, 0.999]) {
      const result = await read(chunked(packed.subarray(0, Math.floor(packed.length * share)), 1 << 16))
      const whole = result.records.length
      expect(whole).toBeGreaterThan(lines.length * share * 0.6)
      expectSame(
        valuesOf(result),
        lines.slice(0, whole).map((line) => JSON.parse(line)),
      )
      expect(result.problems.at(-1)).toEqual({ code: 'torn-compression', line: result.lines })
    }
  })

  it('without its last byte is not taken for whole', async () => {
    const result = await read([packed.subarray(0, -1)])
    expect(result.problems.at(-1)?.code).toBe('torn-compression')
  })

  it('gives the same however it is cut into chunks, whole or damaged', async () => {
    const flipped = Buffer.from(packed)
    flipped[flipped.length >> 1]! ^= 0xff
    for (const bytes of [packed, packed.subarray(0, -100), flipped]) {
      const once = await read([bytes])
      for (const size of [777, 1 << 15]) expectSame(await read(chunked(bytes, size)), once)
    }
  })

  it('that was concatenated is read to its end', async () => {
    const result = await read([Buffer.concat([pack('{"a":1}\n'), pack('{"b":2}\n'), pack('{"c":3}\n')])])
    expect(valuesOf(result)).toEqual([{ a: 1 }, { b: 2 }, { c: 3 }])
    expect(result.problems).toEqual([])
  })

  it('keeps what is whole before bytes that are none of its own', async () => {
    const result = await read([Buffer.concat([packed, Buffer.from('no such bytes')])])
    expect(result.records.length).toBeGreaterThan(lines.length / 2)
    expect(result.problems.at(-1)?.code).toBe('torn-compression')
  })

  it('that unpacks to more than it may is refused', async () => {
    const bomb = pack(Buffer.alloc(4 << 20, 0x5b))
    await expect(read([bomb], { largestUnpacked: 1 << 20 })).rejects.toMatchObject({
      code: 'unreadable',
      message: expect.stringMatching(/^cannot read test: it unpacks to more than 1 MB: .* --max-unpacked$/),
    })
  })
})

describe.skipIf(!canZstd)('frames of Zstandard', () => {
  const pack = zstdCompressSync as (text: string) => Buffer
  const skippable = Buffer.concat([Buffer.from('532a4d1804000000', 'hex'), Buffer.from('skip')])

  it('that are to be skipped are skipped, in front, between and behind', async () => {
    const whole = Buffer.concat([pack('{"a":1}\n'), skippable, pack('{"b":2}\n'), skippable])
    for (const size of [1, 5, whole.length]) {
      const result = await read(chunked(whole, size))
      expect(valuesOf(result)).toEqual([{ a: 1 }, { b: 2 }])
      expect(result.problems).toEqual([])
    }
  })

  it.each([
    ['with a checksum and no size', '28b52ffd045841000010 0a0a0a', false],
    ['with a run-length block, of one segment', '28b52ffd2003 1b0000 0a', true],
  ])('%s are told apart', async (_, hex, isWhole) => {
    const frame = Buffer.from(hex.replaceAll(' ', ''), 'hex')
    const result = await read([Buffer.concat([pack('{"a":1}\n'), frame])])
    expect(valuesOf(result)).toEqual([{ a: 1 }])
    expect(result.problems.map(({ code }) => code)).toEqual(isWhole ? [] : ['torn-compression'])
  })
})

describe('nesting', () => {
  const nested = (depth: number) => `${'['.repeat(depth)}${']'.repeat(depth)}`

  it('is bounded: a line with more brackets inside one another is skipped and named', async () => {
    const text = [nested(10_000), nested(10_001), `{"a":${nested(50_000)}}`, '[1]'].join('\n')
    const result = await readText(text)
    expect(result.records.map(({ line }) => line)).toEqual([1, 4])
    expect(codesOf(result)).toEqual(['too-deep@2', 'too-deep@3'])
  })

  it('is not what brackets in strings are, nor brackets side by side', async () => {
    const values = [
      { code: '[{'.repeat(50_000) },
      { code: '\\"['.repeat(50_000) },
      Array.from({ length: 50_000 }, () => []),
    ]
    const result = await readText(values.map((value) => JSON.stringify(value)).join('\n'))
    expectSame(valuesOf(result), values)
    expect(result.problems).toEqual([])
  })

  it('that never ends is refused before it takes memory', async () => {
    const line = Buffer.alloc(10 << 20, 0x5b)
    const before = process.memoryUsage().heapUsed
    for (const end of ['', '\n{"a":1}\n']) {
      const result = await read([line, Buffer.from(end)])
      expect(codesOf(result)).toEqual(['too-deep@1'])
    }
    expect(process.memoryUsage().heapUsed - before).toBeLessThan(50 << 20)
  })

  it('in a document ends it there', async () => {
    const text = `{\n"messages": [\n{"a": 1},\n{"b": ${nested(20_000)}},\n{"c": 3}\n]\n}`
    const result = await readText(text)
    expect(valuesOf(result)).toEqual([{ messages: [{ a: 1 }] }])
    expect(result.problems[0]?.code).toBe('too-deep')
  })
})

const damaged = join(process.env.CTXWIN_CORPUS ?? '../shared/corpus', 'damaged')

describe.skipIf(!existsSync(damaged))('damaged transcripts', () => {
  const all = existsSync(damaged) ? readdirSync(damaged) : []
  it.each(all)('%s is read to its end', async (name) => {
    const bytes = readFileSync(join(damaged, name))
    const result = await read([bytes])
    if (name !== 'empty.jsonl') expect(result.records).not.toHaveLength(0)
    expect(await read(chunked(bytes, 1, 5, 1000))).toEqual(result)
  })
})

describe('what may have no end', () => {
  /** How much of it was asked for, of three times what is read without a record. */
  async function readLong(begin: string, block: Buffer, options?: ReadOptions) {
    const { mostBetween = 2 ** 30 } = options ?? {}
    let bytes = 0
    function* chunks() {
      yield Buffer.from(begin)
      for (; bytes < 3 * mostBetween; bytes += block.length) yield block
    }
    const result = await read(chunks(), options)
    return { values: valuesOf(result), codes: codesOf(result), isBounded: bytes <= mostBetween + block.length }
  }

  const less = { longestLine: 2 ** 22, largestDocument: 2 ** 23, mostBetween: 2 ** 24 }
  const nuls = Buffer.alloc(1 << 16)
  it.each([
    ['NUL bytes, as of a sparse file', '', nuls, [], ['no-end@1'], less],
    ['NUL bytes behind records', '{"a":1}\n', nuls, [{ a: 1 }], ['no-end@2'], less],
    ['one line', '{"a":"', Buffer.alloc(1 << 16, 'x'), [], ['no-end@1'], less],
    ['a GB of them by itself', '{"a":1}\n', Buffer.alloc(1 << 22), [{ a: 1 }], ['no-end@2'], undefined],
    ['blank lines', '', Buffer.alloc(1 << 22, '\n'), [], ['no-end@4194305'], undefined],
  ])('is left behind so many without a record: %s', async (_, begin, block, values, codes, options) => {
    expect(await readLong(begin, block, options)).toEqual({ values, codes, isBounded: true })
  })

  it('is left after 1,000,000 lines without a record, and keeps those before', async () => {
    const result = await readLong('{"a":1}\n', Buffer.from('\0\n'.repeat(1000)))
    expect(result.values).toEqual([{ a: 1 }])
    expect(result.isBounded).toBe(true)
    expect(result.codes.at(-1)).toMatch(/^no-end@/)
    const fewer = await readText(`{"a":1}\n${'\n'.repeat(999_999)}{"a":2}\n`)
    expect(valuesOf(fewer)).toEqual([{ a: 1 }, { a: 2 }])
  })

  it('is left in a table, where a quote is not closed', async () => {
    const block = Buffer.alloc(1 << 22, 'x')
    function* chunks() {
      yield Buffer.from('messages\n"')
      for (let at = 0; at < 300; at++) yield block
    }
    const options = { columns: { conversations: ['messages'], about: [] } }
    await expect(read(chunks(), options)).rejects.toMatchObject({
      code: 'damaged',
      message: expect.stringContaining('a cell of it has more than 256 MB'),
    })
  })
})
