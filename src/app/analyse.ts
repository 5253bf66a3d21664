/**
 * From files to a simulation: reads each transcript, replays it under the plan and adds up the runs. This file shows the
 * path through the whole tool: source -> reader -> trace -> replay -> runs -> report.
 */
import { door, type Options } from '../base/door.ts'
import { optional, truth } from '../base/plain-shape.ts'
import type { Message } from '../model/message.ts'
import { askedOf, type Diagnostic, type Run, type Simulation, type Total, type TraceRun } from '../model/run.ts'
import type { Trace } from '../model/trace.ts'
import type { Source } from '../readers/lines/source.ts'
import { ordinal } from '../reports/numbers.ts'
import { eachRun } from '../simulator/simulate.ts'
import { type ReadFiles, readingHere } from './analysis.ts'
import { withForeign } from './answer/candidates.ts'
import { planOf, reading } from './doors.ts'
import { runsPiece } from './files/piece-shapes.ts'
import { problemsOf, type ReadSettings, readSources, type Unread } from './files/read-sources.ts'
import { casesOf, cellsOf, type Plan } from './plan.ts'
import { withWitness } from './quality/witness.ts'
import { CellSum, groupOf } from './sum.ts'

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
  const groups = new Map<string, { readonly first: Run; readonly sum: CellSum; budget: number }>()
  // Params are named only if the same policy also runs with others: otherwise they would be the same in every total.
  const variants = new Map<string, Set<string>>()
  for (const run of runs) {
    const { policy, params } = run
    variants.set(policy, (variants.get(policy) ?? new Set()).add(JSON.stringify(params)))
    const key = groupOf(run)
    const group = groups.get(key) ?? { first: run, sum: new CellSum(), budget: 0 }
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
    ...sum.result(),
    spent: sum.spent,
  }))
}
