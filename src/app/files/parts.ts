/**
 * The pieces of files, made apart from each other, and put together as if the files had been read one after the other here.
 * What a piece leaves out depends on the files before its own, which whoever makes it does not know: each transcript comes
 * with the keys of its responses, and where a part of them turns out to count elsewhere, its file is measured again.
 */
import { CtxwinError, type ErrorCode } from '../../base/errors.ts'
import { Queue } from '../../base/queue.ts'
import type { Diagnostic } from '../../model/run.ts'
import type { Trace } from '../../model/trace.ts'
import type { Source } from '../../readers/lines/source.ts'
import type { FileReport } from '../../readers/read.ts'
import { type Analysis, type FileRead, needsTextOf } from '../analysis.ts'
import { copyDiagnostic, foldSources, type ReadSettings } from './read-sources.ts'
import { type Earlier, keysOf, type ResponseKeys, Responses } from './responses.ts'

/** What a part says of its files, in this order: where one begins, its transcripts, and how it ended. */
export type PartLine = FileBegin | PartTranscript | FileEnd

export interface FileBegin {
  /** Its number among all files of the command, from 0. */
  readonly file: number
  readonly name: string
  /** The user named it, so it has to be a transcript. */
  readonly named: boolean
  /** The archive or database that it lies in; null for a file by itself. */
  readonly container: string | null
}

export interface PartTranscript {
  readonly responses: ResponseKeys
  /** Null for a copy that does not matter. */
  readonly piece: unknown
}

export type FileEnd = FileRemains | FileFailure

/** How many of a file's transcripts the settings leave out, by setting, and how many have no time of their own. */
export interface LeftOut {
  readonly transcripts: Readonly<Record<string, number>>
  readonly undated: number
}

export interface FileRemains extends Pick<FileReport, 'damagedLines' | 'problems'> {
  readonly end: 'read'
  readonly left?: LeftOut
}

export interface FileFailure {
  readonly end: 'failed'
  readonly left?: LeftOut
  /** Null for a bug. */
  readonly code: ErrorCode | null
  /** Of a bug what kind of error it is, and never its message: that may quote the transcript. */
  readonly message: string
  /** What stands below the message; of a bug its stack. */
  readonly details: readonly string[]
}

/**
 * Reads a file, whatever others have of it.
 * @param earlier the responses that are known to count elsewhere; none where nothing is known
 * @returns its transcripts as soon as each is complete, and its end
 */
export async function* measureFile<Piece, Part>(
  source: Source,
  analysis: Analysis<Piece, Part>,
  settings: ReadSettings,
  earlier: Earlier = [],
): AsyncGenerator<PartTranscript | FileEnd> {
  const { plan, reads, measure, copied } = analysis
  const lines = new Queue<PartTranscript | FileEnd>()
  let wake = (): void => {}
  const tell = (line: PartTranscript | FileEnd): void => {
    lines.push(line)
    wake()
  }
  let end: FileEnd = { end: 'read', damagedLines: 0, problems: [] }
  const fold = {
    start: () => null,
    needsText: needsTextOf(analysis),
    add(_: null, trace: Trace, copyOf: string | null) {
      const piece = copyOf === null ? measure(trace) : copied?.(measure(trace), copyOf)
      tell({ responses: keysOf(trace.whole), piece: piece ?? null })
    },
  }
  const failed = (_: Source, error: unknown): void => {
    end = failureOf(error)
  }
  const reading = (async () => {
    const how = { ...settings, ...reads }
    for await (const { report } of foldSources([source], plan, how, fold, failed, new Responses(earlier))) {
      end = { end: 'read', damagedLines: report.damagedLines, problems: report.problems }
    }
    tell(end)
  })()
  for (;;) {
    for (let line = lines.shift(); line; line = lines.shift()) {
      yield line
      if ('end' in line) return
    }
    await Promise.race([
      reading,
      new Promise<void>((resolve) => {
        wake = resolve
      }),
    ])
  }
}

/** What the files of a command are put together with. */
export interface Joining {
  /** The lines of all files, in their order. */
  readonly lines: AsyncIterable<PartLine>
  /** Measures a file again, of which so much is known to count elsewhere. */
  again(file: FileBegin, earlier: Earlier): AsyncIterable<PartTranscript | FileEnd>
  /** Called for each file that failed. */
  unread(file: FileBegin, error: unknown): void
  /** Called for each file of which the settings leave something out. */
  leftOut(file: FileBegin, left: LeftOut): void
}

