/**
 * What the uses of content need of the window, whatever the policy. The bounds are computed from it, and `clairvoyant`
 * sees the future through it.
 *
 * A use finds what it copies if one message with a piece of it is in the window. So each use needs one of its
 * *sources*, the messages in front of its request with such a piece. A message that left does not come back, so a
 * source that is there at the use has been there since it came. Of that time a need takes only the part in which no
 * other use can have the same source: from the request after the latest earlier use that shares a source with it, or
 * else from the first request behind its newest source. Needs at the same request therefore have no source in common,
 * and their sizes add up.
 */
import { namedClasses, type TermClass, termClasses } from '../model/run.ts'
import { type Sizes, unitsWithin } from '../model/sizes.ts'
import type { Trace } from '../model/trace.ts'
import type { ReferenceDigest } from './digest.ts'
import { resolveReferences } from './resolve.ts'

export interface Need {
  /** The request whose response uses it, and the first request at which no other use can have the same source. */
  readonly request: number
  /** More than `request` if another use of the same request has the same source. */
  readonly from: number
  /** The fewest units that any of its sources adds to a request. */
  readonly units: number
  /** The request that is the first to carry its newest source. */
  readonly first: number
}

/** A use with more occurrences of its pieces than this is left out. That makes the bound lower, and it still holds. */
const mostOccurrences = 10_000

/** In the order of requests. */
export function needsOf(trace: Trace, digest: ReferenceDigest, sizes: Pick<Sizes, 'joins' | 'of'>): Need[] {
  const { uses, occurrences } = resolveReferences(trace, digest).content
  const needs: Need[] = []
  /** By message: the request of the latest use that it is a source of, and the latest use that was seen at it. */
  const latest = new Int32Array(trace.length).fill(-1)
  const seen = new Int32Array(trace.length).fill(-1)
  const firsts = requestsBehind(trace)
  const within = unitsWithin(trace, sizes)
  for (let request = 0; request < trace.requests; request++) {
    const end = uses.starts[request + 1] as number
    for (let use = uses.starts[request] as number; use < end; use++) {
      const sources: number[] = []
      let left = mostOccurrences
      for (let at = uses.pieceStarts[use] as number; at < (uses.pieceStarts[use + 1] as number); at++) {
        for (let place = uses.places[at] as number; place >= 0 && left > 0; left--) {
          const message = occurrences.message[place] as number
          if (seen[message] !== use) sources.push(message)
          seen[message] = use
          place = occurrences.older[place] as number
        }
      }
      if (left === 0) continue
      const first = firsts[uses.newest[use] as number] as number
      let from = first
      let units = Infinity
      for (const source of sources) {
        from = Math.max(from, (latest[source] as number) + 1)
        units = Math.min(units, within(source).least)
        latest[source] = request
      }
      needs.push({ request, from, units, first })
    }
  }
  return needs
}

/**
 * By message: the requests whose responses use content of which it is the newest source, as the messages that answer
 * them.
 */
export function usersOf(trace: Trace, digest: ReferenceDigest): ReadonlyMap<number, readonly number[]> {
  const { uses } = resolveReferences(trace, digest).content
  return usersBy(trace, (request, use) => {
    for (let at = uses.starts[request] as number; at < (uses.starts[request + 1] as number); at++) {
      use(uses.newest[at] as number)
    }
  })
}

/** The same, and also those whose responses name what it was the newest source of. */
export function usersByNameOf(trace: Trace, digest: ReferenceDigest): ReadonlyMap<number, readonly number[]> {
  const { uses, occurrences, content } = resolveReferences(trace, digest)
  const isNamed = Array.from(digest.classes, (termClass) => namedClasses.has(termClasses[termClass] as TermClass))
  return usersBy(trace, (request, use) => {
    const { starts, newest } = content.uses
    for (let at = starts[request] as number; at < (starts[request + 1] as number); at++) use(newest[at] as number)
    for (let at = uses.starts[request] as number; at < (uses.starts[request + 1] as number); at++) {
      const source = uses.source[at] as number
      if (source >= 0 && isNamed[uses.term[at] as number]) use(occurrences.message[source] as number)
    }
  })
}

/** @param usedIn calls `use` with each message that the response to a request uses */
function usersBy(
  trace: Trace,
  usedIn: (request: number, use: (message: number) => void) => void,
): ReadonlyMap<number, readonly number[]> {
  const users = new Map<number, number[]>()
  for (let request = 0; request < trace.requests; request++) {
    const answer = trace.requestAt(request)
    usedIn(request, (message) => {
      const known = users.get(message)
      if (!known) users.set(message, [answer])
      else if (known.at(-1) !== answer) known.push(answer)
    })
  }
  return users
}

/** By message: the first request that carries it. */
function requestsBehind(trace: Trace): Int32Array {
  const firsts = new Int32Array(trace.length)
  let request = 0
  for (let index = 0; index < trace.length; index++) {
    while (request < trace.requests && trace.requestAt(request) <= index) request++
    firsts[index] = request
  }
  return firsts
}
