/** Reads the transcripts of a file: its first records decide the format, then all records go to that format's reader. */
import { CtxwinError } from '../base/errors.ts'
import type { Trace, TranscriptHead } from '../model/trace.ts'
import { readers } from './index.ts'
import { type LineProblem, problems as lineProblems, type ProblemCode } from './lines/problems.ts'
import { type RecordSink, readRecords } from './lines/records.ts'
import type { Source } from './lines/source.ts'
import {
  bad,
  type FileHead,
  type Finding,
  type FindingCode,
  findings,
  type Reader,
  type ReaderContext,
  type Reading,
  type Shape,
} from './reader.ts'
import { conversationColumns, isTextRow, recordOfRow, rowKeys } from './rows.ts'
import { type PlainTally, type Reported, Tally } from './tally.ts'
import { describeUnknown } from './unknown.ts'
import { type PlainSearch, UsageSearch } from './usage-search.ts'
import { sampleSize, voteFormat } from './vote.ts'
import { isEmptyRequest } from './wire/bodies.ts'
import { oddIn } from './wire/shape.ts'
import { unwrapped } from './wrapped.ts'
import { type PlainWriter, TraceWriter, unreadUsage, type WriterOptions } from './writer.ts'

export interface ReadOptions extends WriterOptions {
  /** A reader, the name of one, or `auto`: the first records decide. */
  readonly format: string | Reader
  /** The most bytes that a compressed file may unpack to; default 4 GB. */
  readonly largestUnpacked?: number
  /** The column of a table that holds the conversations; default: the first usual one. */
  readonly column?: string | null
  /** Branches that were left are transcripts, too, where the format keeps them. */
  readonly branches?: boolean
}

export interface FileReport {
  /** Name of the reader that read the file; `auto` when the file had no record to recognise a format by. */
  readonly format: string
  /** JSON values read; in a file that is one array, its elements. Each is counted once more in the next three fields. */
  readonly records: number
  /** Records that became part of a transcript, or describe one. */
  readonly used: number
  /** Records of a known kind that no model sees. */
  readonly noContext: number
  /** Records that are unknown, malformed or duplicates: see `problems`. */
  readonly leftOut: number
  readonly transcripts: number
  /** Lines that lost some or all of their content. */
  readonly damagedLines: number
  readonly problems: readonly Problem[]
}

/** A problem with one or more lines. If a code has many, the first are listed one by one, the rest as one with a count. */
export type Problem = Reported<ProblemCode | FindingCode>

/**
 * Reads one file and hands over each transcript as soon as it is complete.
 * @throws CtxwinError when the file cannot be read, no reader knows the format, or `format` names none
 */
export async function readTranscripts(
  source: Source,
  options: ReadOptions,
  done: (trace: Trace) => void,
): Promise<FileReport> {
  const file = new FileReading(source, options, done)
  const { column = null } = options
  const columns = { conversations: column === null ? conversationColumns : [column], about: rowKeys }
  await readRecords(source, file, { ...options, columns })
  return file.finish()
}

/** The problem as a phrase for people. */
export function wordsOf({ code, detail }: Problem): string {
  return rules[code].words + (detail === undefined ? '' : ` (${detail})`)
}

const rules = { ...lineProblems, ...findings }

export const problemCodes = Object.keys(rules) as readonly Problem['code'][]

/** How much of a file is damaged, as a clause for people. */
export function damageOf({ damagedLines, problems }: Pick<FileReport, 'damagedLines' | 'problems'>): string {
  const isTorn = problems.some(({ code }) => code === 'torn-compression')
  const torn = isTorn ? ' (its compressed data is damaged or cut off)' : ''
  return `${damagedLines} of its lines ${damagedLines === 1 ? 'is' : 'are'} damaged${torn}`
}

/** The reading of a file as plain data. */
export interface PlainFile {
  readonly format: string
  /** Of the reader. */
  readonly state: unknown
  readonly used: number
  readonly noContext: number
  readonly leftOut: number
  readonly tally: PlainTally<ProblemCode | FindingCode>
  readonly search: PlainSearch
  readonly writers: readonly PlainWriter[]
}