/** The files of which something counts, as reading them here would have it. */
export async function* joinFiles<Piece, Part>(
  { lines, again, unread, leftOut }: Joining,
  analysis: Analysis<Piece, Part>,
): AsyncGenerator<FileRead<Part>> {
  const responses = new Responses()
  let joined: JoinedFile<Piece, Part> | null = null
  for await (const line of lines) {
    if ('file' in line) joined = new JoinedFile(line, analysis, responses)
    else if (joined === null) throw new TypeError('a part begins with a file')
    else if ('responses' in line) joined.add(line)
    else {
      const { file, transcripts, copies } = joined
      if (line.left) leftOut(file, line.left)
      let [part, end] = [joined.part, line]
      if (line.end === 'read' && part === null) {
        part = analysis.start()
        end = await measuredAgain(again(file, joined.earlier()), joined.keys, analysis, part)
      }
      responses.end(end.end === 'read' ? file.name : null)
      if (end.end === 'failed') unread(file, errorOf(end))
      else if (part !== null && transcripts > 0) {
        yield { source: { name: file.name }, report: end, part, copies }
      }
      joined = null
    }
  }
}

/** A file while its transcripts are added. */
class JoinedFile<Piece, Part> {
  readonly file: FileBegin
  /** Null where a piece is of no use: the file has to be measured again. */
  part: Part | null
  readonly copies: Diagnostic[] = []
  /** Of each transcript. */
  readonly keys: ResponseKeys[] = []
  readonly #analysis: Analysis<Piece, Part>
  readonly #responses: Responses
  /** What was known of the file where it was measured. */
  readonly #alone = new Responses()

  constructor(file: FileBegin, analysis: Analysis<Piece, Part>, responses: Responses) {
    this.file = file
    this.part = analysis.start()
    this.#analysis = analysis
    this.#responses = responses
  }

  get transcripts(): number {
    return this.keys.length
  }

  add({ responses: keys, piece }: PartTranscript): void {
    this.keys.push(keys)
    const [found, alone] = [this.#responses.found(keys), this.#alone.found(keys)]
    const { copied, apart } = this.#analysis
    const isCopy = found.size === keys.length && found.size > 0
    // The piece leaves out only responses that the file itself holds twice.
    const isWhole = apart === true || alone.size === 0 || alone.size === keys.length
    if (isCopy) {
      const original = [...found.values()].find((file) => file !== null) ?? this.file.name
      this.copies.push(copyDiagnostic(this.file.name, original))
      if (copied === null) return
      if (isWhole) this.#add(copied(piece as Piece, original))
      else this.part = null
    } else if (found.size === alone.size || apart === true) this.#add(piece as Piece)
    else this.part = null
  }

  #add(piece: Piece): void {
    if (this.part !== null) this.#analysis.add(this.part, piece)
  }

  /** The file's responses that count in files before it. */
  earlier(): Earlier {
    const byFile = new Map<string, number[]>()
    for (const key of this.keys.flat()) {
      const file = key === null ? undefined : this.#responses.fileOf(key)
      if (file !== undefined) byFile.set(file, [...(byFile.get(file) ?? []), key as number])
    }
    return [...byFile]
  }
}

/** Adds what the transcripts of a file are when they are measured again. */
async function measuredAgain<Piece, Part>(
  lines: AsyncIterable<PartTranscript | FileEnd>,
  known: readonly ResponseKeys[],
  analysis: Analysis<Piece, Part>,
  part: Part,
): Promise<FileEnd> {
  let nth = 0
  for await (const line of lines) {
    if ('end' in line) return line.end === 'failed' || nth === known.length ? line : changed
    if (JSON.stringify(line.responses) !== JSON.stringify(known[nth++])) return changed
    if (line.piece !== null) analysis.add(part, line.piece as Piece)
  }
  throw new TypeError('a file ends with its end')
}

const changed: FileFailure = {
  end: 'failed',
  code: 'usage',
  message: 'the file has changed since it was measured: run its shard again',
  details: [],
}

export function failureOf(error: unknown): FileFailure {
  if (error instanceof CtxwinError) {
    return { end: 'failed', code: error.code, message: error.message, details: error.details }
  }
  const stack = error instanceof Error ? String(error.stack).split('\n') : []
  const frames = stack.filter((line) => /^ {4}at /.test(line))
  return {
    end: 'failed',
    code: null,
    message: error instanceof Error ? error.constructor.name : typeof error,
    details: frames,
  }
}

/** The error that `failureOf` wrote down. */
export function errorOf({ code, message, details }: FileFailure): Error {
  if (code !== null) return Object.assign(new CtxwinError('usage', message), { code, details })
  const Kind = builtins.find(({ name }) => name === message) ?? Error
  return Object.assign(new Kind(''), { stack: [message, ...details].join('\n') })
}

/** A thread of `--jobs` that ended in the middle of a file; and one that had no memory left. */
export class ThreadEnded extends Error {}
export class ThreadOutOfMemory extends Error {}

const builtins = [
  ThreadEnded,
  ThreadOutOfMemory,
  TypeError,
  RangeError,
  SyntaxError,
  ReferenceError,
  URIError,
  EvalError,
]
