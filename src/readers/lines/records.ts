/**
 * Parses lines into JSON values: the hot path of the program. A good line costs one decode and one JSON.parse; a line is
 * examined further only after JSON.parse has refused it.
 *
 * A record is an object or an array: no transcript format uses other JSON values as records.
 *
 * A file is read as JSONL unless its first line opens a bracket that it does not close, and does not end inside a string
 * (a JSON string cannot contain a raw line feed, so such a line is a torn record): then the whole file is one JSON
 * document. A file of one line may be either; its value is handed over, and the readers decide by its keys.
 *
 * A document is held in memory, except an array of more than `largestWhole`: its elements are handed over one by one.
 *
 * JSON.parse makes `__proto__` an own property like any other. It is harmless unless a reader copies it by assignment.
 */
import { constants, isUtf8 } from 'node:buffer'
import { CtxwinError } from '../../base/errors.ts'
import { parsedJson } from '../../base/json-text.ts'
import { ElementSplitter } from './elements.ts'
import { GrowingBytes, LineSplitter } from './lines.ts'
import type { TableColumns } from './parquet.ts'
import type { LineProblem, ProblemCode } from './problems.ts'
import { type Source, textOf } from './source.ts'
import { type Cause, valuesIn } from './values.ts'

export interface RecordSink {
  /** The file is one large array: the records that follow are its elements, and their lines the elements' numbers. */
  elements?(): void
  /** @param bytes size of the record in the file, without its line feed */
  record(value: unknown, line: number, bytes: number): void
  problem(problem: LineProblem): void
}

export interface Framing {
  /** `document`: one JSON value over several lines, handed over as one record, even if it is an array; a large array. */
  readonly framing: 'lines' | 'document'
  readonly lines: number
  /** Size of the text: decompressed, without a byte order mark. */
  readonly bytes: number
}

export interface ReadOptions {
  /** In bytes, default 256 MB. A longer line is skipped, except a first line up to `largestDocument`: it may be a document. */
  readonly longestLine?: number
  /** In bytes, default (and at most) what one JavaScript string can hold: 512 MB. */
  readonly largestDocument?: number
  /** In bytes, default 64 MB: a larger file that is one array is read element by element. */
  readonly largestWhole?: number
  /** The most bytes that a compressed source may unpack to; default 4 GB. */
  readonly largestUnpacked?: number
  /** In bytes, default 1 GB, twice the size of a document: where so many have no record, what is behind them is not read. */
  readonly mostBetween?: number
  /** The columns in which a table has conversations: each of its rows is then a record, and its line the row's number. */
  readonly columns?: TableColumns
}

/**
 * Hands over every record of the source, in order, synchronously within each chunk.
 * @throws {CtxwinError} `unreadable` when the source cannot be opened, is not text, or is one document too large to parse
 */
export async function readRecords(source: Source, sink: RecordSink, options: ReadOptions = {}): Promise<Framing> {
  const reading = new RecordReading(source.name, sink, options)
  let damage: ProblemCode | null = null
  const damaged = (how: ProblemCode) => {
    damage ??= how
  }
  for await (const chunk of textOf(source, { ...options, damaged })) if (!reading.push(chunk)) break
  return reading.end(damage)
}

/** A line that is not JSON takes some microseconds, so this is some seconds. */
const mostLinesBetween = 1_000_000

/** Reads lines of plain text that come in pieces, as a program appends them to its file. */
export class RecordReading {
  readonly #name: string
  readonly #sink: RecordSink
  readonly #splitter: LineSplitter
  readonly #longestLine: number
  readonly #largestDocument: number
  #document: GrowingBytes | undefined
  #framing: Framing['framing'] = 'lines'
  #bytes = 0
  #line = 0
  /** True until the first line that is not blank has been read: only that line can open a document. */
  #undecided = true
  readonly #largestWhole: number
  readonly #mostBetween: number
  /** The beginning of what may be a large array. */
  #head: GrowingBytes | null = null
  #elements: ElementSplitter | null = null
  #begun = false
  /** Where the last record was, in bytes and in lines. */
  #last = { bytes: 0, lines: 0 }
  #isGivenUp = false

