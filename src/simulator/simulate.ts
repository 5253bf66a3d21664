/** From a case to runs: policies at budgets. */
import { type Chosen, identityOf } from '../base/chosen.ts'
import { keyOf } from '../base/key.ts'
import { isTold } from '../model/recorded.ts'
import {
  type By,
  type Copied,
  type CopiedByKind,
  type LostReference,
  noCopied,
  ofEachKind,
  type References,
  type TraceRun,
} from '../model/run.ts'
import type { Sizes } from '../model/sizes.ts'
import { bindsThoughts } from '../model/thoughts.ts'
import type { Trace } from '../model/trace.ts'
import { copiesProven } from '../models/copies-proven.ts'
import { keepsPairs, type Native, type Policy, type RestartableRun, started } from '../policies/policy.ts'
import { providers } from '../providers/index.ts'
import {
  CopiesHad,
  type CopyingRequest,
  type CountedCopies,
  copiesOf,
  countedCopies,
  isLost,
  LostCopies,
} from '../references/copied/lost-copies.ts'
import { ReferenceDigest } from '../references/digest.ts'
import { type Loss, LostReferences } from '../references/lost.ts'
import { usersByNameOf, usersOf } from '../references/needs.ts'
import { originOf, resolveReferences } from '../references/resolve.ts'
import { heldAgainst, type Ran, type Standard, standardOf, today } from './baseline.ts'
import { boundsOf } from './bounds.ts'
import { Case, type Ceiling, type NativeMeter } from './case.ts'
import { Guard, placeIn } from './guard.ts'
import { type Observer, type Replayed, replay, type Settings } from './replay.ts'
import { Rows } from './rows.ts'
import { replayFromFirstEdit } from './unedited.ts'

/** A policy at a budget, over a case. */
export interface Cell extends Ceiling {
  readonly policy: Chosen<Policy>
  readonly facts: Case
}

/** The runs of cells of one transcript, one by one, for a caller that does not keep them. */
export function* eachRun(cells: readonly Cell[], by: By): Generator<TraceRun> {
  // A row that is a baseline as well is replayed first: the others find its figures then, and nothing is replayed
  // twice.
  const ahead = new Map<Cell, TraceRun>()
  for (const isAhead of [isToday, isBaseline]) {
    for (const cell of cells) if (isAhead(cell)) ahead.set(cell, ahead.get(cell) ?? runOf(cell, by))
  }
  for (const cell of cells) yield ahead.get(cell) ?? runOf(cell, by)
}

const isToday = ({ policy }: Cell): boolean => isSame(policy, today.policy)
const isBaseline = ({ policy, facts }: Cell): boolean => isSame(policy, facts.inputs.baseline.policy)

function runOf(cell: Cell, by: By): TraceRun {
  if (by === 'reference') {
    const lost: LostReference[] = []
    const { trace } = cell.facts
    const tell = (loss: Loss) => lost.push(lostReference(trace, loss))
    const tellCopy = (one: CopyingRequest) => one.kind !== null && isLost(one) && lost.push(lostCopy(cell.facts, one))
    const run = simulateOne(cell, [], tell, 'lost', tellCopy)
    return { ...run, lost: lost.sort((one, other) => one.request - other.request) }
  }
  const rows = by === 'transcript' ? null : new Rows(by, cell.budget)
  const run = simulateOne(cell, rows ? [rows] : [])
  return rows ? { ...run, rows: rows.result() } : run
}

function lostReference(trace: Trace, { request, message, source, termClass, term, sourceLost }: Loss): LostReference {
  return {
    request,
    line: trace.line(message),
    sourceLine: source < 0 ? null : trace.line(source),
    class: termClass,
    kind: null,
    term,
    tier: sourceLost ? 'source' : 'mention',
  }
}

function lostCopy({ trace, digest }: Case, { request, kind, message, source }: CopyingRequest): LostReference {
  const [line, sourceLine] = [trace.line(message), trace.line(source)]
  const origin = digest && originOf(trace, resolveReferences(trace, digest), source)
  const term = origin === null ? null : trace.redaction.text(origin)
  return { request, line, sourceLine, class: 'copied', kind, term, tier: 'source' }
}

/**
 * @param tell called with each lost reference, in the order of requests
 * @param which `every`: with each reference, whether it is lost or not
 * @param tellCopy called with each request that copied, in their order: with all of it, and with each kind
 */
