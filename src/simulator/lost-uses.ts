/** What was used that the window no longer held: each use with where its term was last said. For people to look at. */
import type { LostUse } from '../model/history.ts'
import { termClasses } from '../model/run.ts'
import type { Sizes } from '../model/sizes.ts'
import type { Trace } from '../model/trace.ts'
import { ReferenceDigest } from '../references/digest.ts'
import { LostReferences } from '../references/lost.ts'
import { resolveReferences } from '../references/resolve.ts'
import { headlineClasses } from '../references/terms/extractor.ts'
import type { Observer } from './replay.ts'

/**
 * Watches a replay and writes lost uses of the headline classes into `found`, in the order of requests.
 * @returns no observer where the trace was read without a digest
 */
export function watchLostUses(trace: Trace, sizes: Sizes, found: LostUse[]): Observer[] {
  const { digest } = trace
  if (!(digest instanceof ReferenceDigest)) return []
  const { uses, occurrences, exchanges } = resolveReferences(trace, digest)
  const sums = new Float64Array(trace.length + 1)
  for (let at = 0; at < trace.length; at++) sums[at + 1] = (sums[at] as number) + sizes.of(at)

  const lose = (use: number, mentionLost: boolean, sourceLost: boolean): void => {
    const term = uses.term[use] as number
    const termClass = termClasses[digest.classes[term] as number] as LostUse['termClass']
    if (!headlineClasses.has(termClass)) return
    const message = uses.message[use] as number
    const place = (sourceLost ? uses.source[use] : uses.mention[use]) as number
    const seen = occurrences.message[place] as number
    found.push({
      term: digest.keys[term] as string,
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
