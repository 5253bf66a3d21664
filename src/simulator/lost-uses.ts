/** Lists the uses of things that had left the window, each with its last occurrence, for `history`. */
import type { LostUse } from '../model/history.ts'
import { namedClasses } from '../model/run.ts'
import type { Sizes } from '../model/sizes.ts'
import type { Trace } from '../model/trace.ts'
import { ReferenceDigest } from '../references/digest.ts'
import { type Loss, LostReferences } from '../references/lost.ts'
import { resolveReferences } from '../references/resolve.ts'
import type { Observer } from './replay.ts'

/**
 * An observer that adds lost uses of content and named things to `found`, in the order of requests.
 * @returns no observer if the trace was read without a digest
 */
export function watchLostUses(trace: Trace, sizes: Sizes, found: LostUse[]): Observer[] {
  const { digest } = trace
  if (!(digest instanceof ReferenceDigest)) return []
  const { exchanges } = resolveReferences(trace, digest)
  const sums = new Float64Array(trace.length + 1)
  for (let at = 0; at < trace.length; at++) sums[at + 1] = (sums[at] as number) + sizes.of(at)

  const lose = ({ term, termClass, message, mention, source, mentionLost, sourceLost }: Loss): void => {
    if (termClass !== 'content' && !namedClasses.has(termClass)) return
    const seen = sourceLost ? source : mention
    found.push({
      term,
      termClass,
      exchange: exchanges.holding(message),
      line: trace.line(message),
      mentionLost,
      sourceLost,
      seenExchange: exchanges.holding(seen),
      seenLine: trace.line(seen),
      seenTokensAgo: sizes.tokens((sums[message] as number) - (sums[seen] as number)),
    })
  }
  return [new LostReferences(trace, digest, sizes, lose)]
}
