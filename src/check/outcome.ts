/** The result of a check: one outcome per thing it looked at, passed ones included. Reporters print nothing else. */
import type { Budget } from '../model/budget.ts'
import type { Diagnostic } from '../model/run.ts'
import { several } from '../reports/numbers.ts'
import { windowWords } from '../reports/window-words.ts'

export interface Outcome {
  /** `maxPeakTokens`, `baseline/peakTokens`, `baseline/stale`, `unreadable`, … */
  readonly rule: string
  readonly level: 'error' | 'warn'
  /** `skipped`: the run has no such figure, or a figure of the baseline was not measured. */
  readonly status: 'pass' | 'fail' | 'skipped'
  /** Where to look: the cut, the fault, the largest request. For an aggregate, the run that contributes most. */
  readonly file: string
  /** From 1; 0 = the file as a whole. */
  readonly line: number
  /** What distinguishes the run from others of the file: conversation, policy, budget. Empty if there is only one. */
  readonly run: string
  /** One sentence, without the rule's name and the file. */
  readonly message: string
  /** The key of the figure; null for an outcome that is not about a figure. */
  readonly metric: string | null
  readonly actual: number | null
  readonly limit: number | null
  /** actual - limit */
  readonly difference: number | null
  /** The command that prints the figure again; null if there is none. */
  readonly command: string | null
}

/** What the figures of a check are of. */
export interface Checked {
  /** As they are typed. */
  readonly policies: readonly string[]
  readonly budgets: readonly Budget[]
}

export interface CheckResult extends Checked {
  readonly schemaVersion: 1
  readonly transcripts: number
  readonly errors: number
  readonly warnings: number
  /** Sentences that say what could not be checked. If there are any, the exit code is 2. */
  readonly incomplete: readonly string[]
  readonly outcomes: readonly Outcome[]
  /** Sentences with other news, such as figures that are better than the baseline. */
  readonly notes: readonly string[]
  readonly diagnostics: readonly Diagnostic[]
}

export function resultOf(
  { policies, budgets }: Checked,
  transcripts: number,
  outcomes: readonly Outcome[],
  notes: readonly string[],
  diagnostics: readonly Diagnostic[],
  incomplete: readonly string[] = [],
): CheckResult {
  const failed = (level: Outcome['level']) =>
    outcomes.filter((outcome) => outcome.status === 'fail' && outcome.level === level).length
  return {
    schemaVersion: 1,
    policies,
    budgets,
    transcripts,
    errors: failed('error'),
    warnings: failed('warn'),
    incomplete,
    outcomes,
    notes,
    diagnostics,
  }
}

/** `long/session.jsonl:9` */
export const placeOf = ({ file, line }: Outcome): string => (line > 0 ? `${file}:${line}` : file)

/** "ok: 12 transcripts, 36 checks (maxCuts) under ikigai at 50k"; where the check is incomplete, with the reasons. */
export function summaryOf(result: CheckResult): string {
  const { policies, budgets, errors, warnings, transcripts, outcomes, incomplete } = result
  const made = outcomes.filter(({ status, actual }) => status !== 'skipped' && actual !== null)
  const rules = [...new Set(made.map(({ rule }) => rule.split('/')[0] as string))].sort()
  const found = [
    ...(errors > 0 ? [several(errors, 'error')] : []),
    ...(warnings > 0 ? [several(warnings, 'warning')] : []),
  ]
  const names = rules.length > 0 ? ` (${rules.join(', ')})` : ''
  const checks = `${several(made.length, 'check')}${names} under ${windowWords(policies, budgets)}`
  const checked = `${several(transcripts, 'transcript')}, ${checks}`
  const verdict = incomplete.length > 0 ? 'incomplete' : errors > 0 ? 'failed' : 'ok'
  return [`${verdict}: ${[...found, checked].join(', ')}`, ...incomplete].join('; ')
}

/** The rules that were skipped somewhere, and how often. */
export function skippedIn({ outcomes }: CheckResult): { rule: string; times: number }[] {
  const times = new Map<string, number>()
  for (const { rule, status } of outcomes) if (status === 'skipped') times.set(rule, (times.get(rule) ?? 0) + 1)
  return [...times].map(([rule, times]) => ({ rule, times }))
}
