/**
 * The reader contract. A reader is told the records of a file one after the other and writes canonical messages into
 * transcripts; it never sees bytes, never throws on what it does not know, and says what it leaves out.
 */

import type { Named } from '../base/registry.ts'
import type { Message, Preamble, ProviderName } from '../model/message.ts'
import type { Compaction, TranscriptHead } from '../model/trace.ts'

/** One transcript being written. Several may be open at once: sub-agents stand between the lines of their parent. */
export interface TranscriptWriter {
  readonly length: number
  /** What the reader has learnt about the transcript as a whole; the first model it hears of is the transcript's. */
  describe(head: Partial<Omit<TranscriptHead, 'file' | 'format'>>): void
  preamble(preamble: Preamble): void
  message(message: Message): void
  /** Takes back every message from index `length` on (an abandoned branch, a rollback). */
  rewind(length: number): void
  /** The history starts anew with the next message. */
  reset(): void
  compaction(compaction: Compaction): void
  /** Hands the transcript over. Whatever is still open when the file ends is closed then. */
  close(): void
}

/**
 * What a reader finds wrong with a record or a part of one. `damaged` as for lines: something is lost that was content.
 * A kind that nobody knows here is most often bookkeeping of a newer version, so it is told and damages nothing.
 */
export const findings = {
  'unknown-record': { damaged: false, words: 'a kind of record that is not known here: left out' },
  'bad-record': { damaged: true, words: 'the record has not the shape of its kind: skipped' },
  'bad-usage': { damaged: true, words: 'the recorded usage is no count of tokens: left out' },
  'unknown-response': { damaged: true, words: 'a response in a form that is not known here: left out' },
  'no-message': { damaged: true, words: 'neither a message nor a conversation: skipped' },
  'duplicate-record': { damaged: false, words: 'the record stands in the file a second time: skipped' },
} as const satisfies Record<string, { damaged: boolean; words: string }>

export type FindingCode = keyof typeof findings

/** Why a record was not used. */
export interface LeftOut {
  readonly code: FindingCode
  /** What the record calls its kind: those of one kind are counted together. Never told, it is the transcript's word. */
  readonly kind?: string
}

export interface Finding extends LeftOut {
  readonly line: number
}

/**
 * What became of a record: it is in a transcript or told something about one (also where it is taken back later), it is
 * known to hold nothing that a model saw, or it was left out. A reader has to say it of each, so none is lost unnamed.
 */
export type Outcome = 'used' | 'no-context' | LeftOut

export const bad: LeftOut = { code: 'bad-record' }
export const duplicate: LeftOut = { code: 'duplicate-record' }

/** @param kind as the record has it, of any type */
export function unknown(kind: unknown): LeftOut {
  return { code: 'unknown-record', kind: typeof kind === 'string' ? kind : '' }
}

export interface ReaderContext {
  /** The name of the file, as the user gave it. */
  readonly file: string
  /** The records are the elements of one array, and not lines of a file that may hold anything. */
  readonly elements: boolean
  open(head: { readonly conversation: string | null; readonly provider: ProviderName }): TranscriptWriter
  /** Says what is wrong with a part of a record. */
  finding(finding: Finding): void
  /** Says that a whole record, which had to wait and so was called used, is left out after all. */
  notUsed(finding: Finding): void
}

/** A reader at work on one file. */
export interface Reading {
  /** @param line 1-based line of the record; in a file that is one document, the element's index + 1 */
  record(value: unknown, line: number): Outcome
  end(): void
}

export interface Reader extends Named {
  /** Where such files come from: shown by `formats`. */
  readonly source: string
  /**
   * How sure it is that a record is of its format, from 0 (no) to 1 (nothing else looks like it). The format is voted
   * by the first records of a file, never by its name.
   */
  recognise(record: unknown): number
  read(context: ReaderContext): Reading
}

export function defineReader(reader: Reader): Reader {
  return reader
}
