/**
 * Finds the uses of earlier content: which pieces each copy depends on, and where each of these was last. It is
 * computed once when the transcript is complete; a run only has to check what is inside.
 */
import { Column } from '../../base/column.ts'
import type { Trace } from '../../model/trace.ts'
import type { ReferenceDigest } from '../digest.ts'
import type { Occurrences } from '../occurrences.ts'
import { Pieces } from './content-digest.ts'

/** The uses in the order of requests: one for each call (or quotation) and target. */
export interface ContentUses {
  readonly count: number
  /** The message that uses it, and the target that it names, -1 for none. */
  readonly message: Int32Array
  readonly target: Int32Array
  /** Where the uses of request r begin; one entry more than there are requests. */
  readonly starts: Uint32Array
  /** Where the pieces of each use begin; one entry more than there are uses. */
  readonly pieceStarts: Int32Array
  /** The last occurrence of each piece before the request, as an index of occurrences. */
  readonly places: Int32Array
  /** The latest and the earliest message with a piece of each use. */
  readonly newest: Int32Array
  readonly oldest: Int32Array
}

export interface ResolvedContent {
  readonly uses: ContentUses
  readonly occurrences: Occurrences
  /** The piece of each occurrence. */
  readonly piece: Int32Array
}

/** The pieces that are ever copied, or by message `first` and later ones. */
export function piecesOf({ content }: ReferenceDigest, first = 0): Pieces {
  const { taken } = content
  const start = content.firstTaken(first)
  const pieces = new Pieces(taken.length - start)
  for (let at = start; at < taken.length; at++) pieces.add(taken.high(at), taken.low(at))
  return pieces
}

/**
 * @param trace complete, and read with the digest
 * @param pieces what is copied by the requests whose uses are wanted @param from the first of these
 */
export function resolveContent(trace: Trace, digest: ReferenceDigest, pieces: Pieces, from = 0): ResolvedContent {
  const { content } = digest
  const { standing, taken } = content
  // Every request contains the system prompt, so its text cannot be lost.
  const always = new Set<number>()
  for (const message of trace.preamble.system) for (const piece of digest.piecesOf(message, pieces)) always.add(piece)

  const last = new Int32Array(pieces.count).fill(-1)
  const stood = { piece: Column.int32(), message: Column.int32(), older: Column.int32() }
  /**
   * The first message in which somebody other than the agent says the piece, or the agent itself in a call. What the
   * agent only said in an answer has no source.
   */
  const origin = new Int32Array(pieces.count).fill(-1)
  const seenIn = new Int32Array(pieces.count).fill(-1)
  const uses = { message: Column.int32(), target: Column.int32(), newest: Column.int32(), oldest: Column.int32() }
  const places = Column.int32()
  const pieceStarts = Column.int32()
  const starts = new Uint32Array(trace.requests + 1)
  let takes = 0
  let request = -1

  for (let index = 0; index < trace.length; index++) {
    if (trace.isReset(index)) {
      last.fill(-1)
      origin.fill(-1)
    }
    if (trace.isResponse(index)) starts[++request] = uses.message.length
    if (request >= from && trace.role(index) === 'assistant') {
      // Earlier messages of the same response were not part of the request.
      const horizon = trace.requestAt(request)
      for (const { target, from: start, to } of content.takesOf(index)) {
        const first = places.length
        let lines = 0
        let [newest, oldest] = [-1, index]
        for (let at = start; at < to; at++) {
          const piece = pieces.idOf(taken.high(at), taken.low(at))
          if (seenIn[piece] === takes) continue
          seenIn[piece] = takes
          lines++
          const said = origin[piece] as number
          let place = said >= 0 && said < horizon ? (last[piece] as number) : -1
          while (place >= 0 && stood.message.at(place) >= horizon) place = stood.older.at(place)
          if (place < 0) continue
          places.push(place)
          newest = Math.max(newest, stood.message.at(place))
          oldest = Math.min(oldest, stood.message.at(place))
        }
        takes++
        // A text with less than half of its lines from before is new, and a single line is no quotation.
        const count = places.length - first
        if (count < (target < 0 ? 2 : 1) || count * 2 < lines) {
          places.truncate(first)
          continue
        }
        pieceStarts.push(first)
        uses.message.push(index)
        uses.target.push(target)
        uses.newest.push(newest)
        uses.oldest.push(oldest)
      }
    }
    const isOrigin = trace.role(index) !== 'assistant' || trace.callCount(index) > 0
    for (let at = content.start(index); at < content.start(index + 1); at++) {
      const piece = pieces.idOf(standing.high(at), standing.low(at))
      if (piece < 0) continue
      if (isOrigin && origin[piece] === -1 && !always.has(piece)) origin[piece] = index
      if (last[piece] !== -1 && stood.message.at(last[piece] as number) === index) continue
      stood.piece.push(piece)
      stood.message.push(index)
      stood.older.push(last[piece] as number)
      last[piece] = stood.message.length - 1
    }
  }
  pieceStarts.push(places.length)
  starts.fill(uses.message.length, request + 1)
  const older = stood.older.values()
  return {
    uses: {
      count: uses.message.length,
      message: uses.message.values(),
      target: uses.target.values(),
      starts,
      pieceStarts: pieceStarts.values(),
      places: places.values(),
      newest: uses.newest.values(),
      oldest: uses.oldest.values(),
    },
    occurrences: { message: stood.message.values(), older, olderSource: older },
    piece: stood.piece.values(),
  }
}