export function simulateOne(
  cell: Cell,
  observers: readonly Observer[],
  tell: ((use: Loss) => void) | null = null,
  which: 'lost' | 'every' = 'lost',
  tellCopy: ((one: CopyingRequest) => void) | null = null,
): TraceRun {
  const { policy, facts, budget, budgetAsked } = cell
  const { trace, context, bill, counted, foreseen } = facts
  const { recorded, spent, calls } = bill
  const { source, unknownHistory, label } = counted
  const ran = replayCell(cell, observers, tell, which, tellCopy)
  remember(cell, ran)
  const { replayed, references } = ran
  const { messages, exchanges, requests, preambleTokens, believedTokens, firstFaults, exact, ...figures } = replayed
  const held = { ...figures, ...(references && { references }) }
  const standard = todayFor(facts)
  const { baseline, native } = facts.inputs
  return {
    transcript: trace.head.file,
    conversation: trace.head.conversation,
    format: trace.head.format,
    model: context.model,
    policy: policy.plugin.name,
    params: policy.values,
    budget,
    ...(budgetAsked !== undefined && { budgetAsked }),
    estimator: label,
    estimatorAsked: facts.estimator,
    provider: context.provider,
    messages,
    exchanges,
    requests,
    ...(trace.whole !== trace && { requestsElsewhere: trace.whole.requests - requests }),
    recordedCalls: calls.recordedCalls,
    requestsWithoutUsage: calls.requestsWithoutUsage,
    unpricedCalls: calls.unpriced.reduce((sum, [, calls]) => sum + calls, 0),
    preambleTokens,
    preambleSource: source,
    ...(unknownHistory !== null && { unknownHistoryTokens: unknownHistory }),
    ...held,
    thinkingLostTokens: isBound(facts) === null ? null : held.thinkingLostTokens,
    ...(references && boundsFor(cell, references)),
    ...(recorded ? { recorded } : {}),
    spent,
    today: heldAgainst(standard, held),
    against: { baseline: baseline.name, ...heldAgainst(baselineFor(facts, budget), held) },
    session: facts.session,
    unpriced: calls.unpriced,
    terms: calls.terms,
    exact: { ...exact, todayRecorded: standard.inputRecorded },
    foresight: foreseen.foresight,
    foresightTest: foreseen.test,
    predictionInterval: facts.intervalOf(figures.sentTokens, requests),
    ...(native && policy.plugin.native ? { believedTokens } : {}),
    ...(firstFaults.length > 0 ? { firstFaults } : {}),
  }
}

/** What no policy can be below, where the policy is to show how near one could come. */
function boundsFor({ policy, facts, budget }: Cell, { headline }: References) {
  const { trace, digest } = facts
  if (!policy.plugin.looksAhead || digest === null) return undefined
  return { bounds: boundsOf(trace, digest, facts, budget, headline.sourceLost) }
}

/** @returns `references` only if the case measures them */
function replayCell(
  { policy: { plugin, values }, facts, budget }: Cell,
  observers: readonly Observer[],
  tell: ((use: Loss) => void) | null = null,
  which: 'lost' | 'every' = 'lost',
  tellCopy: ((one: CopyingRequest) => void) | null = null,
  judgesCopies = facts.inputs.copies,
): Ran {
  const { trace, sizes, digest } = facts
  const lost = digest ? new LostReferences(trace, digest, sizes, tell, which) : null
  const recorded = judgesCopies ? recordedCopies(facts) : null
  const copied = digest && recorded ? new LostCopies(trace, digest, recorded, tellCopy) : null
  const believed = facts.inputs.native && plugin.native ? nativeSizes(facts, plugin.native) : null
  const settings = settingsFor(facts)
  // Who looks at each request as it happens, and a policy that counts for itself and cannot reuse our counts, disable
  // the shortcut. Nothing is lost before the first edit.
  const shares = observers.every(({ waits }) => waits) && (tell === null || which === 'lost') && believed === null
  const { wholes } = facts
  // What repeats the recorded requests has their recorded sizes: no other policy does.
  const isShared = shares && !plugin.repeats && judgesCopies === facts.inputs.copies
  const known = isShared ? (wholes.get(budget) ?? null) : null
  const replayUnder = (run: RestartableRun): Replayed => {
    const asked: Settings = {
      ...settings,
      policy: run,
      kind: plugin.kind,
      keepsPairs: keepsPairs(plugin, values),
      ...(plugin.summariesShareThePrompt && { summariesShareThePrompt: true }),
      ...(plugin.repeats && { repeats: true }),
      bindsThoughts: isBound(facts) === true && !plugin.serverSide && !plugin.repeats,
      budget,
      ...(believed ? { believed } : {}),
    }
    const measures = [...(lost ? [lost] : []), ...(copied ? [copied] : [])]
    if (shares) return replayFromFirstEdit(trace, asked, known?.replayed ?? null, measures, observers)
    return replay(trace, asked, [...measures, ...observers])
  }
  const read = trace.digest instanceof ReferenceDigest ? trace.digest : null
  const ahead = plugin.looksAhead && read && { users: usersOf(trace, read), usersByName: usersByNameOf(trace, read) }
  const context = { ...facts.known, ...ahead }
  const { module, seconds } = plugin
  const replayed =
    module === undefined
      ? replayUnder(started({ plugin, values }, context))
      : new Guard({ module, seconds, place: placeIn(trace), trial: false }).run(plugin, values, context, replayUnder)
  if (known && replayed.exact.edits === 0) return { replayed, references: known.references }
  const ran = {
    replayed,
    references: lost
      ? { ...lost.result(), ...(judgesCopies && { copied: copiedIn(facts, copied?.result() ?? null) }) }
      : undefined,
  }
  if (isShared && replayed.exact.edits === 0) wholes.set(budget, ran)
  return ran
}