/** Reads what has no message by which a reader could recognise it. */
const emptyReader: Reader = {
  name: 'auto',
  summary: '',
  source: '',
  recognise: () => 0,
  read: () => ({ record: (value) => (isEmptyRequest(value) ? 'no-context' : bad), end: () => {} }),
}

export class FileReading implements RecordSink {
  readonly #source: Source
  readonly #options: ReadOptions
  readonly #done: (trace: Trace) => void
  readonly #open = new Set<TraceWriter>()
  #tally = new Tally<ProblemCode | FindingCode>()
  #search = new UsageSearch()
  #waiting: { value: unknown; line: number }[] = []
  #reading: Reading | null = null
  #shape: Shape | null = null
  /** The records are rows of a table, which hold a conversation in a column. */
  #rows = false
  /** The file is one array, whose elements come one by one. */
  #elements = false
  /** The reader has asked for a document beside the file. That may change while the file does not. */
  #looksBeside = false
  #format: string
  #used = 0
  #noContext = 0
  #leftOut = 0
  #transcripts = 0

  constructor(source: Source, options: ReadOptions, done: (trace: Trace) => void) {
    this.#source = source
    this.#options = options
    this.#format = typeof options.format === 'string' ? options.format : options.format.name
    this.#done = done
  }

  /**
   * A reading that goes on where another one of the same file, with the same options, was `plain`.
   * @returns null where the reader cannot do that
   */
  static of(source: Source, options: ReadOptions, done: (trace: Trace) => void, plain: PlainFile): FileReading | null {
    const reader = readers.get(plain.format)
    if (!reader.resume) return null
    const file = new FileReading(source, options, done)
    file.#format = plain.format
    file.#used = plain.used
    file.#noContext = plain.noContext
    file.#leftOut = plain.leftOut
    file.#tally = new Tally(plain.tally)
    file.#search = new UsageSearch(plain.search)
    const writers = plain.writers.map((writer) => file.#write(writer.head, writer))
    file.#shape = reader.shape ?? null
    file.#reading = reader.resume(file.#contextOf(reader), plain.state, writers)
    return file
  }

  /** Asked between two records. Null where no other reading could go on from here. */
  plain(): PlainFile | null {
    const reading = this.#reading
    const isPlain = !this.#rows && !this.#elements && !this.#looksBeside && this.#transcripts === 0
    if (!reading?.state || !isPlain) return null
    const open = [...this.#open]
    const writers = open.flatMap((writer) => writer.plain() ?? [])
    if (writers.length < open.length) return null
    const numbers = new Map<unknown, number>(open.map((writer, number) => [writer, number]))
    return {
      format: this.#format,
      state: reading.state((writer) => numbers.get(writer) as number),
      used: this.#used,
      noContext: this.#noContext,
      leftOut: this.#leftOut,
      tally: this.#tally.plain(),
      search: this.#search.plain(),
      writers,
    }
  }

  elements(): void {
    this.#elements = true
  }

  record(recorded: unknown, line: number): void {
    const value = unwrapped(recorded)
    if (this.#reading) {
      this.#hand(this.#reading, value, line)
      return
    }
    this.#waiting.push({ value, line })
    if (this.#waiting.length >= sampleSize) this.#begin()
  }

  problem(problem: LineProblem): void {
    this.#tally.add(problem, lineProblems[problem.code].damaged)
  }

  finish(): FileReport {
    if (!this.#reading && this.#waiting.length > 0) this.#begin()
    this.#reading?.end()
    for (const writer of this.#open) writer.close()
    for (const [path, { line, count }] of this.#search.untaken) this.#note(unreadUsage(path, line), count)
    return {
      format: this.#format,
      records: this.#used + this.#noContext + this.#leftOut,
      used: this.#used,
      noContext: this.#noContext,
      leftOut: this.#leftOut,
      transcripts: this.#transcripts,
      damagedLines: this.#tally.damagedLines,
      problems: this.#tally.reported,
    }
  }

  #begin(): void {
    const only = this.#waiting.length === 1 && !this.#elements ? this.#waiting[0]?.value : undefined
    const isArray = Array.isArray(only)
    const elements = isArray || this.#elements
    // In a file that is one array, each element is a record.
    const records = isArray
      ? only.map((value: unknown, index) => ({ value: unwrapped(value), line: index + 1 }))
      : this.#waiting
    const head = { file: this.#source.name, elements, records: records.slice(0, sampleSize) }
    const reader = this.#readerOf(head)
    this.#format = reader.name
    this.#shape = reader.shape ?? null
    this.#reading = reader.read(this.#contextOf(reader, elements))
    this.#waiting = []
    for (const { value, line } of records) this.#hand(this.#reading, value, line)
  }

  #contextOf({ name: format }: Reader, elements = false): ReaderContext {
    return {
      file: this.#source.name,
      elements,
      branches: this.#options.branches === true,
      beside: (name, rows) => {
        this.#looksBeside = true
        return this.#source.beside?.(name, rows)
      },
      open: ({ conversation, provider }) => {
        const known = { file: this.#source.name, format, conversation, provider }
        return this.#write({ ...known, model: null, cwd: null, parent: null, forkMessage: null })
      },
      finding: (finding) => this.#note(finding),
      notUsed: (finding) => {
        this.#used--
        this.#leftOut++
        this.#note(finding)
      },
    }
  }

  #hand(reading: Reading, value: unknown, line: number): void {
    const record = this.#rows ? recordOfRow(value, this.#options.column ?? null) : value
    const outcome = reading.record(record, line)
    this.#search.record(record, line)
    if (outcome === 'used') this.#used++
    else if (outcome === 'no-context') this.#noContext++
    else {
      this.#leftOut++
      this.#note({ ...outcome, line })
      return
    }
    const odd = this.#shape === null ? null : oddIn(this.#shape, record)
    if (odd !== null) this.#note({ ...odd, line })
  }

  #readerOf(head: FileHead): Reader {
    const { format } = this.#options
    if (typeof format !== 'string' && format.accepts?.(head) !== false) return format
    const sample = head.records.map(({ value }) => value)
    const isNamed = typeof format === 'string' && format !== 'auto'
    const recognise = (records: readonly unknown[]) =>
      isNamed ? readers.get(format) : voteFormat(readers.all, records, head.elements)
    const { column = null } = this.#options
    this.#rows = column !== null || (isNamed && sample.some(isTextRow))
    const reader = this.#rows ? null : recognise(sample)
    if (reader) return reader
    if (sample.every(isEmptyRequest)) return emptyReader
    this.#rows = true
    const inRows = recognise(sample.map((row) => recordOfRow(row, column)))
    if (inRows) return inRows
    const { damagedLines, reported: problems } = this.#tally
    if (damagedLines > 0) {
      const damage = damageOf({ damagedLines, problems })
      throw new CtxwinError('damaged', this.#source.name, `${damage}, and no format recognises the rest`)
    }
    const error = new CtxwinError('unknown-format', this.#source.name)
    error.details = describeUnknown(sample, readers.all)
    throw error
  }

  #write(head: TranscriptHead, plain?: PlainWriter): TraceWriter {
    const writer = new TraceWriter(
      head,
      this.#options,
      { finding: (finding) => this.#note(finding), billed: (usage) => this.#search.taken(usage) },
      (trace) => {
        this.#open.delete(writer)
        // Not a transcript: only a header line, or a session that was never used.
        if (trace.length === 0) return
        this.#transcripts++
        this.#done(trace)
      },
      plain,
    )
    this.#open.add(writer)
    return writer
  }

  #note({ code, kind, key, line }: Finding, count = 1): void {
    const problem = { code, line, ...(key !== undefined && { detail: key }), ...(count > 1 && { count }) }
    this.#tally.add(problem, findings[code].damaged, kind ?? key)
  }
}
