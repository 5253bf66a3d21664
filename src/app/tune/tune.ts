/**
 * Tunes: looks for the composition of knobs that is cheapest on recorded sessions within a tolerance, by what messages are worth.
 * Learned coefficients are taken as they are shipped. Only how often things are used at all is fitted to the sessions, and what a lost
 * use is held to cost, where the window is capped, what happens to a message and how far ahead is looked are searched: first on a
 * grid, then around the best.
 *
 * What was chosen on all sessions looks better than it is. So the choice is made once more without each of some folds of them, and
 * what it comes to there is added up: these are the held-out figures.
 */
import { type Chosen, choose } from '../../base/chosen.ts'
import { uniform } from '../../base/uniform.ts'
import { pluginWords } from '../../check/labels.ts'
import { paretoFront } from '../../measures/pareto.ts'
import type { Diagnostic } from '../../model/run.ts'
import { roundPercent } from '../../model/run.ts'
import type { Tolerance } from '../../model/tolerance.ts'
import type { Trace } from '../../model/trace.ts'
import {
  fewestRequests,
  fewestTuned,
  type HeldOut,
  type Tuned,
  type TunedKind,
  type TunedRow,
  type Tuning,
  type TuningOutcome,
  tunedKinds,
} from '../../model/tuning.ts'
import clairvoyant from '../../policies/clairvoyant.ts'
import knobs, { startKnobs } from '../../policies/knobs/knobs.ts'
import { shippedModels, type ValueModels } from '../../policies/knobs/value/valuing.ts'
import type { Policy } from '../../policies/policy.ts'
import type { Case } from '../../simulator/case.ts'
import type { ReadFiles } from '../analysis.ts'
import { allSettings, overTargets, settingsFor, usualTargets } from '../answer/candidates.ts'
import { problemsOf } from '../files/read-sources.ts'
import { caseOf, type Plan } from '../plan.ts'
import { oddsIn } from './odds.ts'
import { type Candidate, sumOf, type Trial, Trials, unitOf } from './trials.ts'

/** So many sessions are kept in memory with their text. */
const mostSessions = 60

export interface TuneSettings {
  readonly tolerance: Tolerance
  readonly folds: number
  /** Asked between two trials: whether there is no more time, or somebody wants the best so far. */
  isEnough(): Promise<boolean>
  /** Told of each trial: how many there were, and how many of the grid there will be. */
  tell?(tried: number, planned: number): void
}

/** @param plan how tokens are counted, and at what prices; its policies and budgets do not matter */
export async function tune(read: ReadFiles, plan: Plan, settings: TuneSettings): Promise<Tuning> {
  const tuned: Plan = { ...plan, policies: [choose(knobs), choose(clairvoyant)], references: true }
  const longest: Trace[] = []
  const diagnostics: Diagnostic[] = []
  let [transcripts, count] = [0, 0]
  const files = read({
    plan: tuned,
    measure(trace) {
      transcripts++
      if (trace.requests < fewestRequests) return 0
      longest.push(trace)
      if (longest.length > mostSessions) {
        longest.sort((one, other) => other.requests - one.requests)
        longest.pop()
      }
      return 1
    },
    copied: null,
    start: () => ({ count: 0 }),
    add: (part, piece) => {
      part.count += piece
    },
  })
  for await (const { source, report, part, copies } of files) {
    count += part.count
    for (const copy of copies) diagnostics.push(copy)
    for (const problem of problemsOf(source.name, report)) diagnostics.push(problem)
  }
  const cases = longest.map((trace) => caseOf(trace, tuned))
  return { ...(await tuneCases(cases, settings)), transcripts, read: count, diagnostics }
}

