/**
 * What the recorded compactions of a transcript did: what each cost, what was read again behind it, what its summary held of
 * what was used later, and what went wrong around it.
 */
import { sharesOf } from '../../measures/carried.ts'
import { rounded } from '../../measures/cost.ts'
import { inputCost } from '../../measures/spent.ts'
import type { CompactionSpending, MissSpending, RereadSpending } from '../../model/spending.ts'
import type { Compaction, Trace } from '../../model/trace.ts'
import { firstsBehind } from '../../references/read-again.ts'
import type { Case } from '../../simulator/case.ts'
import { type BehindCompaction, behindCompactions } from '../../simulator/recorded-compactions.ts'
import type { Billed } from './transcript-bill.ts'

/** Its share of all that was spent is known when all is. */
export type CompactionRow = Omit<CompactionSpending, 'percent'>
type Miss = Pick<MissSpending, 'tokens' | 'usd'>

/** What is of one compaction, in the row that is of none. */
export const noCompaction = {
  of: 'rest',
  transcript: null,
  conversation: null,
  format: null,
  version: null,
  line: null,
  request: null,
  time: null,
  tokensBefore: null,
  tokensAfter: null,
  summaryUsd: null,
  rewrittenTokens: 0,
  rewrittenUsd: null,
  rereads: null,
  rereadsBefore: null,
  heldContent: null,
  heldNamed: null,
  heldCopied: null,
  mishaps: null,
  mishapsBefore: null,
} as const

/**
 * Those that count in this transcript, in their order.
 * @param part a transcript without the requests that count elsewhere
 * @param facts of the whole transcript; what was read again and held is known if it has its references
 * @param rewritten by request, the misses of the cache that a compaction is the cause of
 */
export function compactionsOf(
  part: Trace,
  facts: Case,
  bill: Billed,
  rewritten: ReadonlyMap<number, Miss>,
): CompactionRow[] {
  const { trace } = facts
  if (trace.compactions.length === 0) return []
  const { head } = trace
  const firsts = firstsBehind(trace)
  const behind = facts.digest === null ? null : behindCompactions(facts)
  const isPriced = [...bill.counted.values(), ...bill.beside].some(({ cost }) => cost !== null)
  const shares = behind === null ? null : sharesOf(trace, facts.sizes, bill.counted)
  const hasPrices = [...bill.counted.values()].some(({ cost }) => cost !== null)
  const rereadsOf = (reads: Reads | undefined): RereadSpending | null => {
    if (reads === undefined || shares === null) return null
    const { over, requests, tokens, results } = reads
    const usd = results.reduce((sum, result) => sum + shares.of(result).usd, 0)
    return { over, requests, tokens: Math.round(tokens), usd: hasPrices ? rounded(usd) : null }
  }
  const summaries = summariesBy(part, bill)
  const misses = missesBy(firsts, rewritten)
  return countedCompactions(part).map((nth): CompactionRow => {
    const compaction = trace.compactions[nth] as Compaction
    const first = firsts[nth] as number
    const isBehind = first < trace.requests
    const found = behind?.[nth]
    const summaryUsd = summaries.get(nth) ?? null
    const own = misses.get(nth) ?? []
    const rewrittenUsd = isPriced ? rounded(own.reduce((sum, { usd }) => sum + (usd ?? 0), 0)) : null
    return {
      of: 'compaction',
      transcript: head.file,
      conversation: head.conversation,
      format: head.format,
      version: head.version ?? null,
      line: compaction.line,
      request: isBehind ? first : null,
      time: timeOf(trace, first),
      tokensBefore: first > 0 ? (trace.usage(first - 1)?.input ?? null) : null,
      tokensAfter: isBehind ? (trace.usage(first)?.input ?? null) : null,
      summaryUsd: summaryUsd === null ? null : rounded(summaryUsd),
      rewrittenTokens: own.reduce((sum, { tokens }) => sum + tokens, 0),
      rewrittenUsd,
      usd: isPriced ? rounded((summaryUsd ?? 0) + (rewrittenUsd ?? 0)) : null,
      rereads: rereadsOf(found?.reads?.behind),
      rereadsBefore: rereadsOf(found?.reads?.before),
      heldContent: found?.held?.content ?? null,
      heldNamed: found?.held?.named ?? null,
      heldCopied: found?.held?.copied ?? null,
      mishaps: found?.mishaps?.behind ?? null,
      mishapsBefore: found?.mishaps?.before ?? null,
    }
  })
}

type Reads = NonNullable<BehindCompaction['reads']>['behind']

/** Those of a transcript's compactions that count in it, by their index: a fork has those of the session it came from, too. */
export function countedCompactions(part: Trace): number[] {
  const trace = part.whole
  return firstsBehind(trace).flatMap((first, nth) => {
    const request = Math.min(first, trace.requests - 1)
    return request < 0 || part.isResponse(trace.requestAt(request)) ? [nth] : []
  })
}

function timeOf(trace: Trace, first: number): string | null {
  const times = [first, first - 1].map((request) =>
    request >= 0 && request < trace.requests ? trace.requestTime(request) : Number.NaN,
  )
  const time = times.find((one) => !Number.isNaN(one))
  return time === undefined ? null : new Date(time).toISOString()
}

/** By compaction, what the calls cost that wrote its summary: those that stand next to it in the file. */
function summariesBy(part: Trace, { beside }: Billed): Map<number, number> {
  const found = new Map<number, number>()
  const { compactions } = part.whole
  for (const [index, { cost }] of beside.entries()) {
    const call = part.sideCalls[index]
    if (call?.kind !== 'summary' || cost === null) continue
    const nth = nearest(compactions, call.line)
    found.set(nth, (found.get(nth) ?? 0) + inputCost(cost) + cost.output)
  }
  return found
}

function nearest(compactions: readonly Compaction[], line: number): number {
  const far = (nth: number): number => Math.abs((compactions[nth] as Compaction).line - line)
  return compactions.reduce((least, _, nth) => (far(nth) <= far(least) ? nth : least), 0)
}

/** By compaction: the misses of which it is the last one before. */
function missesBy(firsts: readonly number[], rewritten: ReadonlyMap<number, Miss>): Map<number, Miss[]> {
  const found = new Map<number, Miss[]>()
  for (const [request, miss] of rewritten) {
    const nth = firsts.findLastIndex((first) => first <= request)
    found.set(nth, [...(found.get(nth) ?? []), miss])
  }
  return found
}
