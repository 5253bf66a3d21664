/**
 * From files to a simulation: reads each transcript, replays it under the plan and adds up the runs. This file shows the
 * path through the whole tool: source -> reader -> trace -> replay -> runs -> report.
 */
import { door, type Options } from '../base/door.ts'
import { amount, either, nothing, object, optional, orNull, truth } from '../base/plain-shape.ts'
import type { Curves } from '../model/curve.ts'
import type { Message } from '../model/message.ts'
import { askedOf, type Diagnostic, type Run, type Simulation, type Total, type TraceRun } from '../model/run.ts'
import type { Tolerance } from '../model/tolerance.ts'
import type { Trace } from '../model/trace.ts'
import type { Source } from '../readers/lines/source.ts'
import { ordinal } from '../reports/numbers.ts'
import { eachRun } from '../simulator/simulate.ts'
import { type ReadFiles, readingHere } from './analysis.ts'
import type { Measured } from './candidate-sums.ts'
import { withForeign } from './candidates.ts'
import { CurveBuilder, type TranscriptParts } from './curve.ts'
import { type Asked, Decisions } from './decisions.ts'
import { decidesField, planOf, reading, toleranceShape } from './doors.ts'
import { curvePiece, runsPiece } from './piece-shapes.ts'
import { casesOf, cellsOf, type Plan } from './plan.ts'
import { problemsOf, type ReadSettings, readSources, type Unread } from './read-sources.ts'
import { groupOf, RunSum } from './sum.ts'
import { withWitness } from './witness.ts'

const noPlan: Plan = { policies: [], estimators: [], budgets: [] }

/** A transcript that was read with its text. */
export type FullTrace = Trace & { readonly messages: readonly Message[] }

/**
 * The transcripts of many sources, one after the other, with their messages.
 * @param settings `plan`: what `simulate`, `historyOf` or `requestBodyAt` will be asked of the transcripts
 * @param unread called for each source that failed; the others are still read. Without it the first such source throws.
 * @throws CtxwinError when `settings.format` names no reader
 */
export async function* readTraces(
  sources: Iterable<Source>,
  { plan = noPlan, format = 'auto' }: Pick<ReadSettings, 'format'> & { readonly plan?: Plan } = {},
  unread?: Unread,
): AsyncGenerator<FullTrace> {
  const take = (trace: Trace) => [trace.whole as FullTrace]
  const settings = enterTraces({ format })
  const read = readSources(sources, planOf(plan), { ...settings, keepMessages: true }, take, unread)
  for await (const { taken } of read) yield* taken
}

const enterTraces = door('readTraces', { format: reading.format })

export interface SimulateSettings extends ReadSettings {
  /** Each transcript by itself, with the requests that an earlier one has, too. */
  readonly apart?: boolean
  /** @internal Each run with its `witness`. */
  readonly witness?: boolean
}

/**
 * Simulates a plan over many files.
 * @param sources each is read to its end before the next; those of an array also tell of each other (docs/estimators.md)
 * @param unread called for each source that failed; the others are still read. Without it the first such source throws.
 */
export async function simulateSources(
  sources: Iterable<Source>,
  plan: Plan,
  settings: SimulateSettings = {},
  unread?: Unread,
): Promise<Simulation> {
  const sound = enterSimulate(settings)
  return simulateFiles(readingHere(sources, sound, unread), planOf(plan), sound)
}

const enterSimulate = door('simulateSources', {
  ...reading,
  apart: [optional(truth), 'true or false'],
  witness: [optional(truth), 'true or false'],
} satisfies Options<SimulateSettings>)

/** The same of files that are read somewhere. */
export async function simulateFiles(
  read: ReadFiles,
  plan: Plan,
  { by = 'transcript', apart = false, witness = false }: Pick<SimulateSettings, 'by' | 'apart' | 'witness'> = {},
): Promise<Simulation> {
  const runs: Run[] = []
  const diagnostics: Diagnostic[] = []
  const files = read({
    plan,
    apart,
    measure(trace) {
      const measured = apart ? trace.whole : trace
      const cases = casesOf(measured, plan)
      const runs = withForeign(eachRun(cellsOf(cases, plan), by), plan.policies)
      return witness ? withWitness(runs, cases, plan.budgets.length) : runs
    },
    copied: (copies, original) => copies.map((run) => ({ ...run, copyOf: original })),
    piece: runsPiece(plan.policies.length * plan.estimators.length * plan.budgets.length),
    start: (): TraceRun[] => [],
    add(part, piece) {
      for (const run of piece) part.push(run)
    },
  })
  for await (const { source, report, part, copies } of files) {
    for (const copy of copies) diagnostics.push(copy)
    for (const measured of part) {
      const run = { ...measured, damagedLines: report.damagedLines }
      runs.push(run)
      for (const fault of faultsOf(run)) diagnostics.push(fault)
    }
    for (const problem of problemsOf(source.name, report)) diagnostics.push(problem)
  }
  return { schemaVersion: 1, runs, totals: totalsOf(runs), diagnostics }
}