async function tuneCases(
  cases: readonly Case[],
  settings: TuneSettings,
): Promise<Omit<Tuning, 'transcripts' | 'read' | 'diagnostics'>> {
  const { tolerance, folds } = settings
  const trials = new Trials(cases)
  const { uses, today, all } = trials
  const odds = oddsIn(cases, shippedModels.learned)
  const complete = cases.length >= fewestTuned && (await search(trials, { odds }, rivals(), settings))
  const [learned, others] = [['learned'], ['aged', 'stay', 'preset']].map((kinds) =>
    tunedOf(trials, kinds as readonly TunedKind[], tolerance, folds),
  ) as [Tuned | null, Tuned | null]
  const times = cases
    .flatMap(({ session: { first, last } }) => [first, last])
    .filter((time) => !Number.isNaN(time))
    .sort((one, other) => one - other)
  return {
    schemaVersion: 1,
    outcome: cases.length < fewestTuned ? 'too few sessions' : outcomeOf(learned, others),
    tolerance,
    sessions: cases.length,
    requests: cases.reduce((sum, { trace }) => sum + trace.requests, 0),
    first: dayOf(times[0]),
    last: dayOf(times.at(-1)),
    unit: unitOf(cases),
    todayPaid: sumOf(today.paid, all),
    contentLost: sumOf(today.content, all),
    contentUses: sumOf(uses.content, all),
    namesLost: sumOf(today.names, all),
    namesUses: sumOf(uses.names, all),
    odds,
    folds,
    tried: trials.tried.length,
    complete,
    tuned: learned,
    others,
    rows: rowsOf(trials, tolerance),
  }
}

const dayOf = (time: number | undefined): string | null =>
  time === undefined ? null : new Date(time).toISOString().slice(0, 10)

function outcomeOf(learned: Tuned | null, others: Tuned | null): TuningOutcome {
  if (!learned) return others ? 'no better' : 'nothing fits'
  if (!others) return 'better'
  const [own, other] = [learned, others].map(({ row, heldOut }) => heldOut?.changePercent ?? row.changePercent)
  return (own as number) < (other as number) ? 'better' : 'no better'
}

/** What is searched: the words of the knobs that are not the same in all. */
interface Place {
  readonly operation: keyof typeof operations
  /** Thousands of tokens that a lost use is held to cost. */
  readonly price: number
  readonly watermark: number
  readonly cap: number
  readonly requests: number
  readonly times: number
}

/** For each operation, what is taken as a whole, and what is never taken. */
const operations = {
  drop: { unit: 'step', protect: 'last:2' },
  'strip+drop-thinking': { unit: 'message', protect: 'last:4' },
  mask: { unit: 'result', protect: 'last:2' },
} as const

/** The dearest first: the cheaper a lost use, the more is lost. */
const prices = [400, 280, 190, 130, 90, 65, 45, 30]
/** In percent of later uses: what loses so many more than it may is not worth looking around. */
const farBeyond = 5
const watermarks = [0.55, 0.75, 0.9]
const usualPlace = { cap: 190_000, requests: 40, times: 2 }
const caps = [100_000, 130_000, 160_000, 190_000]
const presetBudgets = caps
const agedPrices = [45, 90, 180, 360]
/** For each kind of message: how many requests it stays. */
const stays = ['80:20:2', '40:10:2', '160:40:5']

type Values = Readonly<Record<string, unknown>>

function valuesOf(place: Place, target: string): Values {
  const { operation, watermark, requests, times } = place
  return {
    ...operations[operation],
    operation,
    trigger: `pays:${requests}:${times}/over`,
    target: `${target}+watermark:${watermark}`,
    order: 'value',
  }
}

const grid = (): Place[] =>
  prices.flatMap((price) =>
    watermarks.flatMap((watermark) =>
      (Object.keys(operations) as (keyof typeof operations)[]).map((operation) => ({
        ...usualPlace,
        operation,
        price,
        watermark,
      })),
    ),
  )

/** What a learned policy has to beat, and what none can be better than. */
export function rivals(): Candidate[] {
  const of = (kind: TunedKind, operation: keyof typeof operations, target: string): Candidate[] =>
    watermarks.map((watermark) => ({
      kind,
      policy: choose<Policy>(knobs, valuesOf({ ...usualPlace, operation, price: 0, watermark }, target)),
      budget: usualPlace.cap,
    }))
  const learnless = (['drop', 'strip+drop-thinking'] as const).flatMap((operation) => [
    ...agedPrices.flatMap((price) => of('aged', operation, `aged:${price}k`)),
    ...stays.flatMap((stay) => of('stay', operation, `stay:${stay}`)),
  ])
  return [...foresight(), ...learnless, ...presets()]
}

/** What the search goes by, where it is not what is usual. */
interface Learned {
  readonly odds: number
  readonly models?: ValueModels
  /** Which sessions it may look at; default all. */
  readonly sessions?: ArrayLike<number>
}

/**
 * Tries a grid of learned policies and what they have to beat, then what is around the best, until it is enough.
 * @returns whether the search came to its end
 */
