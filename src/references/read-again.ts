/** What a recorded agent read again behind its own compactions: a natural experiment that needs no replay. */
import type { Sizes } from '../model/sizes.ts'
import type { Trace } from '../model/trace.ts'
import type { ReferenceDigest } from './digest.ts'
import { resolveReferences } from './resolve.ts'

/** So many requests in front of a compaction are compared with as many behind it, and it takes at least some on each side. */
const near = 15
const fewest = 5

/** A recorded compaction. Reads are of something that had been read before, by result tokens and by the requests that make them. */
export interface RecordedCut {
  /** The first request behind it. */
  readonly request: number
  /** As the provider counted them: of the request before with its response, less those of the first behind it. */
  readonly droppedTokens: number
  readonly before: Reads
  readonly behind: Reads
}

interface Reads {
  readonly over: number
  readonly tokens: number
  readonly requests: number
}

/** The compactions of a transcript that recorded usage and enough requests tell of. Those that dropped nothing are left out. */
export function recordedCuts(trace: Trace, digest: ReferenceDigest, sizes: Sizes): RecordedCut[] {
  if (trace.compactions.length === 0) return []
  const { reads } = resolveReferences(trace, digest)
  // An agent of whose tools nobody knows what they read seems to read nothing again.
  if (reads.length === 0) return []
  const tokens = new Float64Array(trace.requests)
  for (const { request, result } of reads) {
    if (request >= 0) tokens[request] = (tokens[request] as number) + sizes.tokens(sizes.of(result))
  }
  const between = (from: number, to: number): Reads => {
    const own = tokens.subarray(from, to)
    return { over: own.length, tokens: own.reduce((sum, one) => sum + one, 0), requests: own.filter(Boolean).length }
  }
  const cuts = trace.compactions.map(({ at }) => firstBehind(trace, at))
  return cuts.flatMap((request, nth): RecordedCut[] => {
    const before = between(Math.max(cuts[nth - 1] ?? 0, request - near), request)
    const behind = between(request, Math.min(cuts[nth + 1] ?? trace.requests, request + near))
    const last = request > 0 ? trace.usage(request - 1) : null
    const next = request < trace.requests ? trace.usage(request) : null
    const droppedTokens = last && next ? last.input + last.output - next.input : 0
    const isKnown = before.over >= fewest && behind.over >= fewest && droppedTokens > 0
    return isKnown ? [{ request, droppedTokens, before, behind }] : []
  })
}

/** The first request whose response stands at message `at` or later. */
function firstBehind(trace: Trace, at: number): number {
  let request = 0
  while (request < trace.requests && trace.requestAt(request) < at) request++
  return request
}
