/** What the recorded agent's own compactions did: what was read again behind them, and what their summaries held. */
import { choose } from '../base/chosen.ts'
import { type MishapsAround, mishapsAround } from '../measures/mishaps.ts'
import { addCompactions, type Compactions, noCompactions } from '../measures/rereads.ts'
import { isTold } from '../model/recorded.ts'
import { namedClasses } from '../model/run.ts'
import type { Compaction } from '../model/trace.ts'
import asRecorded from '../policies/as-recorded.ts'
import type { Policy } from '../policies/policy.ts'
import { type CopyingRequest, copiesOf, countedCopies, isLost, LostCopies } from '../references/copied/lost-copies.ts'
import type { Loss } from '../references/lost.ts'
import { firstsBehind, type ReadsAround, readsAround, recordedCuts } from '../references/read-again.ts'
import type { Case } from './case.ts'
import { simulateOne } from './simulate.ts'

/** What the compactions of a transcript came to; it is kept beside the transcript, as it takes two replays. */
export function recordedCompactions(facts: Case): Compactions {
  if (facts.trace.compactions.length === 0 || facts.digest === null) return noCompactions
  return facts.memo('compactions', () => addCompactions(rereadBehind(facts), keptInSummaries(facts)))
}

function rereadBehind({ trace, digest, sizes }: Case): Compactions {
  if (digest === null) return noCompactions
  return recordedCuts(trace, digest, sizes)
    .map(({ droppedTokens, before, behind }): Compactions => {
      const over = behind.over / before.over
      return {
        ...noCompactions,
        cuts: 1,
        droppedTokens,
        rereadTokens: behind.tokens - before.tokens * over,
        rereadRequests: behind.requests - before.requests * over,
      }
    })
    .reduce(addCompactions, noCompactions)
}

/**
 * Uses of content that find their source gone if each recorded summary is blanked, and those of them that find it with
 * the summary as it was written. Where a summary cannot be read (it is encrypted, or was not recorded) nothing is
 * known.
 */
function keptInSummaries(facts: Case): Compactions {
  if (!facts.trace.compactions.every(isTold)) return noCompactions
  const [lost, uses] = [asRecorded, blanked].map(
    (policy) => lostUnder(facts, policy, 'uses').uses.filter(({ termClass }) => termClass === 'content').length,
  ) as [number, number]
  return { ...noCompactions, uses, kept: Math.max(0, uses - lost) }
}

/** Later uses of what a compaction dropped, and those of them whose thing stood in what it put in its place. */
export interface HeldCount {
  readonly used: number
  readonly kept: number
}

/** Of copied text, requests count: those that find at least a quarter of it gone where the summary says nothing. */
interface HeldUses {
  readonly content: HeldCount
  readonly named: HeldCount
  readonly copied: HeldCount | null
}

/** What was done behind one recorded compaction. */
export interface BehindCompaction {
  /** The first request behind it; how many requests there are, where none is. */
  readonly request: number
  /** Null where nothing was ever read again. */
  readonly reads: Pick<ReadsAround, 'before' | 'behind'> | null
  /**
   * Null where the summary cannot be read; of copied text where nobody asked. A use counts behind the last compaction
   * before it, if its source stood in front of that.
   */
  readonly held: HeldUses | null
  /** Null where there is no request in front of it or none behind it. */
  readonly mishaps: MishapsAround | null
}

/** In their order; each by itself. It takes two replays, and is kept beside the transcript. */
export function behindCompactions(facts: Case): BehindCompaction[] {
  const { trace, digest, sizes } = facts
  if (trace.compactions.length === 0) return []
  return facts.memo(facts.inputs.copies ? 'behind compactions, with copies' : 'behind compactions', () => {
    const around = digest === null ? null : readsAround(trace, digest, sizes)
    const held = digest === null ? null : heldBehind(facts)
    const firsts = firstsBehind(trace)
    const mishaps = digest === null ? null : mishapsAround(trace, digest.outcomes, firsts)
    return firsts.map((request, nth): BehindCompaction => {
      const told = isTold(trace.compactions[nth] as Compaction)
      return {
        request,
        reads: around?.[nth] ?? null,
        held: (told && held?.[nth]) || null,
        mishaps: mishaps?.[nth] ?? null,
      }
    })
  })
}

function heldBehind(facts: Case): HeldUses[] {
  const { trace } = facts
  const none = () => ({ used: 0, kept: 0 })
  const found = trace.compactions.map(() => ({
    content: none(),
    named: none(),
    copied: facts.inputs.copies ? none() : null,
  }))
  const firsts = firstsBehind(trace)
  // One text may take over several blocks of one file, so that what is equal is counted.
  const lost = new Map<string, number>()
  const keyOf = ({ request, message, termClass, term, source }: Loss) =>
    JSON.stringify([request, message, termClass, term, source])
  const [recorded, blank] = [lostUnder(facts, asRecorded, 'all'), lostUnder(facts, blanked, 'all')]
  for (const use of recorded.uses) lost.set(keyOf(use), (lost.get(keyOf(use)) ?? 0) + 1)
  const count = (request: number, source: number, what: keyof HeldUses, isKept: boolean): void => {
    const nth = firsts.findLastIndex((first) => first <= request)
    const compaction = trace.compactions[nth]
    if (compaction === undefined || source >= compaction.keptFrom) return
    const held = found[nth]?.[what]
    if (!held) return
    held.used++
    if (isKept) held.kept++
  }
  for (const use of blank.uses) {
    const left = lost.get(keyOf(use)) ?? 0
    lost.set(keyOf(use), Math.max(0, left - 1))
    count(use.request, use.source, use.termClass === 'content' ? 'content' : 'named', left === 0)
  }
  for (const [request, source] of blank.copies) count(request, source, 'copied', !recorded.copies.has(request))
  return found
}

const blanked: Policy = {
  ...asRecorded,
  start: (values, context) =>
    asRecorded.start(values, {
      ...context,
      compactions: context.compactions.map((compaction) => ({
        ...compaction,
        summary: compaction.summary.map((message) => ({ ...message, blocks: [] })),
      })),
    }),
}

/** What had left a window when it was used. */
interface Left {
  /** The uses of content and named things whose last source has left. */
  readonly uses: readonly Loss[]
  /**
   * The requests that find at least a quarter of what they copied gone, of all that the history has; with its newest
   * source.
   */
  readonly copies: ReadonlyMap<number, number>
}

/** @param what `uses`: without copied text */
function lostUnder(facts: Case, policy: Policy, what: 'uses' | 'all'): Left {
  const { trace, digest } = facts
  const uses: Loss[] = []
  const copies = new Map<number, number>()
  const take = (use: Loss): void => {
    if (use.sourceLost && (use.termClass === 'content' || namedClasses.has(use.termClass))) uses.push(use)
  }
  const takeCopy = (one: CopyingRequest): void => {
    if (one.kind === null && isLost(one)) copies.set(one.request, one.source)
  }
  const whole = digest && facts.inputs.copies && what === 'all' ? countedCopies(copiesOf(trace, digest), null) : null
  const watching = digest && whole ? [new LostCopies(trace, digest, whole, takeCopy)] : []
  simulateOne({ policy: choose(policy), facts, budget: 0 }, watching, take)
  return { uses, copies }
}
