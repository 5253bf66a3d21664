/**
 * Lines to JSON values: the hot path of the tool. A good line costs one decode and one JSON.parse; everything else is
 * looked at only after JSON.parse has refused it.
 *
 * A record is an object or an array: no transcript is made of anything else.
 *
 * A file is JSONL until proved otherwise. The proof that it is one JSON document spread over many lines: its first line
 * opens a bracket and does not close it, and does not end inside a string (no JSON string holds a raw line feed, so such
 * a line is a torn record). A file of one line may be either; its one value is handed over and its keys tell.
 *
 * JSON.parse makes `__proto__` an own property like any other; it does harm only when a reader copies it by assignment.
 */
import { constants, isUtf8 } from 'node:buffer'
import { CtxwinError } from '../../base/errors.ts'
import { nestsTooDeep } from './depth.ts'
import { GrowingBytes, LineSplitter } from './lines.ts'
import type { LineProblem, ProblemCode } from './problems.ts'
import { type Source, textOf } from './source.ts'
import { type Cause, valuesIn } from './values.ts'

export interface RecordSink {
  /** `bytes`: the size of the record in the file, its line feed not counted. */
  record(value: unknown, line: number, bytes: number): void
  problem(problem: LineProblem): void
}

export interface Framing {
  /** `document`: one JSON value over several lines, handed over as one record (an array too). */
  readonly framing: 'lines' | 'document'
  readonly lines: number
  /** Of text: decompressed, without a byte order mark. */
  readonly bytes: number
}

export interface ReadOptions {
  /** In bytes, default 256 MB. A longer line is skipped. The first line may be a whole document, and as large as one. */
  readonly longestLine?: number
  /** In bytes, default (and at most) what one JavaScript string can hold: 512 MB. */
  readonly largestDocument?: number
  /** In bytes, default 4 GB: what a compressed source may give. */
  readonly largestUnpacked?: number
}

/**
 * Hands over every record of the source, in order, synchronously within each chunk.
 * @throws {CtxwinError} `unreadable` when the source cannot be opened, is not text, or is one document too large to parse
 */
export async function readRecords(source: Source, sink: RecordSink, options: ReadOptions = {}): Promise<Framing> {
  const reading = new Reading(source.name, sink, options)
  let isTorn = false
  const torn = () => {
    isTorn = true
  }
  for await (const chunk of textOf(source, { ...options, torn })) reading.push(chunk)
  return reading.end(isTorn)
}

class Reading {
  readonly #name: string
  readonly #sink: RecordSink
  readonly #splitter: LineSplitter
  readonly #longestLine: number
  readonly #largestDocument: number
  #document: GrowingBytes | undefined
  #framing: Framing['framing'] = 'lines'
  #bytes = 0
  #line = 0
  /** Up to and with the first line that is not blank: only that one can open a document. */
  #undecided = true

  constructor(name: string, sink: RecordSink, options: ReadOptions) {
    this.#name = name
    this.#sink = sink
    this.#longestLine = options.longestLine ?? 2 ** 28
    this.#largestDocument = options.largestDocument ?? constants.MAX_STRING_LENGTH
    const line = this.#readLine.bind(this)
    const tooLong = this.#skipLine.bind(this)
    this.#splitter = new LineSplitter({ line, tooLong }, Math.max(this.#longestLine, this.#largestDocument))
  }

  push(chunk: Buffer): void {
    this.#bytes += chunk.length
    const split = this.#document === undefined ? this.#splitter.push(chunk) : 0
    if (split < chunk.length) this.#collect(chunk.subarray(split))
  }

  /** @param isTorn there was more, and it could not be unpacked */
  end(isTorn: boolean): Framing {
    if (this.#document !== undefined) this.#readDocument(this.#document.bytes.subarray(0, this.#document.length))
    this.#splitter.end()
    if (isTorn) this.#problem('torn-compression')
    return { framing: this.#framing, lines: this.#line, bytes: this.#bytes }
  }

  #readLine(bytes: Buffer, start: number, end: number, ended: boolean): boolean {
    this.#line++
    if (start === end) return true
    const text = bytes.toString('utf8', start, end)
    // A refusal of JSON.parse costs 20 microseconds: a large file of plain or torn text should not pay it on every line.
    const value = isBracketed(bytes, start, end) && !nestsTooDeep(text) ? parsed(text) : undefined
    if (value === undefined) return this.#readBadLine(text, bytes.subarray(start, end), ended)
    if (this.#undecided) this.#decideForLines()
    this.#checkDecoding(text, bytes, start, end)
    this.#sink.record(value, this.#line, end - start)
    return true
  }

  #decideForLines(): void {
    this.#undecided = false
    this.#splitter.limit = this.#longestLine
  }

  #skipLine(): void {
    this.#line++
    this.#decideForLines()
    this.#problem('line-too-long')
  }