  /** @param lines that were read before, of a file that is known to have records on lines; default: none */
  constructor(name: string, sink: RecordSink, options: ReadOptions, lines = 0) {
    this.#name = name
    this.#sink = sink
    this.#longestLine = options.longestLine ?? 2 ** 28
    this.#largestDocument = options.largestDocument ?? constants.MAX_STRING_LENGTH
    this.#largestWhole = options.largestWhole ?? 2 ** 26
    this.#mostBetween = options.mostBetween ?? 2 ** 30
    const line = this.#readLine.bind(this)
    const tooLong = this.#skipLine.bind(this)
    this.#splitter = new LineSplitter({ line, tooLong }, Math.max(this.#longestLine, this.#largestDocument))
    if (lines === 0) return
    this.#line = lines
    this.#last.lines = lines
    this.#begun = true
    this.#decideForLines()
  }

  /**
   * How many lines have been read, and how many bytes wait for the end of the next. Null where a reading cannot go on from
   * that: the file is not known to be lines yet, or is no such file, or a line is too long to be held.
   */
  get stopped(): { readonly lines: number; readonly waiting: number } | null {
    const isLines = !this.#undecided && !this.#document && !this.#head && !this.#elements
    const { waiting } = this.#splitter
    return isLines && waiting !== null ? { lines: this.#line, waiting } : null
  }

  /** @returns whether to go on: not where there has been no record for so long that there may be no end of it */
  push(chunk: Buffer): boolean {
    if (this.#isGivenUp) return false
    this.#bytes += chunk.length
    if (!this.#begun) this.#begin(chunk)
    if (this.#head) this.#read(this.#head, chunk)
    else if (this.#elements) this.#elements.push(chunk)
    else this.#split(chunk)
    if (this.#bytes - this.#last.bytes <= this.#mostBetween && this.#line - this.#last.lines <= mostLinesBetween)
      return true
    this.#isGivenUp = true
    this.#sink.problem({ code: 'no-end', line: this.#line + 1 })
    return false
  }

  #begin(chunk: Buffer): void {
    let first = 0
    while (first < chunk.length && (chunk[first] as number) <= 0x20) first++
    this.#begun = first < chunk.length
    if (chunk[first] === openBracket) this.#head = new GrowingBytes()
  }

  #read(head: GrowingBytes, chunk: Buffer): void {
    head.append(chunk, 0, chunk.length)
    if (head.length <= this.#largestWhole) return
    this.#head = null
    const read = head.bytes.subarray(0, head.length)
    if (beginsWithWholeLine(read)) {
      this.#split(read)
      return
    }
    this.#framing = 'document'
    this.#sink.elements?.()
    const element = this.#readElement.bind(this)
    const skipped = (why: ProblemCode) => {
      this.#line++
      this.#problem(why)
    }
    this.#elements = new ElementSplitter({ element, skipped }, this.#largestDocument)
    this.#elements.push(read)
  }

  #readElement(bytes: Buffer, start: number, end: number): void {
    this.#line++
    const text = bytes.toString('utf8', start, end)
    if (!this.#handOver(text)) this.#problem('not-json')
    else this.#checkDecoding(text, bytes, start, end)
  }

  #split(chunk: Buffer): void {
    const split = this.#document === undefined ? this.#splitter.push(chunk) : 0
    if (split < chunk.length) this.#collect(chunk.subarray(split))
  }

  /** @param damage what is wrong with the source as a whole */
  end(damage: ProblemCode | null): Framing {
    if (!this.#isGivenUp) this.#endWhole()
    if (damage !== null) this.#problem(damage)
    return { framing: this.#framing, lines: this.#line, bytes: this.#bytes }
  }

  #endWhole(): void {
    if (this.#head) this.#split(this.#head.bytes.subarray(0, this.#head.length))
    if (this.#elements) this.#endElements(this.#elements)
    if (this.#document !== undefined) this.#readDocument(this.#document.bytes.subarray(0, this.#document.length))
    this.#splitter.end()
  }

  #endElements(elements: ElementSplitter): void {
    const { closed, stray } = elements.end()
    if (!closed) this.#problem('torn-document', `at byte ${this.#bytes}`)
    if (stray) this.#problem('not-json')
  }

  #readLine(bytes: Buffer, start: number, end: number, ended: boolean): boolean {
    this.#line++
    if (start === end) return true
    const text = bytes.toString('utf8', start, end)
    // JSON.parse takes 20 microseconds to throw: too much for every line of a large file of plain or torn text.
    const value = isBracketed(bytes, start, end) ? parsedJson(text) : undefined
    if (value === undefined) return this.#readBadLine(text, bytes.subarray(start, end), ended)
    if (this.#undecided) this.#decideForLines()
    this.#checkDecoding(text, bytes, start, end)
    this.#record(value, end - start)
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

  /** Reads a line that is blank, indented, padded with NULs, several values, torn, garbage, or the start of a document. */
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
    let value = parsedJson(json)
    if (value === undefined) {
      const mended = withValidEscapes(json)
      if (mended !== json) value = parsedJson(mended)
      if (value === undefined) return false
      this.#problem('invalid-escape')
    }
    this.#record(value, Buffer.byteLength(json))
    return true
  }

  #record(value: unknown, bytes: number): void {
    this.#last.bytes = this.#bytes
    this.#last.lines = this.#line
    this.#sink.record(value, this.#line, bytes)
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
    const opening = this.#handOver(text) ? undefined : valuesIn(text).next().value
    if (opening?.kind === 'broken' && recordsOnLines.test(text)) {
      // It is JSONL after all: its first line was torn.
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

  /** Invalid bytes decode to U+FFFD, so the bytes need checking only in a text with that character: almost never. */
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

/** Whether a line begins and ends like one object or array. Cheaper than letting JSON.parse fail on 100,000 torn lines. */
function isBracketed(bytes: Buffer, start: number, end: number): boolean {
  const closer = bytes[start] === 0x7b ? 0x7d : bytes[start] === 0x5b ? 0x5d : undefined
  if (closer === undefined) return false
  let last = end - 1
  while (bytes[last]! <= 0x20) last--
  return bytes[last] === closer
}

/** Tools that redact or shorten serialised JSON leave broken escapes: this keeps the record at the cost of a character. */
function withValidEscapes(json: string): string {
  return json.replace(/\\(?:(["\\/bfnrt]|u[\da-fA-F]{4})|u?)/g, (found, valid) =>
    valid === undefined ? '\uFFFD' : found,
  )
}

const lineFeed = Buffer.from('\n')
const openBracket = 0x5b

/** Whether the first line of a text is an array by itself, and others follow: then each line is a record. */
function beginsWithWholeLine(text: Buffer): boolean {
  const begin = text.indexOf(openBracket)
  const end = text.indexOf(lineFeed, begin)
  return (
    end >= 0 &&
    parsedJson(text.toString('utf8', begin, end)) !== undefined &&
    /[^\s\0]/.test(text.toString('latin1', end, end + 4096))
  )
}

/**
 * An object ends one line and another begins the next, so the text is JSONL: inside a document a comma would separate
 * them, and a string cannot contain the line feed. (Concatenated documents do not get here: their first one is whole.)
 */
const recordsOnLines = /\}[ \t\r]*\n\s*\{/

function lineFeedsIn(text: string, start: number, end: number): number {
  const part = text.slice(start, end)
  let count = 0
  for (let at = part.indexOf('\n'); at !== -1; at = part.indexOf('\n', at + 1)) count++
  return count
}
