/**
 * The baseline: figures as they were when somebody agreed to them, by file, to be committed. A later check fails when a
 * figure got worse, and when an entry stands for nothing any more. Figures that got better are told, not demanded: the
 * next `--update-baseline` keeps them (the manners of eslint's suppressions and of betterer).
 */
import { CtxwinError } from '../errors.ts'
import type { Run, Simulation } from '../model/run.ts'
import { several } from '../reports/numbers.ts'
import type { Section } from './assertions.ts'
import { finding } from './evaluate.ts'
import { difference, figure, labelsOf } from './labels.ts'
import { causeOf, higherIsBetter, type Metric, metrics } from './metrics.ts'
import type { Outcome } from './outcome.ts'

/** What the figures depend on besides the transcripts. Figures of two different ones cannot be compared. */
export interface MadeWith {
  /** As written, with the knobs that are not at their defaults: `bytes`, `bytes:bytesPerToken=3`. */
  readonly estimators: readonly { readonly name: string; readonly version: number }[]
  readonly policies: readonly string[]
  readonly budgets: readonly number[]
  readonly preamble: number | 'auto'
  readonly model: string | null
  readonly provider: string | null
  readonly measure: string
  readonly format: string
}

interface Entry {
  readonly conversation: string | null
  readonly policy: string
  readonly budget: number
  /** What the one that was asked for came to: `auto` may be `calibrated(claude-4.6)` here. */
  readonly estimator: string
  readonly values: Readonly<Record<string, number>>
}

export interface Baseline {
  readonly schemaVersion: 1
  readonly madeWith: MadeWith
  /** Sorted by name. */
  readonly files: Readonly<Record<string, readonly Entry[]>>
}

/** Always watched; a figure that is asserted is watched as well. All of them are better when lower. */
const watched = [
  'sentTokens',
  'peakTokens',
  'exchangeTokens',
  'cuts',
  'overBudgetRequests',
  'overWindowRequests',
  'orphanedPairs',
  'damagedLines',
]

/** @param sections the assertions there are */
export function makeBaseline(runs: readonly Run[], madeWith: MadeWith, sections: readonly Section[]): Baseline {
  const asserted = sections.flatMap((section) => [...section.values()].map((assertion) => assertion?.metric.key))
  const keys = metrics.filter(({ key }) => watched.includes(key) || asserted.includes(key))
  const files = new Map<string, Entry[]>()
  for (const run of runs) {
    const entries = files.get(run.transcript) ?? []
    files.set(run.transcript, entries)
    const { conversation, policy, budget, estimator } = run
    entries.push({ conversation, policy, budget, estimator, values: valuesOf(run, keys) })
  }
  const sorted = [...files].sort(([a], [b]) => (a < b ? -1 : 1))
  return { schemaVersion: 1, madeWith, files: Object.fromEntries(sorted) }
}

function valuesOf(run: Run, keys: readonly Metric[]): Record<string, number> {
  return Object.fromEntries(
    keys.flatMap((metric) => {
      const value = metric.value(run)
      return value === null ? [] : [[metric.key, value]]
    }),
  )
}

/**
 * @param name how to call the file in a message
 * @throws CtxwinError for what is no baseline, and for one whose figures cannot be compared
 */
export function parseBaseline(text: string, name: string, madeWith: MadeWith): Baseline {
  const baseline = parse(text)
  if (!baseline) throw new CtxwinError('config', name, 'it is no baseline of this version: run with --update-baseline')
  for (const key of Object.keys(madeWith) as (keyof MadeWith)[]) {
    const [was, is] = [baseline.madeWith[key], madeWith[key]].map(inWords) as [string, string]
    if (was !== is) throw new CtxwinError('baseline-changed', name, key, was, is)
  }
  return baseline
}

function parse(text: string): Baseline | null {
  try {
    const value = JSON.parse(text) as Baseline
    if (value.schemaVersion !== 1 || typeof value.madeWith !== 'object' || value.madeWith === null) return null
    const sound = Object.values(value.files).every((entries) => entries.every(isEntry))
    return sound ? value : null
  } catch {
    return null
  }
}

function isEntry(entry: Entry): boolean {
  return (
    [entry.policy, entry.estimator, entry.conversation ?? ''].every((word) => typeof word === 'string') &&
    Object.values(entry.values).every((value) => typeof value === 'number')
  )
}

function inWords(value: unknown): string {
  if (!Array.isArray(value)) return typeof value === 'string' ? value : JSON.stringify(value ?? null)
  return value
    .map((item: unknown) => {
      if (typeof item !== 'object' || item === null) return String(item)
      const { name, version } = item as MadeWith['estimators'][number]
      return `${name} version ${version}`
    })
    .join(', ')
}

export interface Comparison {
  readonly outcomes: readonly Outcome[]
  readonly notes: readonly string[]
}

/** What a comparison needs to know of the world. */
export interface ComparisonContext {
  /** The baseline's file: findings about it point there. */
  readonly name: string
  readonly text: string
  /** Percent by which a figure may be worse. */
  readonly tolerance: number
  exists(file: string): boolean
  commandFor(run: Run, metric: Metric): string
}

