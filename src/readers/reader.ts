/**
 * The reader contract. A reader takes the records of a file one by one and writes canonical messages into transcripts. It
 * never sees bytes, never throws on unknown records, and reports what it leaves out.
 */

import type { Named } from '../base/registry.ts'
import type { Message, Preamble, ProviderName } from '../model/message.ts'
import type { Clearing, Compaction, SideCall, TranscriptHead } from '../model/trace.ts'
import type { RowsOf } from './databases/beside.ts'

/** What a reader may learn of a transcript. */
export type Learnt = { readonly [Key in Exclude<keyof TranscriptHead, 'file'>]?: TranscriptHead[Key] | undefined }

/** A transcript being written. Several may be open at once: sub-agents' records are mixed with those of their parent. */
export interface TranscriptWriter {
  readonly length: number
  /**
   * Sets what the reader has learnt about the whole transcript. Undefined members are ignored, and the first model becomes
   * the transcript's. `format` names the program that first recorded a transcript that was converted.
   */
  describe(head: Learnt): void
  preamble(preamble: Preamble): void
  message(message: Message): void
  /** Removes every message from index `length` on (an abandoned branch, a rollback). */
  rewind(length: number): void
  /** A new history begins with the next message. */
  reset(): void
  /** Before the next message the session was left and taken up again. */
  resumed(): void
  compaction(compaction: Compaction): void
  clearing(clearing: Clearing): void
  /**
   * The provider billed a call that is no request of the history. Requests that `rewind` removes need not be told.
   * @param call `response`: the fingerprint of the provider's id, or 0
   */
  sideCall(call: SideCall): void
  /** Completes the transcript. Transcripts still open at the end of the file are closed then. */
  close(): void
}

/**
 * What can be wrong with a record or a part of one. `damaged` means, as for lines, that content is lost. An unknown kind of
 * record is most often bookkeeping of a newer version, so it is reported but not counted as damage.
 */
export const findings = {
  'unknown-record': { damaged: false, words: 'unknown kind of record: skipped' },
  'bad-record': { damaged: true, words: 'not built like other records of its kind: skipped' },
  'bad-shape': {
    damaged: true,
    words:
      'a key that such a record must have is missing or of another type: what it held is not counted as what it was',
  },
  'bad-usage': { damaged: true, words: 'the recorded usage is not a count of tokens: left out' },
  'unread-usage': {
    damaged: false,
    words: 'a count in the recorded usage that nobody reads: what it counts is in no figure',
  },
  'unknown-response': { damaged: true, words: 'a response in an unknown form: left out' },
  'no-message': { damaged: true, words: 'neither a message nor a conversation: skipped' },
  'no-content': {
    damaged: false,
    words:
      'requests whose messages were not captured: left out. Instrumentations of OpenTelemetry capture them with ' +
      'OTEL_SEMCONV_STABILITY_OPT_IN=gen_ai_latest_experimental and ' +
      'OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT=SPAN_ONLY; others have a switch of their own',
  },
  'missing-head': {
    damaged: false,
    words: 'the record continues one that is not in the file: what came before it counts as unknown history',
  },
  'missing-link': {
    damaged: true,
    words: 'the record before it is not named, or not in the file: the order is a guess',
  },
  'own-sizes': {
    damaged: false,
    words: 'redacted: the sizes that the transcript itself gives for its messages are used',
  },
  'other-sizes': {
    damaged: false,
    words: 'redacted, and without sizes for this estimator: the replaced words are counted instead',
  },
  'duplicate-record': { damaged: false, words: 'the file has this record already: skipped' },
} as const satisfies Record<string, { damaged: boolean; words: string }>

export type FindingCode = keyof typeof findings

/** Why a record was not used. */
export interface LeftOut {
  readonly code: FindingCode
  /** The kind that the record names: records of one kind are counted together. Never printed, as it is transcript text. */
  readonly kind?: string
  /** The path of the key that is wrong, as the reader declares it, so it is printed: `state.output`. */
  readonly key?: string
}

export interface Finding extends LeftOut {
  readonly line: number
}

/**
 * What happened to a record: it was used for a transcript (even if it is taken back later), it is known to hold nothing that
 * a model saw, or it was left out. A reader returns this for every record, so that none is lost silently.
 */
export type Outcome = 'used' | 'no-context' | LeftOut

export const bad: LeftOut = { code: 'bad-record' }
export const duplicate: LeftOut = { code: 'duplicate-record' }
export const unlinked: LeftOut = { code: 'missing-link' }

/** @param kind as the record has it: a kind that is not text is not one of a newer version, so it is not kept */
export function unknown(kind: unknown): LeftOut {
  return typeof kind === 'string' ? { code: 'unknown-record', kind } : bad
}

