/**
 * Which uses of a transcript are re-references, and which fetches are re-reads: everything about them that no window
 * changes, worked out once when the transcript is complete. What is left for a run is to ask whether a message is inside.
 */

import { Column } from '../base/column.ts'
import { Exchanges } from '../model/exchanges.ts'
import type { Trace } from '../model/trace.ts'
import type { ReferenceDigest } from './digest.ts'

/** Uses of terms that occurred before, in the order of requests; each term once a request. */
export interface Uses {
  readonly count: number
  readonly term: Uint32Array
  /** The message that uses it. */
  readonly message: Uint32Array
  /** The last occurrence before, and the last before that is a source, as places among the occurrences; -1 for none. */
  readonly mention: Int32Array
  readonly source: Int32Array
  /** Where the uses of request r begin; one entry more than there are requests. */
  readonly starts: Uint32Array
}

/** Fetches of what the same tool had fetched before. */
export interface Reread {
  /** The request whose answer asks for it, and the message with the result. */
  readonly request: number
  readonly result: number
  /** The target was written since, or the result is another one. */
  readonly changed: boolean
  /** The results with the same content that came before, without a change between: the newest, and each knows its next. */
  readonly copy: Copy | null
}

export interface Copy {
  readonly message: number
  readonly older: Copy | null
}

export interface Occurrences {
  /** The message of each occurrence. */
  readonly message: Uint32Array
  /** The occurrence of the same term before it, and the one before it that is a source; -1 for none. */
  readonly older: Int32Array
  readonly olderSource: Int32Array
}

export interface Resolved {
  readonly digest: ReferenceDigest
  readonly exchanges: Exchanges
  readonly uses: Uses
  readonly occurrences: Occurrences
  readonly rereads: readonly Reread[]
}

const resolved = new WeakMap<ReferenceDigest, Resolved>()

/** @param trace complete, and read with the digest */
export function resolveReferences(trace: Trace, digest: ReferenceDigest): Resolved {
  let found = resolved.get(digest)
  if (!found) {
    const exchanges = new Exchanges(trace)
    found = { digest, exchanges, ...resolveTerms(trace, digest, exchanges), rereads: resolveFetches(trace, digest) }
    resolved.set(digest, found)
  }
  return found
}

function resolveTerms(
  trace: Trace,
  digest: ReferenceDigest,
  exchanges: Exchanges,
): { uses: Uses; occurrences: Occurrences } {
  const terms = digest.keys.length
  const ignored = ordinaryTerms(trace, digest, exchanges)
  const count = digest.occurrences.length
  const message = new Uint32Array(count)
  const older = new Int32Array(count)
  const olderSource = new Int32Array(count)
  const last = new Int32Array(terms).fill(-1)
  const lastSource = new Int32Array(terms).fill(-1)
  const byUser = new Int32Array(terms).fill(-1)
  const byAssistant = new Int32Array(terms).fill(-1)
  const found = { request: Column.int32(), term: Column.int32(), message: Column.int32() }
  const places = { mention: Column.int32(), source: Column.int32() }
  const sentIn = firstRequests(trace)
  let request = -1

  for (let index = 0; index < trace.length; index++) {
    if (trace.isReset(index)) {
      last.fill(-1)
      lastSource.fill(-1)
    }
    if (trace.isResponse(index)) request++
    const role = trace.role(index)
    // The harness writes injected messages: they bring terms in, but nobody refers to anything by them.
    const asks = role === 'user' && !trace.isInjected(index)
    const answers = role === 'assistant' && request >= 0
    const at = asks ? (sentIn[index] as number) : answers ? request : -1
    // What a later message of the same response follows was no part of the request.
    const horizon = answers ? trace.requestAt(request) : index
    for (let place = digest.start(index); place < digest.start(index + 1); place++) {
      const term = digest.occurrences.at(place)
      if (at >= 0 && !ignored[term] && byUser[term] !== at && byAssistant[term] !== at) {
        const mention = before(last[term] as number, older, message, horizon)
        if (mention >= 0) {
          ;(asks ? byUser : byAssistant)[term] = at
          found.request.push(at)
          found.term.push(term)
          found.message.push(index)
          places.mention.push(mention)
          places.source.push(before(lastSource[term] as number, olderSource, message, horizon))
        }
      }
      message[place] = index
      older[place] = last[term] as number
      olderSource[place] = lastSource[term] as number
      last[term] = place
      if (role !== 'assistant') lastSource[term] = place
    }
  }
  return { uses: inOrder({ ...found, ...places }, trace.requests), occurrences: { message, older, olderSource } }
}

