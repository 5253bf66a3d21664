/** Finds the reads of something that had been read before, as far as that does not depend on the window. */
import type { Trace } from '../model/trace.ts'
import type { ReferenceDigest } from './digest.ts'

/** A fetch of what had been fetched before. */
export interface Read {
  /** The request whose response makes the call, and the message with the result. */
  readonly request: number
  readonly result: number
  /** The repetition by the same tool for the same targets and lines; null if only a target is the same. */
  readonly again: Again | null
  /** For each of its files that was read before: the results of those reads, the newest first. */
  readonly known: readonly Copy[]
}

export interface Again {
  /** The target was written since, or the result is different. */
  readonly changed: boolean
  /** The newest earlier result with the same content, without a change in between; it links to the older ones. */
  readonly copy: Copy | null
}

export interface Copy {
  readonly message: number
  readonly older: Copy | null
}

/** @param keyOf of a target: the same number for all its spellings */
export function resolveReads(trace: Trace, digest: ReferenceDigest, keyOf: (target: number) => number): Read[] {
  const reads: Read[] = []
  const asked = new Map<number, { readonly fetch: number; readonly request: number }>()
  const fetched = new Map<number, { readonly call: number; readonly result: number; readonly copy: Copy }>()
  const shown = new Map<number, Copy>()
  const written = new Map<number, number>()
  let request = -1
  for (let index = 0; index < trace.length; index++) {
    if (trace.isReset(index)) {
      fetched.clear()
      shown.clear()
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
      const { fetch, request } = question
      const earlier = fetched.get(fetch)
      const changed =
        earlier !== undefined &&
        (digest.resultOf(index) !== digest.resultOf(earlier.result) ||
          digest.targetsOf(fetch).some((target) => (written.get(target) ?? -1) > earlier.call))
      const copy = changed ? null : (earlier?.copy ?? null)
      const files = new Set(digest.filesOf(fetch).map(keyOf))
      const known = [...files].flatMap((file) => shown.get(file) ?? [])
      if (earlier || known.length > 0) {
        reads.push({ request, result: index, again: earlier ? { changed, copy } : null, known })
      }
      fetched.set(fetch, { call, result: index, copy: { message: index, older: copy } })
      for (const file of files) shown.set(file, { message: index, older: shown.get(file) ?? null })
    }
  }
  return reads.sort((a, b) => a.request - b.request)
}
