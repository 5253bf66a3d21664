/** From traces to runs: every policy, estimator and budget of a plan, over a transcript. */
import { recountsOf } from '../model/recorded.ts'
import type { By, LostReference, References, TraceRun } from '../model/run.ts'
import type { Sizes } from '../model/sizes.ts'
import type { Trace } from '../model/trace.ts'
import type { NativeCounter, Policy, PolicyContext, PolicyRun } from '../policies/policy.ts'
import { providers } from '../providers/index.ts'
import { ReferenceDigest } from '../references/digest.ts'
import { type Loss, LostReferences } from '../references/lost.ts'
import { usersOf } from '../references/needs.ts'
import { heldAgainst, type Standard, standardOf } from './baseline.ts'
import { boundsOf } from './bounds.ts'
import { type Counted, countedBy } from './case.ts'
import { Guard, placeIn } from './guard.ts'
import {
  baselineOf,
  type Ceiling,
  type Chosen,
  ceilingOf,
  contextOf,
  nativeCounters,
  type Plan,
  today,
  windowOf,
} from './plan.ts'
import { type Observer, type Replayed, replay } from './replay.ts'
import { Rows } from './rows.ts'

/** Every run of a plan over one transcript, in the order policies, estimators, budgets. */
export function simulate(trace: Trace, plan: Plan, by: By = 'transcript'): TraceRun[] {
  return [...eachRun(trace, plan, by)]
}

/**
 * The same runs one by one, for a caller that does not keep them.
 * @param takes whether a policy of the plan is replayed on this transcript; default: all are
 */
export function* eachRun(
  trace: Trace,
  plan: Plan,
  by: By,
  takes: (policy: Policy) => boolean = () => true,
): Generator<TraceRun> {
  const estimated = plan.estimators.map((estimator, index) => countedBy(trace, plan, estimator, index))
  const budgets = plan.budgets.map((budget) => ceilingOf(trace, plan, budget))
  const cells = plan.policies
    .filter(({ plugin }) => takes(plugin))
    .flatMap((policy) =>
      estimated.flatMap((counted) => budgets.map((budget): Cell => ({ policy, counted, ...budget }))),
    )
  // A row that is a baseline as well is replayed first: the others find its figures then, and nothing is replayed twice.
  const ahead = new Map<Cell, TraceRun>()
  for (const { policy } of [today, baselineOf(plan)]) {
    for (const cell of cells)
      if (isSame(cell.policy, policy)) ahead.set(cell, ahead.get(cell) ?? runOf(trace, plan, cell, by))
  }
  for (const cell of cells) yield ahead.get(cell) ?? runOf(trace, plan, cell, by)
}

function runOf(trace: Trace, plan: Plan, cell: Cell, by: By): TraceRun {
  if (by === 'reference') {
    const lost: LostReference[] = []
    const run = simulateOne(trace, plan, cell, [], (loss) => lost.push(lostReference(trace, loss)))
    return { ...run, lost }
  }
  const rows = by === 'transcript' ? null : new Rows(by, cell.budget)
  const run = simulateOne(trace, plan, cell, rows ? [rows] : [])
  return rows ? { ...run, rows: rows.result() } : run
}

function lostReference(trace: Trace, { request, message, source, termClass, term, sourceLost }: Loss): LostReference {
  return {
    request,
    line: trace.line(message),
    sourceLine: source < 0 ? null : trace.line(source),
    class: termClass,
    term,
    tier: sourceLost ? 'source' : 'mention',
  }
}

/** The run of the plan's first policy, estimator and budget, with observers. */
export function replayOne(trace: Trace, plan: Plan, observers: readonly Observer[]): TraceRun {
  const [policy, estimator, budget] = [plan.policies[0], plan.estimators[0], plan.budgets[0]]
  if (!policy || !estimator || budget === undefined)
    throw new TypeError('a plan names a policy, an estimator and a budget')
  const cell = { policy, counted: countedBy(trace, plan, estimator, 0), ...ceilingOf(trace, plan, budget) }
  return simulateOne(trace, plan, cell, observers)
}

export interface Cell extends Ceiling {
  readonly policy: Chosen<Policy>
  readonly counted: Counted
}

/**
 * @param tell called with each lost reference, in the order of requests
 * @param which `every`: with each reference, whether it is lost or not
 */