/** Whether the provider takes reasoning back only behind what has not changed; null where it is not known. */
export const isBound = ({ context }: Case): boolean | null => bindsThoughts(context.model)

/** The copies that a window is held against; null if they are unknown or were not read. */
export function recordedCopies(facts: Case): CountedCopies | null {
  const { trace, digest } = facts
  if (digest === null || !facts.inputs.copies || digest.copied.isFull || !trace.compactions.every(isTold)) return null
  if (facts.copied) return facts.copied.text
  const { had, floor } = facts.memo('copied', () => {
    const had = new CopiesHad(trace, digest)
    // A run is held against this replay besides, and need not make it once more.
    const cell = { policy: today.policy, facts, budget: 0 }
    keep(cell, standardOf(replayCell(cell, [had], null, 'lost', null, false)))
    return had.result()
  })
  facts.copied = { text: countedCopies(copiesOf(trace, digest), had), floor }
  return facts.copied.text
}

/** @param counts of a run; null where `recordedCopies` is */
export function copiedIn({ copied, trace }: Case, counts: CopiedByKind | null): Copied {
  if (counts === null || copied === null) return { ...noCopied, unjudged: 1 }
  const { byKind: kinds, ...all } = counts
  const { byKind: floors, ...floor } = copied.floor
  const text = { ...all, floor }
  const byKind = ofEachKind((kind) => ({ ...kinds[kind], floor: floors[kind] }))
  return { ...text, shown: copiesProven.has(trace.head.format) ? text : noCopied.shown, byKind, unjudged: 0 }
}

/** The settings of a replay that do not depend on the policy. */
function settingsFor({ sizes, pricing, cache, wholeBill, rewritten, window, context }: Case) {
  const { beginsWithUser } = providers[context.provider]
  return { sizes, modelWindow: window, pricing, cache, wholeBill, rewritten, beginsWithUser }
}

/** What the case's baseline does at a budget. */
export const baselineFor = (facts: Case, budget: number): Standard =>
  standardFor({ policy: facts.inputs.baseline.policy, facts, budget })

/** What the recorded agent did itself. */
export const todayFor = (facts: Case): Standard => standardFor({ policy: today.policy, facts, budget: 0 })

function standardFor(cell: Cell): Standard {
  const { policy, facts, budget } = cell
  const known = facts.standards.find(
    (one) => isSame(one.policy, policy) && (policy.plugin.budgetless || one.budget === budget),
  )
  if (known) return known.standard
  const find = (): Standard => standardOf(replayCell(cell, [], null, 'lost', null, false))
  if (policy.plugin.module !== undefined) return keep(cell, facts.trace.memo(null, find))
  return keep(cell, facts.memo(isToday(cell) ? 'today' : `baseline ${keyOf([identityOf(policy), budget])}`, find))
}

/** What is held against others later need not be replayed again for that. */
function remember(cell: Cell, ran: Ran): void {
  if (isToday(cell) || isBaseline(cell)) keep(cell, standardOf(ran))
}

function keep(cell: Cell, standard: Standard): Standard {
  const { policy, facts, budget } = cell
  if (isToday(cell)) facts.memo('today', () => standard)
  facts.standards.push({ policy, budget, standard })
  return standard
}

const isSame = (one: Chosen<Policy>, other: Chosen<Policy>): boolean =>
  one.plugin === other.plugin && (one.values === other.values || keyOf(one.values) === keyOf(other.values))

function nativeSizes({ trace, inputs }: Case, counter: Native): Sizes {
  const { meters } = inputs
  const { at, estimator = inputs.estimator } = meters.native.get(counter) as NativeMeter
  // What it would count in the place of the run's estimator, an inferred preamble included.
  if (!('message' in counter)) return new Case(trace, { ...inputs, estimator, meters: { ...meters, own: at } }).sizes
  const perToken = counter.unitsPerToken ?? 1
  return {
    preamble: counter.preamble(trace.preamble, trace.head.file),
    joins: () => 0,
    of: (index) => trace.units(index, at),
    message: (message) => counter.message(message, trace.head.file),
    tokens: (units) => (counter.roundsUp ? Math.ceil(units / perToken) : Math.floor(units / perToken)),
    units: (tokens) => tokens * perToken,
  }
}
