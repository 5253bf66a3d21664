/**
 * Finds what the agent copied into the texts that it sent to tools: runs of characters that anchors of earlier messages
 * cover without a gap. It is computed once when the transcript is complete; a run only has to check what is inside.
 */
import { Column } from '../../base/column.ts'
import type { Trace } from '../../model/trace.ts'
import type { ReferenceDigest } from '../digest.ts'
import type { Occurrences } from '../occurrences.ts'
import { anchorLength } from './anchors.ts'
import { type SentText, shortestCopy } from './copied-digest.ts'

export interface Copies {
  /** Where the copies of request r begin; one entry more than there are requests. */
  readonly starts: Uint32Array
  /** The message that each copy is in. */
  readonly message: Int32Array
  /** What it was copied into, as an index of `copyKinds`. */
  readonly kind: Int32Array
  /** Where the anchors of each copy begin; one entry more than there are copies. */
  readonly anchorStarts: Int32Array
  /** Of each anchor: where it stands in its text, and its newest occurrence before the request. */
  readonly at: Int32Array
  readonly place: Int32Array
  readonly occurrences: Occurrences
  /** The number of the anchor of each occurrence. */
  readonly anchor: Int32Array
}

/** @param trace complete, and read with the digest */
export function findCopies(trace: Trace, digest: ReferenceDigest): Copies {
  const { copied } = digest
  const { anchors } = copied
  const { sent, standing, ends } = anchors
  const places = copied.places.view
  // Every request contains the system prompt, so its text cannot be lost.
  const always = new Uint8Array(anchors.hashes.length)
  for (const message of trace.preamble.system)
    for (const anchor of digest.anchorsOf(message, anchors)) always[anchor] = 1
  const last = new Int32Array(anchors.hashes.length).fill(-1)
  const [stoodIn, older, anchorOf] = [
    new Int32Array(standing.length),
    new Int32Array(standing.length),
    new Int32Array(standing.length),
  ]
  let stood = 0
  const [at, place] = [new Int32Array(sent.length), new Int32Array(sent.length)]
  let found = 0
  const [messages, kinds, anchorStarts] = [Column.int32(), Column.int32(), Column.int32()]
  const starts = new Uint32Array(trace.requests + 1)

  /** Where the anchors begin of the copy that is not at its end yet. */
  let open = 0
  const close = (message: number, kind: number): void => {
    const length = found === open ? 0 : (at[found - 1] as number) + anchorLength - (at[open] as number)
    if (length < shortestCopy) {
      found = open
      return
    }
    anchorStarts.push(open)
    messages.push(message)
    kinds.push(kind)
    open = found
  }
  const findIn = ({ kind, from, to }: SentText, message: number, horizon: number): void => {
    for (let nth = from; nth < to; nth++) {
      const anchor = sent[nth] as number
      let newest = always[anchor] === 1 ? -1 : (last[anchor] as number)
      while (newest >= 0 && (stoodIn[newest] as number) >= horizon) newest = older[newest] as number
      if (newest < 0) continue
      const from = places[nth] as number
      if (found > open && from > (at[found - 1] as number) + anchorLength) close(message, kind)
      at[found] = from
      place[found++] = newest
    }
    close(message, kind)
  }

  let request = -1
  for (let index = 0, nth = 0; index < trace.length; index++) {
    if (trace.isReset(index)) last.fill(-1)
    if (trace.isResponse(index)) starts[++request] = messages.length
    // Earlier messages of the same response were not part of the request.
    if (request >= 0) for (const text of copied.sentBy(index)) findIn(text, index, trace.requestAt(request))
    for (const end = ends[index] as number; nth < end; nth++) {
      const anchor = standing[nth] as number
      const newest = last[anchor] as number
      if (newest >= 0 && stoodIn[newest] === index) continue
      anchorOf[stood] = anchor
      stoodIn[stood] = index
      older[stood] = newest
      last[anchor] = stood++
    }
  }
  starts.fill(messages.length, request + 1)
  anchorStarts.push(found)
  const links = older.subarray(0, stood)
  return {
    starts,
    message: messages.values(),
    kind: kinds.values(),
    anchorStarts: anchorStarts.values(),
    at: at.slice(0, found),
    place: place.slice(0, found),
    occurrences: { message: stoodIn.subarray(0, stood), older: links, olderSource: links },
    anchor: anchorOf.subarray(0, stood),
  }
}
