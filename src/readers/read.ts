/** The way from a file to its transcripts: its records wait until the format is voted, then go to that reader. */
import { CtxwinError } from '../errors.ts'
import type { ProviderName } from '../model/message.ts'
import type { Trace } from '../model/trace.ts'
import { readers } from './index.ts'
import { type LineProblem, problems as lineProblems } from './lines/problems.ts'
import { type RecordSink, readRecords } from './lines/records.ts'
import type { Source } from './lines/source.ts'
import { type Finding, findings, type Reader, type Reading } from './reader.ts'
import { sampleSize, voteFormat } from './vote.ts'
import { TraceWriter, type WriterOptions } from './writer.ts'

export interface ReadOptions extends WriterOptions {
  /** A reader's name, or `auto`: voted by the first records. */
  readonly format: string
}

export interface FileReport {
  /** The reader that read it; `auto` when there was nothing to tell by. */
  readonly format: string
  /** JSON values read. */
  readonly records: number
  readonly transcripts: number
  /** Lines of whose content something is lost. */
  readonly damagedLines: number
  readonly problems: readonly (LineProblem | Finding)[]
}

/**
 * Reads one file and hands over each transcript as soon as it is complete.
 * @throws CtxwinError when the file cannot be read, no reader knows the format, or `format` names none
 */
export async function readTranscripts(
  source: Source,
  options: ReadOptions,
  done: (trace: Trace) => void,
): Promise<FileReport> {
  const file = new FileReading(source.name, options, done)
  await readRecords(source, file)
  return file.finish()
}

/** What is wrong with a line, in words. */
export function wordsOf(problem: LineProblem | Finding): string {
  if (problem.code in findings) return findings[problem.code as Finding['code']]
  const { code, detail } = problem as LineProblem
  return lineProblems[code].words + (detail === undefined ? '' : ` (${detail})`)
}

class FileReading implements RecordSink {
  readonly #name: string
  readonly #options: ReadOptions
  readonly #done: (trace: Trace) => void
  readonly #open = new Set<TraceWriter>()
  readonly #problems: (LineProblem | Finding)[] = []
  #waiting: { value: unknown; line: number }[] = []
  #reading: Reading | null = null
  #format: string
  #records = 0
  #transcripts = 0
  #damaged = 0

  constructor(name: string, options: ReadOptions, done: (trace: Trace) => void) {
    this.#name = name
    this.#options = options
    this.#format = options.format
    this.#done = done
  }

  record(value: unknown, line: number): void {
    this.#records++
    if (this.#reading) {
      this.#reading.record(value, line)
      return
    }
    this.#waiting.push({ value, line })
    if (this.#waiting.length >= sampleSize) this.#begin()
  }

  problem(problem: LineProblem): void {
    this.#note(problem, lineProblems[problem.code].damaged)
  }

  finish(): FileReport {
    if (!this.#reading && this.#records > 0) this.#begin()
    this.#reading?.end()
    for (const writer of this.#open) writer.close()
    return {
      format: this.#format,
      records: this.#records,
      transcripts: this.#transcripts,
      damagedLines: this.#damaged,
      problems: this.#problems,
    }
  }

  #begin(): void {
    const only = this.#waiting.length === 1 ? this.#waiting[0]?.value : undefined
    const elements = Array.isArray(only)
    // The elements of a document that is one array are records of their own.
    const records = elements ? only.map((value: unknown, index) => ({ value, line: index + 1 })) : this.#waiting
    const reader = this.#readerOf(records.slice(0, sampleSize).map((record) => record.value))
    this.#format = reader.name
    this.#reading = reader.read({
      file: this.#name,
      elements,
      open: ({ conversation, provider }) => this.#write(reader.name, conversation, provider),
      finding: (finding, damaged) => this.#note(finding, damaged),
    })
    this.#waiting = []
    for (const { value, line } of records) this.#reading.record(value, line)
  }

  #readerOf(sample: readonly unknown[]): Reader {
    const { format } = this.#options
    const reader = format === 'auto' ? voteFormat(readers.all, sample) : readers.get(format)
    if (!reader) throw new CtxwinError('unknown-format', this.#name, readers.names.join(', '))
    return reader
  }

  #write(format: string, conversation: string | null, provider: ProviderName): TraceWriter {
    const known = { file: this.#name, format, conversation, provider }
    const head = { ...known, model: null, cwd: null, parent: null, forkMessage: null }
    const writer = new TraceWriter(head, this.#options, (trace) => {
      this.#open.delete(writer)
      // A transcript without a message is no transcript: a header line, a session that was never used.
      if (trace.length === 0) return
      this.#transcripts++
      this.#done(trace)
    })
    this.#open.add(writer)
    return writer
  }

  #note(problem: LineProblem | Finding, damaged: boolean): void {
    this.#problems.push(problem)
    if (damaged) this.#damaged++
  }
}