export interface ReaderContext {
  /** The name of the file, as the user gave it. */
  readonly file: string
  /** The records are the elements of one array, not lines. */
  readonly elements: boolean
  /** Branches of a conversation that were left are wanted, too: each as a fork, with what it shares as inherited. */
  readonly branches: boolean
  /**
   * A JSON document beside the file, or JSON Lines as a list, in which the program says more about it; undefined if there is none.
   * Of a database the rows of a session, in a list.
   */
  beside(name: string, rows?: RowsOf): unknown
  open(head: { readonly conversation: string | null; readonly provider: ProviderName }): TranscriptWriter
  /** Reports what is wrong with a part of a record. */
  finding(finding: Finding): void
  /** Reports that a record is left out although `record` returned `used` for it: only later records could show that. */
  notUsed(finding: Finding): void
}

/** Reports why a record or a part of one was left out, or what it lacks; null if nothing is wrong. */
export function tell(context: Pick<ReaderContext, 'finding'>, found: LeftOut | null, line: number): void {
  if (found) context.finding({ ...found, line })
}

/** Names the first key of a value that is missing or of another type: `state.output`. Null if there is none. */
export type Shape = (value: unknown) => string | null

/** A reader at work on one file. */
export interface Reading {
  /** @param line 1-based line of the record; in a file that is one document, the element's index + 1 */
  record(value: unknown, line: number): Outcome
  end(): void
  /**
   * All that it knows, for `Reader.resume`: plain data, which is written down before the next record is read. Asked only
   * between two records. Absent where a reading cannot be taken up again.
   * @param numberOf the number of a transcript that is being written
   */
  state?(numberOf: (writer: TranscriptWriter) => number): unknown
}

/** The first records of a file, by which its format is told. */
export interface FileHead {
  readonly file: string
  /** As in `ReaderContext`. */
  readonly elements: boolean
  readonly records: readonly { readonly value: unknown; readonly line: number }[]
}

/** A directory in which a program keeps its transcripts. */
export interface Place {
  /**
   * Candidates, of which the first usable one counts: with an environment variable that is set (`$CODEX_HOME/sessions`), in
   * the home directory (`~/.codex/sessions`), or below the working directory (`.duragent/sessions`).
   */
  readonly directories: readonly string[]
  /** The transcripts lie in other directories, which a JSON document in this one names: its name, and which they are. */
  readonly listed?: { readonly file: string; readonly directories: (document: unknown) => readonly string[] }
  /** A glob for the transcripts in it, without slashes in braces. */
  readonly files: string
  /** Its first group is the session's id, in a file's path below the directory. Absent where only databases are: they say it. */
  readonly session?: RegExp
  /** A glob for those of `files` that hold only a session's sub-agents. */
  readonly subagents?: string
}

export interface Reader extends Named {
  /**
   * The program whose own record it is: people set what its settings offer, and its policies (`availableIn`) are theirs. Absent
   * for logs, traces and requests of any agent, which whoever runs it can also write.
   */
  readonly program?: string
  /** Where such files come from: shown by `list formats`. */
  readonly source: string
  /** The directories in which programs keep such files; absent if there is no known one. */
  readonly places?: readonly Place[]
  /**
   * Keys by which a person would recognise the format, a list for each shape of its files; `message.role` is a key inside
   * another, or in the elements of a list. A file that no reader recognises is told which format is nearest.
   */
  readonly shapes?: readonly (readonly string[])[]
  /**
   * What a record must hold to be read whole (`wire/shape.ts`). Each record that is not left out is checked, and a key that
   * it lacks is a finding. A reader whose records are whole conversations asks for each message itself, to name its line.
   */
  readonly shape?: Shape
  /**
   * How likely it is that a record is of this format, from 0 (no) to 1 (no other format looks like it). The content of a
   * file's first records decides its format; the file's name plays no part. With less than 0.9 one record alone is not enough.
   */
  recognise(record: unknown): number
  /**
   * Asked of a reader that was chosen for all files: what it does not accept goes to the reader that recognises it. Without
   * this it reads every file.
   */
  accepts?(head: FileHead): boolean
  read(context: ReaderContext): Reading
  /**
   * Takes up a reading where it stopped, with what its `state` said: the records that follow are read as if there had been
   * no stop. Absent for files that programs do not append to.
   * @param writers the transcripts that were being written, by their numbers
   */
  resume?(context: ReaderContext, state: unknown, writers: readonly TranscriptWriter[]): Reading
}

export function defineReader(reader: Reader): Reader {
  return reader
}
