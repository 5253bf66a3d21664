/**
 * Plans a probe: which requests of which sessions are asked about. Nothing is sent here. Of each session some are drawn, half of them
 * among those whose recorded response used what had left; what each stands for is its weight.
 */

import { compareTexts } from '../../base/compare.ts'
import { fingerprint } from '../../base/fingerprint.ts'
import { uniform } from '../../base/uniform.ts'
import type { Message, Preamble } from '../../model/message.ts'
import type { ProbeApi } from '../../model/probe.ts'
import type {
  AgeKind,
  LossKind,
  PlannedProbe,
  PlannedSummary,
  ProbePlan,
  SessionPlan,
  UnprobedReason,
} from '../../model/probed.ts'
import { unprobedReasons } from '../../model/probed.ts'
import type { Diagnostic } from '../../model/run.ts'
import type { Trace } from '../../model/trace.ts'
import type { FullTrace } from '../analyse.ts'
import type { ReadFiles } from '../analysis.ts'
import { problemsOf } from '../files/read-sources.ts'
import { caseOf, type Plan } from '../plan.ts'
import { preambleFor } from './preamble.ts'
import { Obstacles, type ProbedRequest, placeholdersIn, probedPlan, probedRequests } from './windows.ts'

export interface ProbeSettings {
  readonly api: ProbeApi
  /** The model that is asked. */
  readonly model: string
  readonly perSession: number
  readonly probes: number
  readonly seed: number
  /** Of a request that was captured; null where none is given. */
  readonly preamble: Preamble | null
  readonly withoutTools: boolean
}

/** The median of those that were recorded: see `claude-code-auto`. */
const usualSummaryTokens = 2700

/** A session before anything is drawn among sessions. */
type Piece = SessionPlan

/** @param plan of one policy and budget */
export async function planProbes(
  read: ReadFiles,
  plan: Plan,
  settings: ProbeSettings,
): Promise<{ readonly plan: ProbePlan; readonly diagnostics: readonly Diagnostic[] }> {
  const pieces: Piece[] = []
  const diagnostics: Diagnostic[] = []
  const files = read({
    plan: probedPlan(plan, settings.api),
    reads: { keepMessages: true },
    measure: (trace) => sessionPlan(trace, plan, settings),
    copied: null,
    start: (): Piece[] => [],
    add: (part, piece) => part.push(piece),
  })
  for await (const { source, report, part, copies } of files) {
    for (const piece of part) pieces.push(piece)
    for (const copy of copies) diagnostics.push(copy)
    for (const problem of problemsOf(source.name, report)) diagnostics.push(problem)
  }
  const { policies, budgets } = plan
  const [policy, budget] = [policies[0], budgets[0]]
  if (!policy || budget === undefined) throw new TypeError('a probe is of a policy and a budget')
  const sum = (of: (piece: Piece) => number): number => pieces.reduce((all, piece) => all + of(piece), 0)
  const sessions = drawn(pieces, settings)
  return {
    plan: {
      policy: policy.plugin.name,
      params: policy.values,
      budget,
      model: settings.model,
      api: settings.api,
      seed: settings.seed,
      transcripts: pieces.length,
      requests: sum(({ requests }) => requests),
      differing: sum(({ differing }) => differing),
      unprobed: reasonsOf((reason) => sum(({ unprobed }) => unprobed[reason])),
      planned: sessions.reduce((all, session) => all + session.probes.length, 0),
      among: sessions.length,
      sessions,
    },
    diagnostics,
  }
}

/** Sessions in an order drawn by the seed, until there are as many probes as are wanted. */
function drawn(pieces: readonly Piece[], { seed, probes }: ProbeSettings): Piece[] {
  const order = pieces
    .filter((piece) => piece.probes.length > 0)
    .map((piece) => ({ piece, place: uniform(seed ^ piece.drawing)() }))
    .sort((one, other) => one.place - other.place)
  const taken: Piece[] = []
  let count = 0
  for (const { piece } of order) {
    count += piece.probes.length
    if (count > probes) break
    taken.push(piece)
  }
  return taken
}

const numberOf = (text: string): number => fingerprint([text]) | 0

export const reasonsOf = (count: (reason: UnprobedReason) => number): Readonly<Record<UnprobedReason, number>> =>
  Object.fromEntries(unprobedReasons.map((reason) => [reason, count(reason)])) as Record<UnprobedReason, number>

/** Tells a transcript of a file from others, however many of them are read. */
export function keyOfSession({ head, length }: Trace, line: number): string {
  return `${head.file} ${head.conversation ?? ''} ${line} ${length}`
}

/** What can be asked about in a session, before any request is drawn. */
interface Candidate {
  readonly one: ProbedRequest
  readonly loss: LossKind
  readonly age: AgeKind
  readonly tool: string | null
}

