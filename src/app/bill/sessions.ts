/**
 * What agents have recorded: sessions with their sub-agents, what they sent, what was billed for it, and what their programs
 * could be set to.
 */

import { choose } from '../../base/chosen.ts'
import { count, nothing, object, orNull, type Shape, string, time } from '../../base/plain-shape.ts'
import { noCacheFit } from '../../measures/cache-fit.ts'
import { rounded } from '../../measures/cost.ts'
import type { Diagnostic, TotalSpent, TraceRun } from '../../model/run.ts'
import type { SessionSummary, Sessions } from '../../model/sessions.ts'
import type { Trace } from '../../model/trace.ts'
import { builtinModels } from '../../models/lookup.ts'
import { policies } from '../../policies/index.ts'
import type { ReadFiles } from '../analysis.ts'
import type { Measured } from '../answer/candidate-sums.ts'
import { unpruned } from '../answer/candidates.ts'
import { type Asked, Decisions } from '../answer/decisions.ts'
import { simulate } from '../by-plan.ts'
import { headShape, transcriptBillShape } from '../files/piece-shapes.ts'
import { problemsOf } from '../files/read-sources.ts'
import { runShape } from '../files/run-shape.ts'
import { caseOf, type Plan } from '../plan.ts'
import { sumOf } from '../sum.ts'
import { bySession, momentsOf, periodOf } from './by-session.ts'
import { Sum } from './spending-sum.ts'
import { billedOf, type TranscriptBill, transcriptBill } from './transcript-bill.ts'

/** What is kept of a transcript. */
export interface SessionPart {
  readonly trace: Pick<Trace, 'head' | 'requests'>
  readonly run: TraceRun
  readonly title: string | null
  readonly first: number
  readonly last: number
  readonly compactions: number
  readonly bill: TranscriptBill
}

/** What a transcript adds, as plain data. */
export interface SessionPiece {
  readonly ofSession: SessionPart
  readonly measured: Measured | null
}

const sessionPart = object<SessionPart>({
  trace: object<SessionPart['trace']>({ head: headShape, requests: count }),
  run: runShape,
  title: orNull(string),
  first: time,
  last: time,
  compactions: count,
  bill: transcriptBillShape,
})

export interface SessionSettings extends Pick<Asked, 'sessions'> {
  /** Decide, too, what to set in each program; without it nothing but the unpruned history is replayed. */
  readonly recommends?: boolean
  /** Told of the transcripts of each file that is read, while others are still to come. */
  readonly tell?: (part: SessionPart) => void
  /** Asked behind each file: whether what has been read is enough. */
  readonly isEnough?: () => Promise<boolean>
}

/**
 * @param plan how tokens are counted, and at what prices; its policies and budgets do not matter
 */
export async function readSessions(
  read: ReadFiles,
  plan: Plan,
  { recommends = false, tell, isEnough, ...asked }: SessionSettings = {},
): Promise<Sessions> {
  const sums = new SessionSums(plan, recommends ? asked : null)
  const diagnostics: Diagnostic[] = []
  const files = read({
    plan: sums.plan,
    measure: (trace) => sums.measure(trace),
    knows: (trace) => sums.knows(trace),
    copied: null,
    piece: sums.piece,
    start: (): SessionPiece[] => [],
    add: (part, piece) => part.push(piece),
  })
  for await (const { source, report, part, copies } of files) {
    for (const piece of part) {
      sums.add(piece)
      tell?.(piece.ofSession)
    }
    for (const copy of copies) diagnostics.push(copy)
    for (const problem of problemsOf(source.name, report)) diagnostics.push(problem)
    if (await isEnough?.()) break
  }
  return { schemaVersion: 1, ...sums.result(), diagnostics }
}

/** Gathers transcripts into sessions. */
export class SessionSums {
  /** What has to be read. */
  readonly plan: Plan
  readonly #asItIs: Plan
  readonly #decisions: Decisions | null
  readonly #parts: SessionPart[] = []

  /** @param asked how it is decided what to set; null where that is not asked */
  constructor(plan: Plan, asked: Pick<Asked, 'sessions'> | null) {
    this.#asItIs = { ...plan, policies: [choose(policies.get(unpruned))], budgets: [0], references: false }
    this.#decisions = asked && new Decisions(plan, asked)
    this.plan = this.#decisions?.plan ?? this.#asItIs
  }

