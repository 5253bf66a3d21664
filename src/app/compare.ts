/**
 * Policies side by side: the runs of many transcripts added up to a row for each policy, params, budget and estimator;
 * which rows are best in what, and which of them nothing beats.
 */

import { type Chosen, identityOf } from '../base/chosen.ts'
import { door, type Options } from '../base/door.ts'
import { list, nothing, object, optional, orNull, truth } from '../base/plain-shape.ts'
import { pluginWords } from '../check/labels.ts'
import { paretoFront } from '../measures/pareto.ts'
import { type Comparison, type ComparisonRow, losesAny } from '../model/comparison.ts'
import { askedOf, type Diagnostic, type Fault, faults, percent, type Run, type TraceRun } from '../model/run.ts'
import type { Tolerance } from '../model/tolerance.ts'
import type { Trace } from '../model/trace.ts'
import asRecorded from '../policies/as-recorded.ts'
import type { Policy } from '../policies/policy.ts'
import type { Source } from '../readers/lines/source.ts'
import { judgedColumns } from '../reports/comparison.ts'
import { Overview } from '../reports/overview.ts'
import { eachRun } from '../simulator/simulate.ts'
import { type ReadFiles, readingHere } from './analysis.ts'
import type { Measured } from './candidate-sums.ts'
import { bound, isFor, withForeign } from './candidates.ts'
import { type Asked, Decisions } from './decisions.ts'
import { decidesField, planOf, reading } from './doors.ts'
import { KeptBeside } from './kept-beside.ts'
import { casesOf, cellsOf, type Plan } from './plan.ts'
import { problemsOf, type ReadSettings, type Unread } from './read-sources.ts'
import { summedRunShape } from './run-shape.ts'
import { groupOf, RunSum } from './sum.ts'

export interface CompareSettings extends Omit<ReadSettings, 'by'> {
  /**
   * A policy changes only the transcripts of those who can have it, and leaves the others as they were recorded; a policy
   * that nobody can have is left out.
   */
  readonly onlyAvailable?: boolean
  /** Decide, too, what to set: by what `recommend` would be asked. */
  readonly decides?: Asked & { readonly tolerance: Tolerance }
}

/**
 * Compares the policies of a plan over many files.
 * @param sources each is read to its end before the next
 * @param unread called for each source that failed, which is not counted. Without it the first such source throws.
 */
export async function compareSources(
  sources: Iterable<Source>,
  plan: Plan,
  settings: CompareSettings = {},
  unread?: Unread,
): Promise<Comparison> {
  const sound = enter(settings)
  return (await compareFiles(readingHere(sources, sound, unread), planOf(plan), sound)).comparison
}

const { by: _, ...readingWithoutRows } = reading

const enter = door('compareSources', {
  ...readingWithoutRows,
  onlyAvailable: [optional(truth), 'true or false'],
  decides: decidesField,
} satisfies Options<CompareSettings>)

/**
 * The same of files that are read somewhere, with what a report says about the transcripts. Runs are added up and not kept,
 * so that memory grows with the transcripts and not with transcripts times policies.
 */
export async function compareFiles(
  read: ReadFiles,
  plan: Plan,
  { onlyAvailable = false, decides }: Pick<CompareSettings, 'onlyAvailable' | 'decides'> = {},
): Promise<{ readonly comparison: Comparison; readonly overview: Overview }> {
  const [all, overview] = [new ComparisonSum(), new Overview()]
  const decisions = decides ? new Decisions(plan, decides) : null
  const { policies, budgets } = plan
  const kept = new KeptBeside('compared', plan, () => ({ policies: policies.map(identityOf), budgets, onlyAvailable }))
  const find = (trace: Trace): SummedRun[] =>
    onlyAvailable ? runsAsSet(trace, plan) : withForeign(runsOf(trace, plan), plan.policies).map(summed)
  const diagnostics: Diagnostic[] = []
  const files = read({
    plan: decisions ? { ...plan, policies: [...plan.policies, ...decisions.plan.policies] } : plan,
    measure: (trace): Piece => ({
      runs: kept.of(trace, () => find(trace)),
      measured: decisions?.measure(trace) ?? null,
    }),
    knows: (trace) => kept.has(trace) && (decisions === null || decisions.knows(trace)),
    copied: null,
    piece: object<Piece>({ runs: list(summedRunShape), measured: orNull(decisions?.piece ?? nothing) }),
    start: () => ({ sum: new ComparisonSum(), overview: new Overview(), measured: [] as Measured[] }),
    add(part, { runs, measured }) {
      for (const run of runs) {
        part.sum.add(run)
        part.overview.add(run)
      }
      if (measured) part.measured.push(measured)
    },
  })
  for await (const { source, report, part, copies } of files) {
    for (const copy of copies) diagnostics.push(copy)
    overview.copies += copies.length
    all.merge(part.sum)
    overview.merge(part.overview)
    overview.damage(source.name, report.damagedLines)
    for (const measured of part.measured) decisions?.add(measured)
    // Faults belong to a policy and are counted in its row; diagnostics are about the input.
    for (const problem of problemsOf(source.name, report)) diagnostics.push(problem)
  }
  const rows = all.rows(plan.policies)
  const decided = decisions && decides ? { decisions: decisions.results(decides.tolerance) } : {}
  return { comparison: { schemaVersion: 1, ...decided, rows, diagnostics }, overview }
}