function sessionPlan(trace: Trace, asked: Plan, settings: ProbeSettings): Piece {
  const plan = probedPlan(asked, settings.api)
  // Windows are those of the whole transcript, whatever of it other files have, too.
  const whole = trace.whole as FullTrace
  const facts = caseOf(whole, plan)
  const preamble = preambleFor(whole, settings.preamble)
  const obstacles = new Obstacles(facts, settings.api, settings.model, preamble.kind, settings.withoutTools)
  const unprobed = new Map<UnprobedReason, number>()
  const candidates: Candidate[] = []
  let differing = 0
  for (const one of probedRequests(whole, plan)) {
    // What another file has, too, counts there.
    if (!trace.isResponse(whole.requestAt(one.request))) continue
    differing++
    const reason = obstacles.of(one)
    if (reason !== null) unprobed.set(reason, (unprobed.get(reason) ?? 0) + 1)
    else {
      const loss = one.lostContent ? 'content' : one.lostCopies ? 'copied' : 'none'
      candidates.push({ one, loss, age: ageOf(one), tool: toolOf(whole, one.request) })
    }
  }
  const key = keyOfSession(whole, whole.length === 0 ? 0 : whole.line(0))
  // By what the session is and not by its name, which redaction replaces.
  const drawing = numberOf(
    whole.identity ?? `${whole.length} ${whole.requests} ${whole.length === 0 ? 0 : whole.line(0)}`,
  )
  const random = uniform(settings.seed ^ drawing)
  const perSession = Math.min(settings.perSession, settings.probes)
  const sample = sampleOf(candidates, perSession, random)
  return {
    key,
    drawing,
    file: whole.head.file,
    conversation: whole.head.conversation,
    requests: trace.requests,
    differing,
    unprobed: reasonsOf((reason) => unprobed.get(reason) ?? 0),
    preamble: preamble.kind,
    probes: planned(whole, sample, obstacles),
    summaries: summariesOf(sample, obstacles),
  }
}

function ageOf({ request, cut }: ProbedRequest): AgeKind {
  if (cut === null) return 'none'
  const age = request - cut
  return age <= 5 ? 'to 5' : age <= 25 ? 'to 25' : 'older'
}

function toolOf(trace: FullTrace, request: number): string | null {
  for (const { blocks } of responseOf(trace, request)) {
    for (const block of blocks) if (block.type === 'call') return block.name
  }
  return null
}

/** The messages of the recorded response to a request. */
export function responseOf(trace: FullTrace, request: number): readonly Message[] {
  const from = trace.requestAt(request)
  let to = from + 1
  while (to < trace.length && trace.role(to) === 'assistant' && !trace.isResponse(to)) to++
  return trace.messages.slice(from, to)
}

interface Drawn extends Candidate {
  readonly weight: number
}

/**
 * Half among those that used what had left, half among the others, as far as there are any; among each at equal distances in the order
 * of age and tool, from a place that is drawn.
 */
export function sampleOf(candidates: readonly Candidate[], most: number, random: () => number): Drawn[] {
  const lossy = candidates.filter(({ loss }) => loss !== 'none')
  const others = candidates.filter(({ loss }) => loss === 'none')
  const half = Math.min(lossy.length, Math.max(Math.ceil(most / 2), most - others.length))
  const drawn = [...spread(lossy, half, random), ...spread(others, most - half, random)]
  return drawn.sort((one, other) => one.one.request - other.one.request)
}

function spread(candidates: readonly Candidate[], most: number, random: () => number): Drawn[] {
  const count = Math.min(most, candidates.length)
  if (count === 0) return []
  const words = ({ loss, age, tool }: Candidate): string => `${loss} ${age} ${tool ?? ''}`
  const order = [...candidates].sort(
    (one, other) => compareTexts(words(one), words(other)) || one.one.request - other.one.request,
  )
  const step = order.length / count
  const start = random() * step
  return Array.from({ length: count }, (_, nth) => ({
    ...(order[Math.min(order.length - 1, Math.floor(start + nth * step))] as Candidate),
    weight: step,
  }))
}

function planned(trace: FullTrace, sample: readonly Drawn[], obstacles: Obstacles): PlannedProbe[] {
  let before: ProbedRequest | null = null
  return sample.map(({ one, loss, age, tool, weight }) => {
    const shared = (arm: 'full' | 'policy'): number =>
      before === null
        ? 0
        : Math.min(one[arm].tokens, obstacles.tokens(commonOf(before[arm].messages, one[arm].messages)))
    const probe: PlannedProbe = {
      request: one.request,
      loss,
      age,
      tool: tool === null ? null : trace.redaction.tool(tool),
      fullTokens: one.full.tokens,
      fullShared: shared('full'),
      policyTokens: one.policy.tokens,
      policyShared: shared('policy'),
      outputTokens: trace.usage(one.request)?.output ?? null,
      weight,
    }
    before = one
    return probe
  })
}

export function commonOf<T>(one: readonly T[], other: readonly T[]): readonly T[] {
  let same = 0
  while (same < one.length && one[same] === other[same]) same++
  return other.slice(0, same)
}

function summariesOf(sample: readonly Drawn[], obstacles: Obstacles): PlannedSummary[] {
  const read = new Map<Message, readonly Message[]>()
  for (const { one } of sample) {
    for (const placeholder of placeholdersIn(one.policy.messages, one.policy.unwritten))
      read.set(placeholder, one.policy.unwritten.get(placeholder) as readonly Message[])
  }
  return [...read.values()].map((messages) => ({
    readTokens: obstacles.tokens(messages),
    writtenTokens: usualSummaryTokens,
  }))
}
