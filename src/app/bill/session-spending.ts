/** What one recorded session cost, and on what: the ledger of `spend` over its transcript, and each of its requests. */
import { rounded } from '../../measures/cost.ts'
import { billedRequests, billedSideCalls, inputCost } from '../../measures/spent.ts'
import { toolNamesIn } from '../../measures/tool-names.ts'
import { Exchanges } from '../../model/exchanges.ts'
import { recountsOf, sentAsRecorded } from '../../model/recorded.ts'
import { percent } from '../../model/run.ts'
import {
  type ByKind,
  type CompactionSpending,
  type CutSpending,
  type ExchangeSpending,
  type ExplainedSpending,
  type MissSpending,
  type RequestSpending,
  type SendingCut,
  type SpendingTotal,
  tokenKinds,
} from '../../model/spending.ts'
import type { Trace } from '../../model/trace.ts'
import { builtinModels } from '../../models/lookup.ts'
import type { Source } from '../../readers/lines/source.ts'
import { readingHere } from '../analysis.ts'
import { exchangesOf } from '../by-plan.ts'
import type { ReadSettings } from '../files/read-sources.ts'
import { caseOf, type Plan } from '../plan.ts'
import { Ledger } from './ledger.ts'
import { spend } from './spend.ts'

/** How many of the dearest results and misses are kept. */
const most = 10

/** In requests: how long before it shows in the usage a cut may have been written down. */
const longestWait = 3

/** What the transcripts of a file cost together. They come one by one, with their messages. */
export class FileSpending {
  readonly #plan: Plan
  readonly #ledger: Ledger

  /** @param plan its first estimator counts, its prices hold */
  constructor(plan: Plan) {
    this.#plan = plan
    this.#ledger = new Ledger(plan, plan.prices ?? builtinModels, 0)
  }

  add(trace: Trace): void {
    this.#ledger.add(this.#ledger.measure(trace, toolNamesIn(trace)))
  }