/** What a transcript adds, as plain data. */
interface Piece {
  readonly runs: readonly SummedRun[]
  readonly measured: Measured | null
}

/** @param policies some of the plan's, which says as a whole how they count */
function runsOf(trace: Trace, plan: Plan, policies: Plan['policies'] = plan.policies): Iterable<TraceRun> {
  return eachRun(cellsOf(casesOf(trace, plan), { ...plan, policies }), 'transcript')
}

/** The runs of all policies, of which those that nobody can have here leave the transcript as it was recorded. */
function runsAsSet(trace: Trace, plan: Plan): SummedRun[] {
  const [own, others] = [plan.policies.filter(isOwn), plan.policies.filter((policy) => !isOwn(policy))]
  const recorded = { plugin: asRecorded, values: {} }
  const ran = [...runsOf(trace, plan, [...own.filter(({ plugin }) => plugin !== asRecorded), recorded])]
  const asItWas = ran.filter(({ policy }) => policy === asRecorded.name)
  const left = others.flatMap(({ plugin, values }) =>
    asItWas.map((run): SummedRun => ({ ...summed(run), policy: plugin.name, params: values, untouched: true })),
  )
  const isAsked = own.some(({ plugin }) => plugin === asRecorded)
  return [...ran.filter((run) => isAsked || run.policy !== asRecorded.name).map(summed), ...left]

  function isOwn({ plugin }: Plan['policies'][number]): boolean {
    return isFor(plugin, trace.head)
  }
}

/** A run of which is kept how many cuts it has, and not which: of a sliding window they are more than all the rest. */
type SummedRun = Omit<TraceRun, 'cuts'> & {
  readonly cuts: { readonly length: number }
  /** The policy is not one for this transcript, which is as it was recorded. */
  readonly untouched?: true
}

function summed(run: TraceRun): SummedRun {
  return { ...run, cuts: { length: run.cuts.length } }
}

/** The rows of a comparison while runs are added to them; no run is kept. */
export class ComparisonSum {
  readonly #rows = new Map<string, RowSum>()

  add(run: SummedRun): void {
    this.#rowOf(groupOf(run), run).add(run)
  }

  /** Adds the counts of another. */
  merge(other: ComparisonSum): void {
    for (const [key, row] of other.#rows) this.#rowOf(key, row.settings).merge(row)
  }

  /**
   * The rows of policies that are for any of the transcripts.
   * @param policies those of the plan: they know which params are defaults
   */
  rows(policies: readonly Chosen<Policy>[]): ComparisonRow[] {
    const plugins = new Map(policies.map(({ plugin }) => [plugin.name, plugin]))
    const touching = [...this.#rows.values()].filter(({ touched }) => touched > 0)
    const rows = touching.map((row): Summed => {
      const { policy, params } = row.settings
      return row.result(pluginWords(plugins.get(policy) ?? { name: policy, params: {} }, params))
    })
    return [...new Set(rows.map(({ estimator }) => estimator))].flatMap((estimator) => {
      const counted = rows.filter((row) => row.estimator === estimator).sort(bestFirst)
      // Policies that know the future are bounds, not candidates: they stand at the end.
      const possible = counted.filter((row) => row.policy !== bound)
      const best = bestOf(possible)
      const front = new Set(paretoFront(possible, [({ cost }) => cost.paid, lossOf(possible)]))
      return counted.map((row) => ({
        ...row,
        front: front.has(row),
        best: row.policy === bound ? [] : best.filter(({ has }) => has(row)).map(({ key }) => key),
      }))
    })
  }

  #rowOf(key: string, settings: RowSettings): RowSum {
    let row = this.#rows.get(key)
    if (!row) {
      row = new RowSum(settings)
      this.#rows.set(key, row)
    }
    return row
  }
}

type Summed = Omit<ComparisonRow, 'front' | 'best'>
type RowSettings = Pick<Run, 'policy' | 'params' | 'budgetAsked' | 'estimator' | 'estimatorAsked'>

/** What is added up for a row, beside what every sum of runs has. */
const counts = {
  requests: (run: SummedRun) => run.requests,
  overWindowRequests: (run: SummedRun) => run.overWindowRequests,
  cuts: (run: SummedRun) => run.cuts.length,
  invalidRequests: (run: SummedRun) => run.exact.invalidRequests,
  thinkingLostTokens: (run: SummedRun) => run.thinkingLostTokens ?? 0,
  cacheHitTokens: (run: SummedRun) => run.exact.cacheHitTokens,
  ...(Object.fromEntries(faults.map((fault) => [fault, (run: SummedRun) => run.validity[fault]])) as Record<
    Fault,
    (run: SummedRun) => number
  >),
}
type Count = keyof typeof counts
const countKeys = Object.keys(counts) as Count[]

class RowSum {
  readonly settings: RowSettings
  /** Of how many transcripts the policy is one for. */
  touched = 0
  /** The most of the transcripts. */
  #budget = 0
  readonly #sum = new RunSum()
  readonly #counts = Object.fromEntries(countKeys.map((key) => [key, 0])) as Record<Count, number>

