/** Which transcripts are one session: sub-agents and forks belong to the one they come from. */
import type { Trace, TranscriptHead } from '../../model/trace.ts'

export type Relation = Pick<TranscriptHead, 'conversation' | 'parent'>

/** By session; the session itself is first in its list if it was read. */
export function bySession<Part>(parts: readonly Part[], headOf: (part: Part) => Relation): Part[][] {
  const parents = new Map(parts.map(headOf).map(({ conversation, parent }) => [conversation, parent]))
  const sessions = new Map<string | Part, Part[]>()
  for (const part of parts) {
    const { conversation, parent } = headOf(part)
    let root = parent ?? conversation
    for (const seen = new Set([conversation]); root !== null && !seen.has(root); root = parents.get(root) ?? root) {
      seen.add(root)
    }
    const session = sessions.get(root ?? part) ?? []
    if (conversation === root) session.unshift(part)
    else session.push(part)
    sessions.set(root ?? part, session)
  }
  return [...sessions.values()]
}

/** From the first moment to the last, as ISO 8601 has it; null where none is recorded. */
export function periodOf(parts: readonly { readonly first: number; readonly last: number }[]): {
  first: string | null
  last: string | null
} {
  const first = parts.reduce((least, part) => Math.min(least, part.first), Infinity)
  const last = parts.reduce((most, part) => Math.max(most, part.last), -Infinity)
  const iso = (time: number) => (Number.isFinite(time) ? new Date(time).toISOString() : null)
  return { first: iso(first), last: iso(last) }
}

/** When the first and the last response of a transcript were recorded; not finite where no time is. */
export function momentsOf(part: Trace): { first: number; last: number } {
  let first = Infinity
  let last = -Infinity
  for (let request = 0; request < part.requests; request++) {
    const time = part.requestTime(request)
    if (Number.isNaN(time)) continue
    first = Math.min(first, time)
    last = Math.max(last, time)
  }
  return { first, last }
}