  /**
   * What one of them cost; null where no usage is recorded.
   * @param trace as it was added
   * @param family what the session cost in all its files; null where it has no other
   */
  of(trace: Trace, family: ExplainedSpending['family'] | null = null): ExplainedSpending | null {
    const { transcripts, usd } = this.#ledger.result().total
    const file = { transcripts, usd }
    return sessionSpending(trace.whole, this.#plan, file, family ?? { files: 1, ...file })
  }
}

/**
 * What a session cost in all its files. Responses that stand in several of them count once.
 * @param source its own file
 * @param others files that may be of the session: of its sub-agents and forks, or copies
 */
export async function familySpending(
  source: Source,
  others: readonly Source[],
  plan: Plan,
  how: ReadSettings,
): Promise<ExplainedSpending['family']> {
  const ids = new Set<string>()
  const files = new Set<Source>()
  const accepts = ({ head: { conversation, parent } }: Trace, from: Source): boolean => {
    const isOwn = from === source
    if (!isOwn && ![conversation, parent].some((id) => id !== null && ids.has(id))) return false
    if (conversation !== null) ids.add(conversation)
    if (isOwn && parent !== null) ids.add(parent)
    files.add(from)
    return true
  }
  const { total } = await spend(
    readingHere([source, ...others], { ...how, accepts }, () => {}),
    plan,
    0,
  )
  return { files: files.size, transcripts: total.transcripts, usd: total.usd }
}

/** What each recorded compaction of a transcript did, in order. @param trace read with its messages and references */
export function compactionsIn(trace: Trace, plan: Plan): CompactionSpending[] {
  const ledger = new Ledger(plan, plan.prices ?? builtinModels, 0)
  ledger.add(ledger.measure(trace.whole, toolNamesIn(trace.whole)))
  return ledger
    .result()
    .compactions.filter(({ of }) => of === 'compaction')
    .sort((one, other) => (one.line ?? 0) - (other.line ?? 0))
}

function sessionSpending(
  trace: Trace,
  plan: Plan,
  file: ExplainedSpending['file'],
  family: ExplainedSpending['family'],
): ExplainedSpending | null {
  const table = plan.prices ?? builtinModels
  // Of so many as there are requests, no miss is left out.
  const ledger = new Ledger(plan, table, Math.max(most, trace.requests))
  ledger.add(ledger.measure(trace, toolNamesIn(trace)))
  const { total, parts, results, causes, misses, recordedCosts } = ledger.result()
  if (total.requests === 0) return null
  const beside = billedSideCalls(trace, null, table)
  const besideUsd = beside.reduce((sum, { cost }) => sum + (cost ? costOf(cost) : 0), 0)
  const billed = requestsOf(trace, plan, misses)
  return {
    ...sumsOf(total),
    requestsWithoutUsage: total.requestsWithoutUsage,
    beside: {
      calls: beside.reduce((sum, { calls }) => sum + calls, 0),
      usd: beside.some(({ cost }) => cost !== null) ? rounded(besideUsd) : null,
    },
    file,
    family,
    // What was recorded of the whole session holds what its other transcripts cost, too.
    recordedCosts: recordedCosts.filter(({ model }) => model !== null || file.transcripts === 1),
    cuts: cutsOf(trace, billed),
    exchanges: exchangeSums(trace, plan, billed, total.usd),
    parts,
    results: results.slice(0, most),
    causes,
    misses: misses.slice(0, most),
    billed,
  }
}

function sumsOf({ requests, unpricedRequests, usd, tokens, cost, missed }: SpendingTotal) {
  return { requests, unpricedRequests, usd, tokens, cost, missed }
}

const costOf = (cost: ByKind): number => inputCost(cost) + cost.output

function requestsOf(trace: Trace, plan: Plan, misses: readonly MissSpending[]): RequestSpending[] {
  const { sizes } = caseOf(trace, plan)
  const exchanges = new Exchanges(trace)
  const missed = new Map(misses.map((miss) => [miss.request, miss]))
  const cuts = cutsIn(trace)
  return [...billedRequests(trace, sizes, null, plan.prices ?? builtinModels)].map(({ request, tokens, cost }) => {
    const at = trace.requestAt(request)
    const miss = missed.get(request)
    return {
      request,
      line: trace.line(at),
      exchange: exchanges.holding(at),
      cut: cuts.get(request) ?? null,
      tokens,
      usd: cost && rounded(costOf(cost)),
      cause: miss?.cause ?? null,
      missedUsd: miss?.usd ?? null,
    }
  })
}

/** By request, what was cut in front of it. */
function cutsIn(trace: Trace): ReadonlyMap<number, SendingCut> {
  const cuts = new Map<number, SendingCut>()
  const answers = new Map<number, number>()
  // What is cut does not depend on sizes.
  const nothing = { of: () => 0, message: () => 0, joins: () => 0 }
  for (const { request, at, cut } of sentAsRecorded(trace, nothing)) {
    answers.set(at, request)
    if (cut !== null) cuts.set(request, cut)
  }
  for (const { at, unexplained } of recountsOf(trace)) {
    const request = answers.get(at)
    if (!unexplained || request === undefined || cuts.has(request)) continue
    // A program may write a cut down in front of answers that it was still waiting for.
    let early = request - 1
    while (early > request - longestWait && !cuts.has(early)) early--
    const written = cuts.get(early)
    const isEarly = written !== undefined && inputAt(trace, early) >= inputAt(trace, early - 1)
    if (isEarly) cuts.delete(early)
    cuts.set(request, isEarly ? written : 'unrecorded')
  }
  return cuts
}

const inputAt = (trace: Trace, request: number): number =>
  request < 0 ? Number.NaN : (trace.usage(request)?.input ?? Number.NaN)

function cutsOf(trace: Trace, billed: readonly RequestSpending[]): CutSpending[] {
  const inputs = new Map(billed.map(({ request, tokens }) => [request, inputOf(tokens)]))
  return [...cutsIn(trace)]
    .sort(([one], [other]) => one - other)
    .map(([request, cut]) => ({
      cut,
      request,
      tokensBefore: inputs.get(request - 1) ?? null,
      tokensAfter: inputs.get(request) ?? null,
    }))
}

const inputOf = (tokens: ByKind): number => sumOf(tokens) - tokens.output
const sumOf = (tokens: ByKind): number => tokenKinds.reduce((sum, kind) => sum + tokens[kind], 0)

function exchangeSums(
  trace: Trace,
  plan: Plan,
  billed: readonly RequestSpending[],
  all: number | null,
): ExchangeSpending[] {
  const titles = new Map(exchangesOf(trace, plan).map(({ exchange, title }) => [exchange, title]))
  const sums = new Map<number, { requests: number; tokens: number; usd: number; priced: boolean }>()
  for (const { exchange, tokens, usd } of billed) {
    const sum = sums.get(exchange) ?? { requests: 0, tokens: 0, usd: 0, priced: false }
    sums.set(exchange, sum)
    sum.requests++
    sum.tokens += sumOf(tokens)
    sum.usd += usd ?? 0
    sum.priced ||= usd !== null
  }
  return [...sums]
    .map(([exchange, { requests, tokens, usd, priced }]) => ({
      exchange,
      title: titles.get(exchange) ?? null,
      requests,
      tokens,
      usd: priced ? rounded(usd) : null,
      percent: percent(usd, all ?? 0),
    }))
    .sort((a, b) => (b.usd ?? -1) - (a.usd ?? -1) || b.tokens - a.tokens || a.exchange - b.exchange)
}