  constructor({ policy, params, budgetAsked, estimator, estimatorAsked }: RowSettings) {
    this.settings = {
      policy,
      params,
      estimator,
      ...(budgetAsked !== undefined && { budgetAsked }),
      ...(estimatorAsked !== undefined && { estimatorAsked }),
    }
  }

  add(run: SummedRun): void {
    this.#budget = Math.max(this.#budget, run.budget)
    this.#sum.add(run)
    if (!run.untouched) this.touched++
    for (const key of countKeys) this.#counts[key] += counts[key](run)
  }

  merge(other: RowSum): void {
    this.#budget = Math.max(this.#budget, other.#budget)
    this.#sum.merge(other.#sum)
    this.touched += other.touched
    for (const key of countKeys) this.#counts[key] += other.#counts[key]
  }

  result(setting: string): Summed {
    const { policy, params, budgetAsked } = this.settings
    const { transcripts, fullTokens, sentTokens, savedTokens, savedPercent, references } = this.#sum
    const { requests, overWindowRequests, cuts, invalidRequests, thinkingLostTokens, ...more } = this.#counts
    const { cacheHitTokens, ...validity } = more
    const { unit, transcripts: costed, prefixBreaks, ...cost } = this.#sum.cost
    return {
      setting,
      policy,
      params,
      budget: this.#budget,
      ...(budgetAsked !== undefined && { budgetAsked }),
      estimator: askedOf(this.settings),
      transcripts,
      requests,
      fullTokens,
      sentTokens,
      savedTokens,
      savedPercent,
      peakTokens: this.#sum.peakTokens,
      overBudgetRequests: this.#sum.overBudgetRequests,
      overWindowRequests,
      cuts,
      invalidRequests,
      validity,
      thinkingLostTokens,
      cost: {
        unit,
        transcripts: costed,
        ...cost,
        cacheHitPercent: percent(cacheHitTokens, sentTokens),
        prefixBreaks,
      },
      today: this.#sum.today,
      against: this.#sum.against,
      ...(references && { references }),
      ...(this.#sum.bounds && { bounds: this.#sum.bounds }),
    }
  }
}

/** The cheapest first; behind them those that harm requests, however cheap they are; at the end what nobody can have. */
function bestFirst(a: Summed, b: Summed): number {
  return (
    Number(a.policy === bound) - Number(b.policy === bound) ||
    harm(a) - harm(b) ||
    a.cost.paid - b.cost.paid ||
    (a.setting < b.setting ? -1 : a.setting > b.setting ? 1 : a.budget - b.budget)
  )
}

/** 2: a provider would refuse some requests. 1: more of them lack the newest user message than today. */
function harm({ invalidRequests, validity, today }: Summed): 0 | 1 | 2 {
  return invalidRequests > 0 ? 2 : validity.lostLatestUser > today.lostLatestUser ? 1 : 0
}

/**
 * What the agent had to do without: lost content, or tokens if that was not measured or no row lost any. A policy
 * that adds more than it drops has lost nothing, not less than nothing.
 */
function lossOf(rows: readonly Summed[]): (row: Summed) => number {
  return losesAny(rows)
    ? ({ references }) => references?.headline.sourceLost ?? 0
    : ({ sentTokens, fullTokens }) => -Math.min(sentTokens, fullTokens)
}

/** The columns in which rows can be best. If all rows are equal, none is. */
function bestOf(rows: readonly Summed[]): { key: string; has: (row: Summed) => boolean }[] {
  return judgedColumns.flatMap(({ key, better, value }) => {
    const sign = better === 'higher' ? -1 : 1
    const figure = (row: Summed): number => sign * Number(value(row) ?? 0)
    const best = rows.reduce((least, row) => Math.min(least, figure(row)), Infinity)
    return rows.every((row) => figure(row) === best) ? [] : [{ key, has: (row: Summed) => figure(row) === best }]
  })
}