  /** What every value of a piece is. */
  get piece(): Shape<SessionPiece> {
    return object<SessionPiece>({ ofSession: sessionPart, measured: orNull(this.#decisions?.piece ?? nothing) })
  }

  measure(trace: Trace): SessionPiece {
    const measured = this.#decisions?.measure(trace) ?? null
    const run = measured?.run ?? (simulate(trace, this.#asItIs)[0] as TraceRun)
    return { ofSession: this.#partOf(trace, run), measured }
  }

  /** Whether a transcript can be measured without its text. */
  knows(trace: Trace): boolean {
    return this.#decisions === null || this.#decisions.knows(trace)
  }

  add({ ofSession, measured }: SessionPiece): void {
    this.#parts.push(ofSession)
    if (measured) this.#decisions?.add(measured)
  }

  result(): Pick<Sessions, 'sessions' | 'totals' | 'decisions'> {
    const sessions = this.grouped().map(({ summary }) => summary)
    return { sessions, totals: totalsOf(this.#parts), decisions: this.#decisions?.results() ?? [] }
  }

  #partOf(trace: Trace, run: TraceRun): SessionPart {
    const { head, requests, compactions, clearings } = trace
    const { sizes } = caseOf(trace.whole, this.plan)
    return {
      trace: { head, requests },
      run,
      title: trace.title,
      ...momentsOf(trace),
      compactions: compactions.length + clearings.length,
      bill: transcriptBill(billedOf(trace, sizes, this.plan.model ?? null, this.plan.prices ?? builtinModels)),
    }
  }

  /** The sessions with what they are made of, the dearest first. */
  grouped(): { readonly summary: SessionSummary; readonly parts: readonly SessionPart[] }[] {
    return bySession(this.#parts, ({ trace }) => trace.head)
      .map((parts) => ({ summary: summaryOf(parts), parts }))
      .sort(({ summary: a }, { summary: b }) => (b.spent ?? -1) - (a.spent ?? -1) || b.sentTokens - a.sentTokens)
  }
}

function summaryOf(parts: readonly SessionPart[]): SessionSummary {
  const { today } = sumOf(runsOf(parts)).result()
  const [{ trace, title }] = parts as [SessionPart]
  const { conversation, parent, file, format, cwd, model } = trace.head
  return {
    session: parent ?? conversation,
    file,
    format,
    project: cwd,
    model,
    title: parent === null ? title : null,
    ...periodOf(parts),
    transcripts: parts.length,
    requests: requestsOf(parts),
    sentTokens: today.sentTokens,
    spent: billSum(parts).usd,
  }
}

function totalsOf(parts: readonly SessionPart[]): Sessions['totals'] {
  const sum = sumOf(runsOf(parts))
  const { spent: whole } = sum
  const { transcripts, today, cost, fullTokens, overWindowRequests } = sum.result()
  const priced = parts.filter(({ run }) => run.cost.unit === cost.unit)
  return {
    transcripts,
    requests: requestsOf(parts),
    requestsElsewhere: parts.reduce((count, { run }) => count + (run.requestsElsewhere ?? 0), 0),
    ...periodOf(parts),
    spent: spentOf(parts, whole),
    today: {
      unit: cost.unit,
      sentTokens: today.sentTokens,
      costInput: today.costInput,
      summaries: today.summaries,
      savedTokens: fullTokens - today.sentTokens,
      costSaved: rounded(cost.inputFull - today.costInput - today.summaries),
      costRecorded:
        whole && rounded(priced.reduce((total, { run }) => total + (run.spent ? run.exact.todayRecorded : 0), 0)),
      costBilled: whole?.input ?? null,
    },
    unpruned: {
      sentTokens: fullTokens,
      costInput: cost.inputFull,
      overWindowRequests,
    },
    compactions: parts.reduce((count, part) => count + part.compactions, 0),
  }
}

function billSum(parts: readonly SessionPart[]): Sum {
  const sum = new Sum()
  for (const { bill } of parts) sum.merge(bill.sum)
  return sum
}

/** @param whole of those of which each call has a known price: how the cache was foreseen is known of these */
function spentOf(parts: readonly SessionPart[], whole: TotalSpent | null): TotalSpent | null {
  const sum = billSum(parts)
  if (sum.usd === null) return null
  const priced = parts.filter(({ bill }) => bill.requests + bill.sideCalls > 0)
  const count = (key: 'requests' | 'sideCalls' | 'estimatedOutputs') =>
    priced.reduce((total, { bill }) => total + bill[key], 0)
  return {
    ...(whole ?? noCacheFit),
    usd: sum.usd,
    ...sum.billed,
    requests: count('requests'),
    sideCalls: count('sideCalls'),
    estimatedOutputs: count('estimatedOutputs'),
    transcripts: priced.length,
  }
}

const runsOf = (parts: readonly SessionPart[]): TraceRun[] => parts.map(({ run }) => run)

function requestsOf(parts: readonly SessionPart[]): number {
  return parts.reduce((count, { trace }) => count + trace.requests, 0)
}
