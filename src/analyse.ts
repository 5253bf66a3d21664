/**
 * From files to a simulation: reads each transcript, replays it as the plan says, adds up. This is the table of contents
 * of the whole tool: source -> reader -> trace -> replay -> runs -> report.
 */
import { CtxwinError } from './errors.ts'
import type { Curves } from './model/curve.ts'
import {
  addCosts,
  type Diagnostic,
  percent,
  type Run,
  type Simulation,
  type Total,
  type TotalCost,
} from './model/run.ts'
import type { Trace } from './model/trace.ts'
import type { Source } from './readers/lines/source.ts'
import { type FileReport, readTranscripts, wordsOf } from './readers/read.ts'
import { CurveBuilder } from './simulator/curve.ts'
import { digestFor, measuresFor, needsMessages, type Plan, simulate } from './simulator/simulate.ts'

export interface ReadSettings {
  /** A reader's name, or `auto`. */
  readonly format: string
  /** Keep the text of the messages, beyond what the plan needs. */
  readonly keepMessages?: boolean
  /** Finer rows in each run. */
  readonly by?: 'transcript' | 'exchange' | 'request'
}

/**
 * Reads one file and hands over its transcripts, measured as the plan needs them.
 * @throws CtxwinError when the file cannot be read or holds no transcript
 */
export async function readTraces(
  source: Source,
  plan: Plan,
  settings: ReadSettings,
  done: (trace: Trace) => void,
): Promise<FileReport> {
  const report = await readTranscripts(
    source,
    {
      format: settings.format,
      measuresFor: measuresFor(plan),
      digestFor: digestFor(plan),
      keepMessages: settings.keepMessages === true || needsMessages(plan),
    },
    done,
  )
  if (report.transcripts === 0) throw new CtxwinError('no-transcript', source.name, emptiness(report))
  return report
}

function emptiness({ records, damagedLines }: FileReport): string {
  if (records > 0) return 'its records have no message of a conversation'
  return damagedLines > 0 ? `none of its ${damagedLines} lines is JSON` : 'it is empty'
}

/**
 * Simulates a plan over many files.
 * @param sources each is read once, to its end, before the next
 * @param unread told of a source that cannot be read or holds no transcript; the others are analysed all the same.
 *   Without it the first such source throws its CtxwinError.
 */
export async function simulateSources(
  sources: Iterable<Source>,
  plan: Plan,
  settings: ReadSettings,
  unread?: (source: Source, error: CtxwinError) => void,
): Promise<Simulation> {
  const runs: Run[] = []
  const diagnostics: Diagnostic[] = []
  for (const source of sources) {
    const found: Run[] = []
    try {
      const report = await readTraces(source, plan, settings, (trace) => {
        for (const run of simulate(trace, plan, settings.by)) found.push(run)
      })
      for (const run of found) {
        runs.push({ ...run, damagedLines: report.damagedLines })
        diagnostics.push(...faultsOf(run))
      }
      diagnostics.push(...problemsOf(source.name, report))
    } catch (error) {
      if (!(error instanceof CtxwinError) || !unread) throw error
      unread(source, error)
    }
  }
  return { schemaVersion: 1, runs, totals: totalsOf(runs), diagnostics }
}

/**
 * What each budget of the plan would save and lose, over many files.
 * @param tolerance the source-lost rate that a knee may have, in percent
 * @param trim leave out budgets that say nothing: for a grid that nobody chose
 */
export async function curveSources(
  sources: Iterable<Source>,
  plan: Plan,
  settings: ReadSettings & { readonly tolerance: number; readonly trim: boolean },
  unread?: (source: Source, error: CtxwinError) => void,
): Promise<Curves> {
  const builder = new CurveBuilder(plan)
  const diagnostics: Diagnostic[] = []
  for (const source of sources) {
    try {
      const report = await readTraces(source, plan, settings, (trace) => builder.add(trace))
      diagnostics.push(...problemsOf(source.name, report))
    } catch (error) {
      if (!(error instanceof CtxwinError) || !unread) throw error
      unread(source, error)
    }
  }
  const { tolerance, trim } = settings
  return { schemaVersion: 1, tolerancePercent: tolerance, curves: builder.result(tolerance, trim), diagnostics }
}

function faultsOf(run: Run): Diagnostic[] {
  return (run.firstFaults ?? []).map(({ fault, request, line }) => ({
    file: run.transcript,
    line,
    code: fault,
    message: `${run.policy} at budget ${run.budget}: first in request ${request}`,
  }))
}

function problemsOf(file: string, report: FileReport): Diagnostic[] {
  return report.problems.map((problem) => ({ file, line: problem.line, code: problem.code, message: wordsOf(problem) }))
}

/** One total for each policy, estimator and budget, in the order they were met. */
export function totalsOf(runs: readonly Run[]): Total[] {
  const totals = new Map<string, Total>()
  // Knobs are named only where the same policy is there with others: else they would be the same in every total.
  const knobs = new Map<string, Set<string>>()
  for (const { policy, params } of runs) knobs.set(policy, (knobs.get(policy) ?? new Set()).add(JSON.stringify(params)))
  for (const run of runs) {
    // One total for `auto`, whatever it came to in each transcript.
    const estimator = run.estimatorAsked ?? run.estimator
    const key = JSON.stringify([run.policy, run.params, run.budget, estimator])
    const sum = totals.get(key)
    const fullTokens = (sum?.fullTokens ?? 0) + run.fullTokens
    const sentTokens = (sum?.sentTokens ?? 0) + run.sentTokens
    totals.set(key, {
      policy: run.policy,
      ...((knobs.get(run.policy)?.size ?? 0) > 1 ? { params: run.params } : {}),
      budget: run.budget,
      estimator,
      transcripts: (sum?.transcripts ?? 0) + 1,
      fullTokens,
      sentTokens,
      savedTokens: fullTokens - sentTokens,
      savedPercent: percent(fullTokens - sentTokens, fullTokens),
      ...costOf(sum, run),
    })
  }
  return [...totals.values()]
}

/** Dollars and token equivalents have no sum. */
function costOf(total: Total | undefined, { cost }: Run): { cost?: TotalCost } {
  return total && total.cost?.unit !== cost.unit ? {} : { cost: addCosts(total?.cost, cost) }
}