export interface CurveSettings extends Omit<ReadSettings, 'by'> {
  readonly tolerance?: number | Tolerance
  readonly trim?: boolean
  /** Decide, too, what to set: by what `recommend` would be asked. */
  readonly decides?: Asked & { readonly tolerance: Tolerance }
}

/**
 * What each budget of the plan would save and lose, over many files.
 * @param settings `tolerance`: the highest source-lost rate of a knee, in percent, default 1; `trim`: leave out budgets
 * that add nothing, for a grid that the user did not choose
 */
export async function curveSources(
  sources: Iterable<Source>,
  plan: Plan,
  settings: CurveSettings = {},
  unread?: Unread,
): Promise<Curves> {
  const sound = enterCurve(settings)
  return curveFiles(readingHere(sources, sound, unread), planOf(plan), sound)
}

const { by: _, ...readingWithoutRows } = reading

const enterCurve = door('curveSources', {
  ...readingWithoutRows,
  tolerance: [optional(either(amount, toleranceShape)), 'a number of percent, or { over, percent }'],
  trim: [optional(truth), 'true or false'],
  decides: decidesField,
} satisfies Options<CurveSettings>)

/** The same of files that are read somewhere. */
export async function curveFiles(
  read: ReadFiles,
  plan: Plan,
  { tolerance: most = 1, trim = false, decides }: Pick<CurveSettings, 'tolerance' | 'trim' | 'decides'> = {},
): Promise<Curves> {
  const tolerance: Tolerance = typeof most === 'number' ? { over: 'nothing', percent: most } : most
  const builder = new CurveBuilder(plan)
  const decisions = decides ? new Decisions(plan, decides) : null
  const diagnostics: Diagnostic[] = []
  const curves = plan.policies.length * plan.estimators.length
  const files = read({
    plan: decisions ? { ...plan, policies: [...plan.policies, ...decisions.plan.policies] } : plan,
    measure: (trace): CurveOf => ({ curve: builder.measure(trace), measured: decisions?.measure(trace) ?? null }),
    copied: null,
    piece: object<CurveOf>({
      curve: curvePiece(curves, new Set(plan.budgets).size, plan.estimators.length),
      measured: orNull(decisions?.piece ?? nothing),
    }),
    start: (): CurveOf[] => [],
    add: (part, piece) => part.push(piece),
  })
  for await (const { source, report, part, copies } of files) {
    for (const copy of copies) diagnostics.push(copy)
    for (const { curve, measured } of part) {
      builder.add(curve)
      if (measured) decisions?.add(measured)
    }
    for (const problem of problemsOf(source.name, report)) diagnostics.push(problem)
  }
  const { percent: tolerancePercent } = tolerance
  const decided = decisions && decides ? { decisions: decisions.results(decides.tolerance) } : {}
  const result = builder.result(tolerance, trim)
  return { schemaVersion: 1, ...decided, tolerance, tolerancePercent, curves: result, diagnostics }
}

/** What a transcript adds to curves, as plain data. */
interface CurveOf {
  readonly curve: TranscriptParts
  readonly measured: Measured | null
}

function faultsOf(run: Run): Diagnostic[] {
  return (run.firstFaults ?? []).map(({ fault, request, line }) => ({
    file: run.transcript,
    line,
    code: fault,
    message: `${run.policy} at budget ${run.budget}: first in request ${ordinal(request)}`,
  }))
}

/** One total per policy, estimator and budget, in order of first appearance. A session in two files is counted once. */
export function totalsOf(runs: readonly Run[]): Total[] {
  const groups = new Map<string, { readonly first: Run; readonly sum: RunSum; budget: number }>()
  // Params are named only if the same policy also runs with others: otherwise they would be the same in every total.
  const variants = new Map<string, Set<string>>()
  for (const run of runs) {
    const { policy, params } = run
    variants.set(policy, (variants.get(policy) ?? new Set()).add(JSON.stringify(params)))
    const key = groupOf(run)
    const group = groups.get(key) ?? { first: run, sum: new RunSum(), budget: 0 }
    if (run.copyOf === undefined) group.sum.add(run)
    group.budget = Math.max(group.budget, run.budget)
    groups.set(key, group)
  }
  return [...groups.values()].map(({ first, sum, budget }) => ({
    policy: first.policy,
    ...((variants.get(first.policy)?.size ?? 0) > 1 ? { params: first.params } : {}),
    budget,
    ...(first.budgetAsked !== undefined && { budgetAsked: first.budgetAsked }),
    estimator: askedOf(first),
    transcripts: sum.transcripts,
    fullTokens: sum.fullTokens,
    sentTokens: sum.sentTokens,
    savedTokens: sum.savedTokens,
    savedPercent: sum.savedPercent,
    overBudgetRequests: sum.overBudgetRequests,
    invalidRequests: sum.invalidRequests,
    lostLatestUser: sum.lostLatestUser,
    cost: sum.cost,
    spent: sum.spent,
    today: sum.today,
    against: sum.against,
  }))
}