/** The newest occurrence of the chain before message `horizon`. */
function before(place: number, older: Int32Array, message: Uint32Array, horizon: number): number {
  let at = place
  while (at >= 0 && (message[at] as number) >= horizon) at = older[at] as number
  return at
}

/** The request each message is first sent in; -1 for what is never sent: nothing follows, or the history is cleared. */
function firstRequests(trace: Trace): Int32Array {
  const requests = new Int32Array(trace.length)
  let next = -1
  for (let index = trace.length - 1, request = trace.requests - 1; index >= 0; index--) {
    requests[index] = next
    if (trace.isResponse(index)) next = request--
    if (trace.isReset(index)) next = -1
  }
  return requests
}

/** Terms that point at nothing in particular here: every request carries them, or much of the transcript is about them. */
function ordinaryTerms(trace: Trace, digest: ReferenceDigest, exchanges: Exchanges): Uint8Array {
  const ignored = new Uint8Array(digest.keys.length)
  digest.nameTools(trace)
  for (const name of digest.names) for (const term of digest.idsOf(name)) ignored[term] = 1
  for (const message of trace.preamble.system) for (const term of digest.termsOf(message)) ignored[term] = 1
  if (exchanges.length < 8) return ignored
  const seenIn = new Int32Array(ignored.length).fill(-1)
  const counts = new Uint32Array(ignored.length)
  for (const { index, from, to } of exchanges) {
    for (let place = digest.start(from); place < digest.start(to); place++) {
      const term = digest.occurrences.at(place)
      if (seenIn[term] === index) continue
      seenIn[term] = index
      counts[term] = (counts[term] as number) + 1
    }
  }
  counts.forEach((count, term) => {
    if (count * 4 > exchanges.length) ignored[term] = 1
  })
  return ignored
}

type Columns = Readonly<Record<'request' | 'term' | 'message' | 'mention' | 'source', Column<Int32Array>>>

/** A message typed while a response was still being written belongs to a later request: sorted by counting. */
function inOrder({ request, term, message, mention, source }: Columns, requests: number): Uses {
  const count = request.length
  const starts = new Uint32Array(requests + 1)
  for (let at = 0; at < count; at++) starts[request.at(at) + 1] = (starts[request.at(at) + 1] as number) + 1
  for (let at = 0; at < requests; at++) starts[at + 1] = (starts[at + 1] as number) + (starts[at] as number)
  const next = starts.slice()
  const uses = {
    count,
    term: new Uint32Array(count),
    message: new Uint32Array(count),
    mention: new Int32Array(count),
    source: new Int32Array(count),
    starts,
  }
  for (let at = 0; at < count; at++) {
    const to = next[request.at(at)] as number
    next[request.at(at)] = to + 1
    uses.term[to] = term.at(at)
    uses.message[to] = message.at(at)
    uses.mention[to] = mention.at(at)
    uses.source[to] = source.at(at)
  }
  return uses
}

function resolveFetches(trace: Trace, digest: ReferenceDigest): Reread[] {
  const rereads: Reread[] = []
  const asked = new Map<number, { readonly fetch: number; readonly request: number }>()
  const fetched = new Map<number, { readonly call: number; readonly result: number; readonly copy: Copy }>()
  const written = new Map<number, number>()
  let request = -1
  for (let index = 0; index < trace.length; index++) {
    if (trace.isReset(index)) {
      fetched.clear()
      written.clear()
    }
    if (trace.isResponse(index)) request++
    const call = trace.call(index)
    if (trace.role(index) === 'assistant') {
      for (let nth = 0; nth < trace.callCount(index); nth++) {
        const fetch = digest.fetchOf(index, nth)
        if (fetch >= 0) asked.set(call + nth, { fetch, request })
        for (const target of digest.writesOf(index, nth)) written.set(target, call + nth)
      }
    } else if (trace.role(index) === 'tool') {
      const question = asked.get(call)
      if (!question) continue
      asked.delete(call)
      const earlier = fetched.get(question.fetch)
      const targets = digest.targetsOf(question.fetch)
      const changed =
        earlier !== undefined &&
        (digest.resultOf(index) !== digest.resultOf(earlier.result) ||
          targets.some((target) => (written.get(target) ?? -1) > earlier.call))
      const copy = changed ? null : (earlier?.copy ?? null)
      if (earlier) rereads.push({ request: question.request, result: index, changed, copy })
      fetched.set(question.fetch, { call, result: index, copy: { message: index, older: copy } })
    }
  }
  return rereads.sort((a, b) => a.request - b.request)
}
