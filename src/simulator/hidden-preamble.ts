/** What a transcript with usage tells of its program's preamble, for other transcripts that tell nothing. */
import { sentAsRecorded } from '../model/recorded.ts'
import type { Trace } from '../model/trace.ts'
import { type Counting, measuredBy } from './case.ts'
import { sizesOf } from './sizes.ts'

/** Tools that are loaded late are missing in the very first request. */
const first = 3
/** With less in front a request has no tools: a title, a check, an example that somebody wrote by hand. */
const least = 200

/**
 * Tokens that the first requests had beyond what the transcript records of them, as it is counted where no usage tells.
 * @returns null where the preamble is recorded, the beginning is missing, or no agent seems to have asked
 */
export function hiddenPreamble(trace: Trace, by: Omit<Counting, 'preamble' | 'own'>): number | null {
  if (trace.preamble.complete || trace.head.headless) return null
  const blind = trace.withoutUsageFrom(0)
  const { at, meter, scale } = measuredBy(blind, by)
  const sizes = sizesOf(blind, at, meter, scale)
  const hidden: number[] = []
  for (const { request, units, cut } of sentAsRecorded(trace, sizes)) {
    if (hidden.length === first || (cut !== null && hidden.length > 0)) break
    const input = trace.usage(request)?.input ?? 0
    if (input > 0) hidden.push(input - sizes.tokens(sizes.preamble + units))
  }
  const middle = hidden.sort((a, b) => a - b)[(hidden.length - 1) >> 1] ?? 0
  return middle < least ? null : middle
}