/** @throws CtxwinError when a transcript is counted by another estimator than it was */
export function compareWithBaseline(
  { runs, diagnostics }: Pick<Simulation, 'runs' | 'diagnostics'>,
  { files }: Baseline,
  context: ComparisonContext,
): Comparison {
  const label = labelsOf(runs)
  const entries = new Entries(files)
  const outcomes: Outcome[] = []
  const added = new Set<string>()
  let better = 0
  for (const run of runs) {
    const entry = entries.take(run)
    if (!entry) {
      if (!added.has(run.transcript)) outcomes.push(newcomer(run, label(run), Object.hasOwn(files, run.transcript)))
      added.add(run.transcript)
      continue
    }
    if (entry.estimator !== run.estimator) {
      const was = `${entry.estimator} for ${run.transcript}`
      throw new CtxwinError('baseline-changed', context.name, 'estimators', was, run.estimator)
    }
    for (const [key, value] of Object.entries(entry.values)) {
      const metric = metrics.find((one) => one.key === key)
      const outcome = metric && judge(metric, run, value, context, diagnostics)
      if (!outcome) continue
      outcomes.push({ ...outcome, run: label(run) })
      const gain = (outcome.actual ?? value) - value
      if (higherIsBetter(metric) ? gain > 0 : gain < 0) better++
    }
  }
  outcomes.push(...stale(runs, entries.left(), context))
  const words = `${several(better, 'figure')} better than in ${context.name}: keep that with --update-baseline`
  return { outcomes, notes: better > 0 ? [words] : [] }
}

/** The entries that no run has asked for yet. Runs that differ in knobs or estimators are told apart by their order. */
class Entries {
  readonly #files: Map<string, Entry[]>

  constructor(files: Baseline['files']) {
    this.#files = new Map(Object.entries(files).map(([file, entries]) => [file, [...entries]]))
  }

  take(run: Run): Entry | null {
    const entries = this.#files.get(run.transcript) ?? []
    const at = entries.findIndex(
      ({ conversation, policy, budget }) =>
        conversation === run.conversation && policy === run.policy && budget === run.budget,
    )
    return at < 0 ? null : (entries.splice(at, 1)[0] as Entry)
  }

  left(): [file: string, entries: readonly Entry[]][] {
    return [...this.#files].filter(([, entries]) => entries.length > 0)
  }
}

function newcomer(run: Run, label: string, fileIsKnown: boolean): Outcome {
  const what = fileIsKnown ? 'this transcript of the file' : 'this file'
  const message = `${what} is not in the baseline: add it with --update-baseline`
  return { ...finding('baseline/new', 'warn'), file: run.transcript, run: fileIsKnown ? label : '', message }
}

function judge(
  metric: Metric,
  run: Run,
  was: number,
  { tolerance, commandFor }: ComparisonContext,
  diagnostics: Simulation['diagnostics'],
): Omit<Outcome, 'run'> {
  const actual = metric.value(run)
  const slack = (Math.abs(was) * tolerance) / 100
  const limit = higherIsBetter(metric) ? was - slack : was + slack
  const worse = actual !== null && (higherIsBetter(metric) ? actual < limit : actual > limit)
  const { line, words: cause } = causeOf(metric, run, limit, diagnostics)
  const common = { rule: `baseline/${metric.key}`, level: 'error', metric: metric.key, file: run.transcript } as const
  const command = commandFor(run, metric)
  const words = (value: number) => figure(value, metric.unit, run.cost.unit)
  if (actual === null) {
    const message = `${metric.key}: no such figure here, and the baseline has ${words(was)}`
    return { ...common, status: 'skipped', line: 0, message, actual, limit, difference: null, command }
  }
  const change = difference(actual, was)
  const sign = change > 0 ? '+' : ''
  const share = was === 0 ? '' : `, ${sign}${figure(Math.round((change / was) * 10_000) / 100, 'percent')}`
  const allowed = tolerance > 0 ? `; tolerance ${figure(tolerance, 'percent')}` : ''
  const changed = change === 0 ? '' : ` (${sign}${words(change)}${share}${allowed})`
  const message = `${metric.key} is ${words(actual)}, the baseline has ${words(was)}${changed}`
  return {
    ...common,
    status: worse ? 'fail' : 'pass',
    line,
    message: worse && cause !== undefined ? `${message}; ${cause}` : message,
    actual,
    limit,
    difference: difference(actual, limit),
    command,
  }
}

const remedy = 'mend its name, or take it out with --update-baseline'

function stale(
  runs: readonly Run[],
  left: readonly [file: string, entries: readonly Entry[]][],
  { name, text, exists }: ComparisonContext,
): Outcome[] {
  const checked = new Set(runs.map(({ transcript }) => transcript))
  const lines = text.split('\n')
  const about = (file: string, message: string): Outcome => {
    const line = lines.findIndex((one) => one.trim().startsWith(`${JSON.stringify(file)}:`)) + 1
    return { ...finding('baseline/stale', 'error'), file: name, line, message }
  }
  const elsewhere = left.filter(([file]) => !checked.has(file) && exists(file))
  const first = elsewhere[0]?.[0]
  return [
    ...left
      .filter(([file]) => checked.has(file) || !exists(file))
      .map(([file, entries]) => {
        const what = checked.has(file)
          ? `the baseline has ${several(entries.length, 'more transcript')} of ${file} than the file`
          : `the baseline has ${file}, and there is no such file any more`
        return about(file, `${what}: ${remedy}`)
      }),
    // One sentence, however many: whoever checks a part of the files knows that the others are not looked at.
    ...(first === undefined
      ? []
      : [
          about(
            first,
            `${several(elsewhere.length, 'file')} of the baseline held no transcript or were not checked (first: ${first}): check them too, or use --no-baseline for a part`,
          ),
        ]),
  ]
}