export function simulateOne(
  trace: Trace,
  plan: Plan,
  cell: Cell,
  observers: readonly Observer[],
  tell: ((use: Loss) => void) | null = null,
  which: 'lost' | 'every' = 'lost',
): TraceRun {
  const { policy, counted, budget, budgetAsked } = cell
  const { source, unknownHistory, estimator, recorded } = counted
  const context = contextOf(trace.head, plan)
  const { replayed, references } = replayCell(trace, plan, cell, observers, tell, which)
  remember(cell, standardOf(replayed, references))
  const { messages, exchanges, requests, preambleTokens, believedTokens, firstFaults, exact, ...figures } = replayed
  const held = { ...figures, ...(references && { references }) }
  const standard = todayFor(trace, plan, counted)
  const baseline = baselineOf(plan)
  return {
    transcript: trace.head.file,
    conversation: trace.head.conversation,
    format: trace.head.format,
    model: context.model,
    policy: policy.plugin.name,
    params: policy.values,
    budget,
    ...(budgetAsked !== undefined && { budgetAsked }),
    estimator: counted.label,
    estimatorAsked: estimator,
    provider: context.provider,
    messages,
    exchanges,
    requests,
    ...(trace.whole !== trace && { requestsElsewhere: trace.whole.requests - requests }),
    recordedCalls: counted.calls.recordedCalls,
    requestsWithoutUsage: counted.calls.requestsWithoutUsage,
    unpricedCalls: counted.calls.unpriced.reduce((sum, [, calls]) => sum + calls, 0),
    preambleTokens,
    preambleSource: source,
    ...(unknownHistory !== null && { unknownHistoryTokens: unknownHistory }),
    ...held,
    ...(references && boundsFor(trace, cell, references)),
    ...(recorded ? { recorded } : {}),
    spent: counted.spent,
    today: heldAgainst(standard, held),
    against: { baseline: baseline.name, ...heldAgainst(baselineFor(trace, plan, counted, budget), held) },
    session: counted.session,
    unpriced: counted.calls.unpriced,
    terms: counted.calls.terms,
    exact: { ...exact, todayRecorded: standard.inputRecorded },
    foresight: counted.foresight,
    foresightTest: counted.foresightTest,
    predictionInterval: counted.predictionInterval,
    ...(plan.native && policy.plugin.native ? { believedTokens } : {}),
    ...(firstFaults.length > 0 ? { firstFaults } : {}),
  }
}

/** What no policy can be below, where the policy is to show how near one could come. */
function boundsFor(trace: Trace, { policy, counted, budget }: Cell, { headline }: References) {
  if (!policy.plugin.looksAhead || !(trace.digest instanceof ReferenceDigest)) return undefined
  return { bounds: boundsOf(trace, trace.digest, counted, budget, headline.sourceLost) }
}

/** @returns `references` only if the plan measures them */
function replayCell(
  trace: Trace,
  plan: Plan,
  { policy: { plugin, values }, counted, budget }: Cell,
  observers: readonly Observer[],
  tell: ((use: Loss) => void) | null = null,
  which: 'lost' | 'every' = 'lost',
): Ran {
  const { sizes } = counted
  const digest = trace.digest instanceof ReferenceDigest ? trace.digest : null
  const measured = digestOf(trace, plan)
  const lost = measured ? new LostReferences(trace, measured, sizes, tell, which) : null
  const believed = plan.native && plugin.native ? nativeSizes(trace, plan, plugin.native) : null
  const settings = settingsFor(trace, plan, counted)
  // What somebody watches cannot wait, and a program's own count is its own.
  const shares = observers.length === 0 && tell === null && believed === null
  const known = shares ? wholeAt(counted, budget) : null
  const replayUnder = (run: PolicyRun): Replayed =>
    replay(
      trace,
      {
        ...settings,
        policy: run,
        kind: plugin.kind,
        ...(plugin.summariesShareThePrompt && { summariesShareThePrompt: true }),
        ...(plugin.repeats && { repeats: true }),
        budgetless: plugin.budgetless === true,
        budget,
        ...(believed ? { believed } : {}),
      },
      lost ? [lost, ...observers] : observers,
      shares ? { known: known?.replayed ?? null } : null,
    )
  const context = { ...knownOf(trace, plan), ...(plugin.looksAhead && digest && { users: usersOf(trace, digest) }) }
  const { module, seconds } = plugin
  const replayed =
    module === undefined
      ? replayUnder(plugin.start(values, context))
      : new Guard({ module, seconds, place: placeIn(trace), trial: false }).run(plugin, values, context, replayUnder)
  if (known && replayed.exact.edits === 0) return { replayed, references: known.references }
  const ran = { replayed, references: lost?.result() }
  if (shares && replayed.exact.edits === 0) wholes.get(counted)?.set(budget, ran)
  return ran
}

