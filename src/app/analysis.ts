/**
 * What a command makes of its transcripts, in three steps: a piece of each, plain data that can be written down; a part of
 * each file, to which its pieces are added in order; and the result, to which the parts are. Where the pieces are made does
 * not matter then: here, on other threads (`--jobs`) or on other machines (`--shard`).
 */
import type { Shape } from '../base/plain-shape.ts'
import type { Trace } from '../model/trace.ts'
import type { Source } from '../readers/lines/source.ts'
import type { FileReport } from '../readers/read.ts'
import { type Fold, foldSources, type ReadSettings, type SourceRead, type Unread } from './files/read-sources.ts'
import type { Plan } from './plan.ts'

export interface Analysis<Piece, Part> {
  readonly plan: Plan
  /** What is read, where the plan alone does not say. */
  readonly reads?: Pick<ReadSettings, 'keepMessages' | 'digest'>
  /** A piece is of the whole transcript, whatever other files have of it. */
  readonly apart?: boolean
  /** @param trace without the responses that count elsewhere. @returns what `base/exact-json` writes */
  measure(trace: Trace): Piece
  /** Whether the piece of a transcript is kept beside it, so that it need not be read; default: it is not. */
  knows?(trace: Trace): boolean
  /** The piece of a whole transcript if it is a copy of one that `original` has; null where copies do not matter. */
  readonly copied: ((piece: Piece, original: string) => Piece) | null
  start(): Part
  add(part: Part, piece: Piece): void
  /** What every value of a piece is, for those that another process wrote; absent where that cannot be. */
  readonly piece?: Shape<Piece>
}

/** A file that counts. */
export interface FileRead<Part> extends Pick<SourceRead<never>, 'copies'> {
  readonly source: Pick<Source, 'name'>
  readonly report: Pick<FileReport, 'damagedLines' | 'problems'>
  readonly part: Part
}

/** The files of a command, in their order. A file of which nothing counts is not among them. */
export type ReadFiles = <Piece, Part>(analysis: Analysis<Piece, Part>) => AsyncIterable<FileRead<Part>>

/** Whether a transcript has to be read for its piece, though all but its text is kept. */
export function needsTextOf<Piece, Part>({ copied, knows }: Analysis<Piece, Part>): Required<Fold<Part>>['needsText'] {
  return (trace, of) => (of === 'copy' && copied === null ? false : of !== 'whole' || knows?.(trace) !== true)
}

/**
 * Reads the files one after the other.
 * @param unread called for each source that failed; the others are still read. Without it the first such source throws.
 */
export function readingHere(sources: Iterable<Source>, settings: ReadSettings, unread?: Unread): ReadFiles {
  return (analysis) => {
    const { plan, reads, measure, copied, start, add } = analysis
    const fold: Fold<ReturnType<typeof start>> = {
      start,
      needsText: needsTextOf(analysis),
      add(part, trace, copyOf) {
        if (copyOf === null) add(part, measure(trace))
        else if (copied) add(part, copied(measure(trace), copyOf))
      },
    }
    return foldSources(sources, plan, { ...settings, ...reads }, fold, unread)
  }
}
