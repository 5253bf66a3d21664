/** What a recorded agent read again behind its own compactions: a natural experiment that needs no replay. */
import { near } from '../measures/quality.ts'
import type { Sizes } from '../model/sizes.ts'
import type { Trace } from '../model/trace.ts'
import type { ReferenceDigest } from './digest.ts'
import { resolveReferences } from './resolve.ts'

/** The fewest requests needed on each side of a compaction. */
const fewest = 5

/**
 * A recorded compaction. Reads are of something that had been read before, by result tokens and by the requests that
 * make them.
 */
export interface RecordedCut {
  /** The first request behind it. */
  readonly request: number
  /** As the provider counted them: of the request before with its response, less those of the first behind it. */
  readonly droppedTokens: number
  readonly before: Reads
  readonly behind: Reads
}

/** Reads of something that had been read before, in so many requests. */
export interface Reads {
  readonly over: number
  readonly tokens: number
  /** Those that make such reads. */
  readonly requests: number
}

/** Reads in front of a compaction and behind it, with the messages that have their results. */
export interface ReadsAround {
  /** The first request behind it; how many requests there are, where none is. */
  readonly request: number
  readonly before: ReadsNear
  readonly behind: ReadsNear
}

interface ReadsNear extends Reads {
  readonly results: readonly number[]
}

/**
 * The compactions of a transcript that recorded usage and enough requests tell of. Those that dropped nothing are left
 * out.
 */
export function recordedCuts(trace: Trace, digest: ReferenceDigest, sizes: Sizes): RecordedCut[] {
  return (readsAround(trace, digest, sizes) ?? []).flatMap(({ request, before, behind }): RecordedCut[] => {
    const last = request > 0 ? trace.usage(request - 1) : null
    const next = request < trace.requests ? trace.usage(request) : null
    const droppedTokens = last && next ? last.input + last.output - next.input : 0
    const isKnown = before.over >= fewest && behind.over >= fewest && droppedTokens > 0
    return isKnown ? [{ request, droppedTokens, before: countsOf(before), behind: countsOf(behind) }] : []
  })
}

const countsOf = ({ over, tokens, requests }: Reads): Reads => ({ over, tokens, requests })

/**
 * What was read again around each compaction of a transcript, in their order; null where nothing was ever read again,
 * as an agent of whose tools nobody knows what they read seems to read nothing again.
 */
export function readsAround(trace: Trace, digest: ReferenceDigest, sizes: Sizes): ReadsAround[] | null {
  if (trace.compactions.length === 0) return []
  const { reads } = resolveReferences(trace, digest)
  if (reads.length === 0) return null
  const between = (from: number, to: number): ReadsNear => {
    const own = reads.filter(({ request }) => request >= from && request < to)
    const results = own.map(({ result }) => result)
    return {
      over: to - from,
      tokens: results.reduce((sum, result) => sum + sizes.tokens(sizes.of(result)), 0),
      requests: new Set(own.map(({ request }) => request)).size,
      results,
    }
  }
  const cuts = firstsBehind(trace)
  return cuts.map(
    (request, nth): ReadsAround => ({
      request,
      before: between(Math.max(cuts[nth - 1] ?? 0, request - near), request),
      behind: between(request, Math.min(cuts[nth + 1] ?? trace.requests, request + near)),
    }),
  )
}

/** Of each compaction, the first request behind it; how many requests there are, where none is. */
export const firstsBehind = (trace: Trace): number[] => trace.compactions.map(({ at }) => trace.requestFrom(at))
