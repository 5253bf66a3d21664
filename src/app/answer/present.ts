/**
 * The present setting of a program, learned from what its transcripts show, so that it can be replayed by the same rules as a
 * candidate. What the recorded agent lost cannot be held against what a candidate would lose: the agent read again what it
 * needed, and a replay cannot.
 */
import { type Chosen, choose } from '../../base/chosen.ts'
import type { Trace } from '../../model/trace.ts'
import type { Policy } from '../../policies/policy.ts'
import { countedCompactions } from '../bill/compaction-spending.ts'
import { ownPolicyOf, programOf } from './candidates.ts'

/** A compaction of a smaller window than this share of the largest was asked for by the user: it shows no setting. */
const nearLargest = 0.9

interface Present {
  readonly policy: Chosen<Policy>
  /** Tokens. */
  readonly budget: number
}

/**
 * What the program does by itself, acting where the transcript shows that it acted. Null where it shows nothing (the window
 * never filled, or the program's own way is not known): then what was recorded stands for it.
 */
export function presentOf(trace: Trace): Present | null {
  const own = ownPolicyOf(programOf(trace.head))
  if (!own?.budgetFor || trace.compactions.length === 0) return null
  const trigger = triggerOf(trace)
  return trigger === null ? null : { policy: choose<Policy>(own), budget: own.budgetFor(trigger) }
}

/** Tokens of the largest window that was compacted; null where none was, or the user asked for it. */
function triggerOf(trace: Trace): number | null {
  let largest = 0
  const windowAfter = (request: number): number => {
    const usage = request < 0 ? null : trace.usage(request)
    return usage ? usage.input + usage.output : 0
  }
  for (let request = 0; request < trace.requests; request++) largest = Math.max(largest, windowAfter(request))
  const trigger = trace.compactions.reduce((most, { at }) => Math.max(most, windowAfter(trace.requestFrom(at) - 1)), 0)
  return trigger > 0 && trigger >= nearLargest * largest ? trigger : null
}

/** Tokens of the window that the agent compacted by itself; null where it did not in what counts of a transcript. @param part without the requests that count elsewhere */
export function triggerIn(part: Trace): number | null {
  return countedCompactions(part).length === 0 ? null : triggerOf(part.whole)
}