/** Null where references are not measured. */
function digestOf(trace: Trace, plan: Plan): ReferenceDigest | null {
  return plan.references !== false && trace.digest instanceof ReferenceDigest ? trace.digest : null
}

interface Ran {
  readonly replayed: Replayed
  readonly references: References | undefined
}

/** By budget: the run of the policies that never edit. It is the same for all of them. */
const wholes = new WeakMap<Counted, Map<number, Ran>>()

function wholeAt(counted: Counted, budget: number): Ran | null {
  const known = wholes.get(counted) ?? new Map<number, Ran>()
  wholes.set(counted, known)
  return known.get(budget) ?? null
}

/** The settings of a replay that do not depend on the policy. */
function settingsFor(trace: Trace, plan: Plan, { sizes, pricing, cache }: Counted) {
  const { provider } = contextOf(trace.head, plan)
  return {
    sizes,
    modelWindow: windowOf(trace, plan),
    pricing,
    cache,
    beginsWithUser: providers[provider].beginsWithUser,
  }
}

export function knownOf(trace: Trace, plan: Plan): PolicyContext {
  return {
    model: contextOf(trace.head, plan).model,
    cwd: trace.head.cwd,
    systemMessages: trace.preamble.system.length,
    compactions: trace.compactions,
    clearings: trace.clearings,
    // Only what replays the recorded agent asks for them, and finding them takes as long as part of a replay.
    get recounts() {
      return recountsOf(trace)
    },
  }
}

/** Kept as long as what was counted, as they are the same for every policy. */
const standards = new WeakMap<Counted, Known[]>()

interface Known {
  readonly policy: Chosen<Policy>
  readonly budget: number
  readonly standard: Standard
}

function remember({ policy, counted, budget }: Cell, standard: Standard): void {
  const known = standards.get(counted) ?? []
  standards.set(counted, known)
  known.push({ policy, budget, standard })
}

/** What the plan's baseline does at a budget. */
export function baselineFor(trace: Trace, plan: Plan, counted: Counted, budget: number): Standard {
  return standardFor(trace, plan, { policy: baselineOf(plan).policy, counted, budget })
}

/** What the recorded agent did itself. */
export function todayFor(trace: Trace, plan: Plan, counted: Counted): Standard {
  return standardFor(trace, plan, { policy: today.policy, counted, budget: 0 })
}

function standardFor(trace: Trace, plan: Plan, cell: Cell): Standard {
  const { policy, counted, budget } = cell
  const known = standards
    .get(counted)
    ?.find((one) => isSame(one.policy, policy) && (policy.plugin.budgetless || one.budget === budget))
  if (known) return known.standard
  const find = (): Standard => {
    const { replayed, references } = replayCell(trace, plan, cell, [])
    return standardOf(replayed, references)
  }
  // Who compares modes of the cache counts once for all of them.
  const words = `today ${digestOf(trace, plan) !== null} ${plan.cache ?? 'recorded'} ${counted.words}`
  const standard = isSame(policy, today.policy) ? trace.memo(words, find) : find()
  remember(cell, standard)
  return standard
}

function isSame(one: Chosen<Policy>, other: Chosen<Policy>): boolean {
  return one.plugin === other.plugin && JSON.stringify(one.values) === JSON.stringify(other.values)
}

function nativeSizes(trace: Trace, plan: Plan, counter: NativeCounter): Sizes {
  const meter = plan.estimators.length + nativeCounters(plan).indexOf(counter)
  const perToken = counter.unitsPerToken ?? 1
  return {
    preamble: counter.preamble(trace.preamble, trace.head.file),
    joins: { first: 0, next: 0, continued: 0 },
    of: (index) => trace.units(index, meter),
    message: (message) => counter.message(message, trace.head.file),
    tokens: (units) => (counter.roundsUp ? Math.ceil(units / perToken) : Math.floor(units / perToken)),
    units: (tokens) => tokens * perToken,
  }
}