  /** Blank, indented, padded with NULs, several values, torn, garbage, or the first line of a document. */
  #readBadLine(text: string, bytes: Buffer, ended: boolean): boolean {
    const opening = this.#undecided ? valuesIn(text).next().value : undefined
    if (opening !== undefined) {
      if (ended && opening.kind === 'broken' && opening.cause === 'cut') {
        this.#collect(bytes)
        this.#collect(lineFeed)
        return false
      }
      this.#decideForLines()
    }
    const isAll = opening !== undefined && !ended
    const kept = this.#readValues(text, bytes, ended, isAll)
    if (kept > 1) this.#problem('two-on-a-line', `${kept} records`)
    return true
  }

  /** @returns how many records were handed over */
  #readValues(text: string, bytes: Buffer, ended: boolean, isAll: boolean): number {
    let kept = 0
    let seen = 0
    for (const found of valuesIn(text)) {
      this.#line += lineFeedsIn(text, seen, found.start)
      seen = found.start
      const mendable = found.kind === 'whole' || isAll
      const json = found.kind === 'whole' ? text.slice(found.start, found.end) : found.mended
      if (mendable && json !== undefined && this.#handOver(json)) {
        kept++
        if (found.kind === 'broken') {
          const code = found.cause === 'deep' ? 'too-deep' : 'torn-document'
          this.#problem(code, `at byte ${Buffer.byteLength(text.slice(0, found.end))}`)
        }
      } else {
        this.#problem(found.kind === 'broken' ? codeOf(found.cause, ended) : 'not-json')
      }
    }
    if (kept > 0) this.#checkDecoding(text, bytes, 0, bytes.length)
    if (text.includes('\0')) this.#problem('nul-bytes')
    return kept
  }

  #handOver(json: string): boolean {
    let value = parsed(json)
    if (value === undefined) {
      const mended = withValidEscapes(json)
      if (mended !== json) value = parsed(mended)
      if (value === undefined) return false
      this.#problem('invalid-escape')
    }
    this.#sink.record(value, this.#line, Buffer.byteLength(json))
    return true
  }

  #collect(bytes: Buffer): void {
    this.#document ??= new GrowingBytes()
    if (this.#document.length + bytes.length > this.#largestDocument) {
      const size = `${Math.floor(this.#largestDocument / 2 ** 20)} MB`
      throw new CtxwinError(
        'unreadable',
        this.#name,
        `it is one JSON document of more than ${size}: turn it into JSONL first`,
      )
    }
    this.#document.append(bytes, 0, bytes.length)
  }

  #readDocument(bytes: Buffer): void {
    const firstLine = this.#line
    const text = bytes.toString('utf8')
    const opening = !nestsTooDeep(text) && this.#handOver(text) ? undefined : valuesIn(text).next().value
    if (opening?.kind === 'broken' && recordsOnLines.test(text)) {
      // It was lines after all, and the first one was torn.
      this.#line = firstLine - 1
      this.#decideForLines()
      this.#splitter.push(bytes)
      return
    }
    const kept = opening === undefined ? 1 : this.#readValues(text, bytes, false, true)
    if (opening === undefined) this.#checkDecoding(text, bytes, 0, bytes.length)
    this.#framing = kept > 1 ? 'lines' : 'document'
    this.#line = firstLine + lineFeedsIn(text, 0, text.length) - (text.endsWith('\n') ? 1 : 0)
  }

  /** Only text that holds U+FFFD can come from invalid bytes, so this costs nothing on almost every line. */
  #checkDecoding(text: string, bytes: Buffer, start: number, end: number): void {
    if (text.includes('\uFFFD') && !isUtf8(bytes.subarray(start, end))) this.#problem('invalid-utf8')
  }

  #problem(code: ProblemCode, detail?: string): void {
    this.#sink.problem(detail === undefined ? { code, line: this.#line } : { code, line: this.#line, detail })
  }
}

function codeOf(cause: Cause, ended: boolean): ProblemCode {
  if (cause === 'deep') return 'too-deep'
  return cause.startsWith('cut') && !ended ? 'torn-line' : 'not-json'
}

/** Whether a line may be one object or array: torn lines are not, and there may be 100,000 of them. */
function isBracketed(bytes: Buffer, start: number, end: number): boolean {
  const closer = bytes[start] === 0x7b ? 0x7d : bytes[start] === 0x5b ? 0x5d : undefined
  if (closer === undefined) return false
  let last = end - 1
  while (bytes[last]! <= 0x20) last--
  return bytes[last] === closer
}

/** @param json an object or array, so undefined can only mean that it is neither */
function parsed(json: string): unknown {
  try {
    return JSON.parse(json)
  } catch {
    return undefined
  }
}

/** Tools that redact or shorten serialised JSON leave half escapes behind: one wrong character, not a lost record. */
function withValidEscapes(json: string): string {
  return json.replace(/\\(?:(["\\/bfnrt]|u[\da-fA-F]{4})|u?)/g, (found, valid) =>
    valid === undefined ? '\uFFFD' : found,
  )
}

const lineFeed = Buffer.from('\n')

/**
 * One object ends a line and the next begins one. In a document a comma would stand between them, and the line feed
 * cannot be inside a string. In several documents in a row the first one is whole.
 */
const recordsOnLines = /\}[ \t\r]*\n\s*\{/

function lineFeedsIn(text: string, start: number, end: number): number {
  const part = text.slice(start, end)
  let count = 0
  for (let at = part.indexOf('\n'); at !== -1; at = part.indexOf('\n', at + 1)) count++
  return count
}
