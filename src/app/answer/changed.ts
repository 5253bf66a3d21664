/**
 * Did it work? What was promised from the sessions of before a day, and what the sessions since came to: money, what was read
 * again, compactions. It is no experiment, as the work may be another, too; docs/recommend.md says so.
 */
import { changeBetween, type Observation } from '../../base/change.ts'
import { medianOf } from '../../base/median.ts'
import { count, each, object, orNull, time } from '../../base/plain-shape.ts'
import { rounded } from '../../measures/cost.ts'
import { type Changed, type ChangedFigure, type ChangedProgram, fewestSessions } from '../../model/changed.ts'
import type { Decision } from '../../model/recommendation.ts'
import { type Diagnostic, roundPercent } from '../../model/run.ts'
import type { Trace, TranscriptHead } from '../../model/trace.ts'
import { builtinModels } from '../../models/lookup.ts'
import type { ReferenceDigest } from '../../references/digest.ts'
import { resolveReferences } from '../../references/resolve.ts'
import type { ReadFiles } from '../analysis.ts'
import { bySession, momentsOf } from '../bill/by-session.ts'
import { countedCompactions } from '../bill/compaction-spending.ts'
import { dollars, Sum } from '../bill/spending-sum.ts'
import { billedOf, type TranscriptBill, transcriptBill } from '../bill/transcript-bill.ts'
import { headShape, transcriptBillShape } from '../files/piece-shapes.ts'
import { problemsOf } from '../files/read-sources.ts'
import { caseOf, type Plan } from '../plan.ts'
import type { Measured } from './candidate-sums.ts'
import { programOf } from './candidates.ts'
import { Decisions } from './decisions.ts'
import { triggerIn } from './present.ts'

/** What is kept of a transcript. */
export interface ChangedPart {
  readonly head: TranscriptHead
  readonly first: number
  readonly last: number
  readonly requests: number
  readonly compactions: number
  /** Tokens of the window that the agent compacted by itself; null where it did not. */
  readonly trigger: number | null
  /** Results of reads of what had been read before; null where nothing was ever read again, as for tools that nobody knows. */
  readonly rereadTokens: number | null
  readonly bill: TranscriptBill
}

const changedPart = object<ChangedPart>({
  head: headShape,
  ...{ first: time, last: time },
  ...each(['requests', 'compactions'], count),
  ...each(['trigger', 'rereadTokens'], orNull(count)),
  bill: transcriptBillShape,
})

/** What a transcript adds, as plain data. What could have been set is measured of those that had ended before the day. */
export interface ChangedPiece {
  readonly part: ChangedPart
  readonly measured: Measured | null
}

/**
 * @param plan how tokens are counted, and at what prices
 * @param day from which on the setting is another: milliseconds since the epoch
 */
export async function changed(read: ReadFiles, plan: Plan, day: number): Promise<Changed> {
  const decisions = new Decisions(plan)
  const parts: ChangedPart[] = []
  const diagnostics: Diagnostic[] = []
  const hasEnded = (trace: Trace): boolean => {
    const { last } = momentsOf(trace)
    return last > -Infinity && last < day
  }
  const files = read({
    plan: decisions.plan,
    measure: (trace): ChangedPiece => ({
      part: partOf(trace, plan),
      measured: hasEnded(trace) ? decisions.measure(trace) : null,
    }),
    knows: (trace) => !hasEnded(trace) || decisions.knows(trace),
    copied: null,
    piece: object<ChangedPiece>({ part: changedPart, measured: orNull(decisions.piece) }),
    start: (): ChangedPiece[] => [],
    add: (pieces, piece) => pieces.push(piece),
  })
  for await (const { source, report, part: pieces, copies } of files) {
    for (const { part, measured } of pieces) {
      parts.push(part)
      if (measured) decisions.add(measured)
    }
    for (const copy of copies) diagnostics.push(copy)
    for (const problem of problemsOf(source.name, report)) diagnostics.push(problem)
  }
  return { schemaVersion: 1, ...compared(parts, decisions.results(), day), diagnostics }
}

function partOf(part: Trace, plan: Plan): ChangedPart {
  const trace = part.whole
  const { sizes } = caseOf(trace, plan)
  const counts = (request: number): boolean => part.isResponse(trace.requestAt(request))
  const { reads } = resolveReferences(trace, trace.digest as ReferenceDigest)
  const tokens = reads.reduce(
    (sum, { request, result }) => sum + (counts(request) ? sizes.tokens(sizes.of(result)) : 0),
    0,
  )
  return {
    head: part.head,
    ...momentsOf(part),
    requests: part.requests,
    compactions: countedCompactions(part).length,
    trigger: triggerIn(part),
    rereadTokens: reads.length === 0 ? null : Math.round(tokens),
    bill: transcriptBill(billedOf(part, sizes, null, plan.prices ?? builtinModels)),
  }
}

/** A session with its sub-agents, or a conversation with its forks. */
interface OneSession {
  readonly program: string | null
  readonly isAfter: boolean
  /** In US dollars; null where no call has a price. */
  readonly usd: number | null
  readonly inputUsd: number
  readonly pricedRequests: number
  readonly requests: number
  readonly compactions: number
  readonly rereadTokens: number | null
  readonly triggers: readonly number[]
}