export async function search(
  trials: Trials,
  { odds, models = shippedModels, sessions = trials.all }: Learned,
  others: readonly Candidate[],
  { tolerance, isEnough, tell }: Omit<TuneSettings, 'folds'>,
): Promise<boolean> {
  const knobsOf: Policy =
    models === shippedModels
      ? knobs
      : { ...knobs, start: (values, context) => startKnobs(values as never, context, models) }
  const learned = (place: Place): Candidate => ({
    kind: 'learned',
    policy: choose<Policy>(knobsOf, valuesOf(place, `value:${Math.round(place.price * 1000)}:${odds}`)),
    budget: place.cap,
  })
  const places = new Map(grid().map((place) => [learned(place), place]))
  const planned = [...places.keys(), ...others]
  /** Of the grid, what lost too much: at a lower price it would lose more. */
  const hopeless = new Set<string>()
  const chainOf = ({ operation, watermark }: Place): string => `${operation} ${watermark}`
  const tried = new Map<Trial, Place>()
  let count = 0
  const attempt = (one: Candidate, place: Place | undefined): Trial => {
    const trial = trials.try(one)
    if (place) tried.set(trial, place)
    tell?.(++count, planned.length)
    return trial
  }
  for (const one of planned) {
    if (await isEnough()) return false
    const place = places.get(one)
    if (place && hopeless.has(chainOf(place))) {
      tell?.(++count, planned.length)
      continue
    }
    const trial = attempt(one, place)
    const { content, names } = trials.outcome(trial, tolerance, sessions)
    if (place && 100 * Math.max(content.measured, names.measured) > farBeyond + tolerance.percent)
      hopeless.add(chainOf(place))
  }
  // Around the best, until nothing there is better.
  for (;;) {
    const best = nearest(trials, [...tried.keys()], tolerance, sessions)
    const around = neighbours(tried.get(best) as Place)
    const before = tried.size
    for (const place of around) {
      if (await isEnough()) return false
      attempt(learned(place), place)
    }
    if (tried.size === before || nearest(trials, [...tried.keys()], tolerance, sessions) === best) return true
  }
}

/** The best; where none is within the tolerance, the one that loses least beyond it. */
function nearest(trials: Trials, all: readonly Trial[], tolerance: Tolerance, sessions: ArrayLike<number>): Trial {
  const worst = (trial: Trial): number => {
    const { content, names } = trials.outcome(trial, tolerance, sessions)
    return Math.max(content.measured, names.measured)
  }
  const best = trials.best(all, tolerance, sessions)
  return best ?? all.reduce((least, trial) => (worst(trial) < worst(least) ? trial : least))
}

function neighbours(place: Place): Place[] {
  const { price, watermark, cap, requests, times } = place
  const rounded = (value: number) => Number(value.toFixed(2))
  return [
    { ...place, price: rounded(price * 0.8) },
    { ...place, price: rounded(price * 1.25) },
    ...[-0.1, 0.1].map((step) => ({ ...place, watermark: rounded(Math.min(0.95, Math.max(0.25, watermark + step))) })),
    ...caps
      .filter((other) => Math.abs(caps.indexOf(other) - caps.indexOf(cap)) === 1)
      .map((other) => ({ ...place, cap: other })),
    // What a use costs is in proportion to how many requests are still to come.
    ...[0.5, 2].map((factor) => ({ ...place, requests: requests * factor, price: rounded(price * factor) })),
    ...[1, 2, 4].filter((other) => other !== times).map((other) => ({ ...place, times: other })),
  ].filter((one) => one.requests >= 10 && one.requests <= 160)
}

function foresight(): Candidate[] {
  return ['names', 'content'].map((keep) => ({
    kind: 'foresight',
    policy: choose<Policy>(clairvoyant, { keep }),
    budget: usualPlace.cap,
  }))
}

/** Common practice, and the settings of the programs, that write no summary of which no word is known. */
function presets(): Candidate[] {
  const of = (settings: readonly Chosen<Policy>[], everywhere: boolean): Candidate[] =>
    overTargets(settings, usualTargets)
      .filter(({ plugin }) => !plugin.inserts)
      .flatMap((policy) =>
        presetBudgets.map((budget) => ({ kind: 'preset', policy, budget, ...(everywhere && { everywhere }) })),
      )
  // What can be built into an agent of one's own can be built into any.
  return [...of(settingsFor(null), true), ...of(allSettings(), false)]
}

