/**
 * The reader contract. A reader is told the records of a file one after the other and writes canonical messages into
 * transcripts; it never sees bytes, never throws on what it does not know, and says what it leaves out.
 */

import type { Message, Preamble, ProviderName } from '../model/message.ts'
import type { Compaction, TranscriptHead } from '../model/trace.ts'
import type { Named } from '../registry.ts'

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

/** A line that was not used, or not as it stands: counted, and named by file and line, never by its content. */
export interface Finding {
  readonly code: FindingCode
  readonly line: number
}

/** What a reader finds wrong with a record, in words. */
export const findings = {
  'unknown-record': 'a kind of record that is not known here: left out',
  'bad-record': 'the record has not the shape of its kind: skipped',
  'duplicate-record': 'the record stands in the file a second time: skipped',
} as const

export type FindingCode = keyof typeof findings

export interface ReaderContext {
  /** The name of the file, as the user gave it. */
  readonly file: string
  /** The records are the elements of one array, and not lines of a file that may hold anything. */
  readonly elements: boolean
  open(head: { readonly conversation: string | null; readonly provider: ProviderName }): TranscriptWriter
  /** Says that a record was skipped. `damaged` ones count as damaged lines; the rest is told, not counted. */
  finding(finding: Finding, damaged: boolean): void
}

/** A reader at work on one file. */
export interface Reading {
  /** @param line 1-based line of the record; in a file that is one document, the element's index + 1 */
  record(value: unknown, line: number): void
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