/** @param told what was to be set, by program, as the transcripts of before the day have it */
export function compared(
  parts: readonly ChangedPart[],
  told: readonly Decision[],
  day: number,
): Omit<Changed, 'schemaVersion' | 'diagnostics'> {
  let [straddling, undated] = [0, 0]
  const sessions: OneSession[] = []
  for (const own of bySession(parts, ({ head }) => head)) {
    const first = own.reduce((least, part) => Math.min(least, part.first), Infinity)
    const last = own.reduce((most, part) => Math.max(most, part.last), -Infinity)
    if (last === -Infinity) undated++
    else if (first < day && last >= day) straddling++
    else sessions.push(sessionOf(own, first >= day))
  }
  const programs = [...new Set(sessions.map(({ program }) => program))].map((program) => {
    const own = sessions.filter((one) => one.program === program)
    const decision = told.find((one) => one.scope !== 'all' && one.program === program) ?? null
    return { usd: own.reduce((sum, { usd }) => sum + (usd ?? 0), 0), program: programIn(program, own, decision) }
  })
  return {
    changed: new Date(day).toISOString(),
    transcripts: parts.length,
    straddling,
    undated,
    programs: programs.sort((a, b) => b.usd - a.usd).map(({ program }) => program),
  }
}

function sessionOf(parts: readonly ChangedPart[], isAfter: boolean): OneSession {
  const bill = new Sum()
  for (const part of parts) bill.merge(part.bill.sum)
  const sum = (of: (part: ChangedPart) => number): number => parts.reduce((total, part) => total + of(part), 0)
  const known = parts.flatMap(({ rereadTokens }) => rereadTokens ?? [])
  return {
    program: programOf((parts[0] as ChangedPart).head),
    isAfter,
    usd: bill.usd,
    inputUsd: bill.billed.input + dollars(bill.besideInput),
    pricedRequests: sum((part) => part.bill.requests),
    requests: sum(({ requests }) => requests),
    compactions: sum(({ compactions }) => compactions),
    rereadTokens: known.length === 0 ? null : known.reduce((total, tokens) => total + tokens, 0),
    triggers: parts.flatMap(({ trigger }) => trigger ?? []),
  }
}

function programIn(program: string | null, sessions: readonly OneSession[], told: Decision | null): ChangedProgram {
  const [before, after] = [false, true].map((isAfter) => sessions.filter((one) => one.isAfter === isAfter)) as [
    OneSession[],
    OneSession[],
  ]
  const means: readonly (readonly [ChangedFigure['figure'], (one: OneSession) => Observation | null])[] = [
    ['inputUsd', ({ usd, inputUsd }) => (usd === null ? null : { part: inputUsd, whole: 1 })],
    [
      'inputUsdByRequest',
      ({ usd, inputUsd, pricedRequests }) => (usd === null ? null : { part: inputUsd, whole: pricedRequests }),
    ],
    ['usd', ({ usd }) => (usd === null ? null : { part: usd, whole: 1 })],
    ['requests', ({ requests }) => ({ part: requests, whole: 1 })],
    ['compactions', ({ compactions }) => ({ part: compactions, whole: 1 })],
    ['rereadTokens', ({ rereadTokens }) => (rereadTokens === null ? null : { part: rereadTokens, whole: 1 })],
  ]
  const observed = (side: readonly OneSession[], of: (one: OneSession) => Observation | null) =>
    side.flatMap((one) => of(one) ?? [])
  const figures = [
    ...means.map(([figure, of]) => meanOf(figure, observed(before, of), observed(after, of))),
    thresholdOf(before, after),
  ]
  const [money] = figures as [ChangedFigure]
  return {
    program,
    verdict: verdictOf(money, told),
    sessionsBefore: before.length,
    sessionsAfter: after.length,
    told,
    figures,
  }
}

function meanOf(
  figure: ChangedFigure['figure'],
  before: readonly Observation[],
  after: readonly Observation[],
): ChangedFigure {
  const isEnough = before.length >= fewestSessions && after.length >= fewestSessions
  const change = changeBetween(before, after)
  const percentOf = (factor: number): number => roundPercent(100 * (factor - 1))
  const interval = isEnough && change ? change.interval : null
  return {
    figure,
    before: ratioOf(before),
    after: ratioOf(after),
    sessionsBefore: before.length,
    sessionsAfter: after.length,
    percent: change && percentOf(change.factor),
    low: interval && percentOf(interval.low),
    high: interval && percentOf(interval.high),
  }
}

function ratioOf(observations: readonly Observation[]): number | null {
  const [part, whole] = (['part', 'whole'] as const).map((key) =>
    observations.reduce((sum, one) => sum + one[key], 0),
  ) as [number, number]
  return whole === 0 ? null : rounded(part / whole)
}

/** Whose threshold moved shows at once. */
function thresholdOf(before: readonly OneSession[], after: readonly OneSession[]): ChangedFigure {
  const [front, behind] = [before, after].map((side) => side.flatMap(({ triggers }) => triggers)) as [
    number[],
    number[],
  ]
  const [from, to] = [medianOf(front), medianOf(behind)]
  return {
    figure: 'compactedTokens',
    before: from,
    after: to,
    sessionsBefore: front.length,
    sessionsAfter: behind.length,
    percent: from === null || to === null ? null : roundPercent(100 * (to / from - 1)),
    low: null,
    high: null,
  }
}

function verdictOf(
  { low, high, sessionsBefore, sessionsAfter }: ChangedFigure,
  told: Decision | null,
): ChangedProgram['verdict'] {
  if (sessionsBefore < fewestSessions || sessionsAfter < fewestSessions) return 'too-few'
  if (low === null || high === null) return 'untold'
  const saved = told?.recommended?.saved
  if (!saved) return high < 0 ? 'cheaper' : low > 0 ? 'dearer' : 'untold'
  // Without an interval of its own what was promised is a single figure.
  const [least, most] = [saved.low ?? saved.percent, saved.high ?? saved.percent]
  if (high < -most) return 'more'
  if (low > -least) return 'less'
  return high < 0 ? 'as-promised' : 'untold'
}