/** The best of some kinds, and what comes of choosing it without the sessions that it is judged by. */
export function tunedOf(
  trials: Trials,
  kinds: readonly TunedKind[],
  tolerance: Tolerance,
  folds: number,
): Tuned | null {
  const own = trials.tried.filter(({ candidate }) => kinds.includes(candidate.kind))
  const best = trials.best(own, tolerance)
  if (!best) return null
  return { row: rowOf(trials, best, tolerance, false), heldOut: heldOut(trials, own, tolerance, folds) }
}

/** By session: in which part it is, drawn at random, but always the same. */
export function foldsOf(sessions: number, folds: number): Int32Array {
  const random = uniform(0x7a11)
  const order = Array.from({ length: sessions }, (_, at) => ({ at, place: random() }))
  const part = new Int32Array(sessions)
  order.sort((one, other) => one.place - other.place)
  for (const [nth, { at }] of order.entries()) part[at] = nth % folds
  return part
}

/** Where nothing fits on the other folds, today's setting stays. */
function heldOut(trials: Trials, own: readonly Trial[], tolerance: Tolerance, folds: number): HeldOut {
  const { today, all } = trials
  const part = foldsOf(all.length, folds)
  const mixed = { paid: today.paid.slice(), content: today.content.slice(), names: today.names.slice() }
  for (let fold = 0; fold < folds; fold++) {
    const inside = all.filter((at) => part[at] !== fold)
    const chosen = trials.best(own, tolerance, inside)
    if (!chosen) continue
    for (const at of all) {
      if (part[at] !== fold) continue
      for (const key of ['paid', 'content', 'names'] as const) mixed[key][at] = chosen.columns[key][at] as number
    }
  }
  const [{ candidate }] = own as [Trial]
  const { saving, content, names } = trials.outcome(
    { candidate, columns: { ...mixed, faults: today.faults } },
    tolerance,
  )
  return {
    changePercent: roundPercent(-saving.percent),
    low: saving.high === null ? null : roundPercent(-saving.high),
    high: saving.low === null ? null : roundPercent(-saving.low),
    contentPercent: roundPercent(100 * content.measured),
    namesPercent: roundPercent(100 * names.measured),
  }
}

/** The cheapest of each kind within the tolerance, and all that no other of the kinds but foresight beats. */
function rowsOf(trials: Trials, tolerance: Tolerance): TunedRow[] {
  const possible = trials.tried
    .filter(({ candidate }) => candidate.kind !== 'foresight')
    .map((trial) => ({ trial, outcome: trials.outcome(trial, tolerance) }))
    .filter(
      ({ trial, outcome }) =>
        outcome.saving.percent > 0 && sumOf(trial.columns.faults, trials.all) <= sumOf(trials.today.faults, trials.all),
    )
  const worse = ({ outcome }: (typeof possible)[number]) => Math.max(outcome.content.measured, outcome.names.measured)
  const front = new Set(paretoFront(possible, [({ outcome }) => outcome.paid, worse]).map(({ trial }) => trial))
  const bests = tunedKinds.map((kind) => {
    const own = trials.tried.filter(({ candidate }) => candidate.kind === kind)
    return kind === 'foresight' ? (own[0] ?? null) : trials.best(own, tolerance)
  })
  const shown = new Set([...bests.filter((trial) => trial !== null), ...front])
  const rows = [...shown].map((trial) => rowOf(trials, trial, tolerance, front.has(trial)))
  // What comes to the same at several budgets, or in several policies, stands once.
  const distinct = new Map(
    rows.map((row) => [[row.kind, row.paid, row.contentPercent, row.namesPercent].join(' '), row] as const).reverse(),
  )
  return [...distinct.values()].sort((one, other) => one.paid - other.paid)
}

function rowOf(trials: Trials, trial: Trial, tolerance: Tolerance, front: boolean): TunedRow {
  const { kind, policy, budget } = trial.candidate
  const { paid, saving, content, names, fits } = trials.outcome(trial, tolerance)
  return {
    kind,
    setting: pluginWords(policy.plugin, policy.values),
    policy: policy.plugin.name,
    params: policy.values,
    budget,
    paid,
    changePercent: roundPercent(-saving.percent),
    contentPercent: roundPercent(100 * content.measured),
    namesPercent: roundPercent(100 * names.measured),
    fits,
    front,
  }
}
