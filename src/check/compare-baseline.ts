/**
 * Compares runs with a baseline. It fails when a figure got worse, when an entry has no run any more, and when the
 * recorded usage contradicts what is read of a transcript. Figures that got better are only mentioned; the next
 * `--update-baseline` records them (as eslint's suppressions and betterer do).
 */
import type { Diagnostic, Run, Simulation } from '../model/run.ts'
import { several } from '../reports/numbers.ts'
import type { Baseline, Entry, ReadBaseline } from './baseline.ts'
import { contentOutcome, unexplainedUsage, usageOutcome } from './compare-usage.ts'
import { finding, notFigureWords } from './evaluate.ts'
import { difference, figure, labelsOf } from './labels.ts'
import { extent, firstDamage, type Metric, metrics } from './metrics.ts'
import type { Outcome } from './outcome.ts'

export interface Comparison {
  readonly outcomes: readonly Outcome[]
  readonly notes: readonly string[]
}

/** What a comparison needs besides the runs and the baseline. */
export interface ComparisonContext {
  /** The baseline's file: findings about it point there. */
  readonly name: string
  /** Percent by which a figure may be worse. */
  readonly tolerance: number
  /** The figures that the config file sets limits on. */
  readonly limited: readonly string[]
  /**
   * Files whose entries may have no run: what held no transcript has a finding, and what was left out on purpose is
   * none.
   */
  readonly excused: ReadonlySet<string>
  exists(file: string): boolean
  commandFor(run: Run, metric: Metric): string | null
}

export function compareWithBaseline(
  { runs, diagnostics }: Pick<Simulation, 'runs' | 'diagnostics'>,
  baseline: ReadBaseline,
  context: ComparisonContext,
): Comparison {
  const { files, faults } = baseline
  const label = labelsOf(runs)
  const damage = firstDamage(diagnostics)
  const entries = new Entries(files)
  const outcomes: Outcome[] = faults.map(({ line, message }) => ({
    ...finding('baseline/damaged', 'error'),
    file: context.name,
    line,
    message,
  }))
  const damaged = new Set(faults.map(({ file }) => file))
  const added = new Set<string>()
  const recounted = new Set<string>()
  const unknown: Run[] = []
  /** By figure: in how many runs it is, and in no entry of theirs. */
  const unheld = new Map<string, number>()
  let better = 0
  for (const run of runs) {
    if (damaged.has(run.transcript)) continue
    const entry = entries.take(run)
    if (!entry) {
      if (!added.has(run.transcript)) outcomes.push(newcomer(run, label(run), files.has(run.transcript)))
      added.add(run.transcript)
      unknown.push(run)
      continue
    }
    const comparable = entry.estimator === run.estimator
    if (!comparable && !recounted.has(run.transcript)) outcomes.push(countedOtherwise(run, entry, label(run)))
    if (!comparable) recounted.add(run.transcript)
    const which = label(run)
    const change = changeOfExtent(run, entry, comparable ? extent : uncounted)
    for (const key of context.limited) {
      const isNew = !Object.hasOwn(entry.values, key) && metricByKey.get(key)?.value(run) !== null
      if (isNew) unheld.set(key, (unheld.get(key) ?? 0) + 1)
    }
    const usage = comparable ? usageOutcome(run, entry, context.tolerance) : null
    if (usage) outcomes.push({ ...usage, run: which })
    const isWitnessed = change !== 'shrunk' && usage?.status !== 'fail'
    for (const [key, value] of Object.entries(entry.values)) {
      const metric = metricByKey.get(key)
      if (!metric || !(comparable || uncounted.includes(key))) continue
      const outcome = { ...judge(metric, run, value, change, context, damage), run: which }
      outcomes.push(key === 'contentTokens' ? contentOutcome(outcome, run, entry, value, context.tolerance) : outcome)
      const gain = (outcome.actual ?? value) - value
      if (isWitnessed && !extent.includes(key) && (metric.better === 'higher' ? gain > 0 : gain < 0)) better++
    }
  }
  for (const [key, times] of unheld) {
    const message = `a limit is set on ${key}, and ${several(times, 'entry', 'entries')} of the baseline ${times === 1 ? 'does' : 'do'} not have it: add it with --update-baseline`
    outcomes.push({ ...finding(`baseline/${key}`, 'warn'), file: context.name, message })
  }
  for (const outcome of unexplainedUsage(unknown)) outcomes.push(outcome)
  for (const outcome of stale(runs, entries.left(), baseline, context)) outcomes.push(outcome)
  const words = `${several(better, 'figure')} better than in ${context.name}: keep that with --update-baseline`
  return { outcomes, notes: better > 0 ? [words] : [] }
}

const metricByKey = new Map(metrics.map((metric) => [metric.key, metric]))

/** Figures that do not depend on the estimator: of the file, and extents of the transcript. */
const uncounted = metrics.filter(({ input }) => input !== undefined).map(({ key }) => key)

/** The entries that no run has matched yet. Runs that differ only in params or estimators are matched in order. */
class Entries {
  /** By file, then by what distinguishes its entries; in reverse order, so that the next one is popped from the end. */
  readonly #files = new Map<string, Map<string, Entry[]>>()

  constructor(files: Baseline['files']) {
    for (const [file, entries] of files) {
      const waiting = new Map<string, Entry[]>()
      for (const entry of entries.toReversed()) {
        const key = keyOf(entry)
        const alike = waiting.get(key)
        if (alike) alike.push(entry)
        else waiting.set(key, [entry])
      }
      this.#files.set(file, waiting)
    }
  }

  take(run: Run): Entry | null {
    return this.#files.get(run.transcript)?.get(keyOf(run))?.pop() ?? null
  }

  /** The files with entries left, and how many. */
  left(): [file: string, entries: number][] {
    return [...this.#files]
      .map(([file, waiting]): [string, number] => [
        file,
        [...waiting.values()].reduce((sum, { length }) => sum + length, 0),
      ])
      .filter(([, entries]) => entries > 0)
  }
}

const keyOf = ({ conversation, policy, budget }: Pick<Entry, 'conversation' | 'policy' | 'budget'>): string =>
  JSON.stringify([conversation, policy, budget])

function newcomer(run: Run, label: string, fileIsKnown: boolean): Outcome {
  const what = fileIsKnown ? 'this transcript of the file' : 'this file'
  const message = `${what} is not in the baseline: add it with --update-baseline`
  return { ...finding('baseline/new', 'warn'), file: run.transcript, run: fileIsKnown ? label : '', message }
}

/** `auto` may choose another estimator for one file. That concerns this file only: the others can be compared. */
function countedOtherwise(run: Run, entry: Entry, label: string): Outcome {
  const message = `counted by ${run.estimator}, and in the baseline by ${entry.estimator}: agree to it with --update-baseline for this file`
  return { ...finding('baseline/estimator', 'error'), file: run.transcript, run: label, message }
}

type Change = 'shrunk' | 'grown' | null

/** Whether the transcript became smaller in any of these respects, or else larger. */
function changeOfExtent(run: Run, { values }: Entry, respects: readonly string[]): Change {
  const changes = respects.map((key) => (metricByKey.get(key)?.value(run) ?? 0) - (values[key] ?? Number.NaN))
  if (changes.some((change) => change < 0)) return 'shrunk'
  return changes.some((change) => change > 0) ? 'grown' : null
}

function judge(
  metric: Metric,
  run: Run,
  was: number,
  change: Change,
  { tolerance, commandFor }: ComparisonContext,
  damage: ReadonlyMap<string, Diagnostic>,
): Omit<Outcome, 'run'> {
  const actual = metric.value(run)
  const slack = (Math.abs(was) * tolerance) / 100
  const limit = metric.better === 'higher' ? was - slack : was + slack
  const { line, words: cause } = metric.cause(run, limit, damage)
  const common = { rule: `baseline/${metric.key}`, level: 'error', metric: metric.key, file: run.transcript } as const
  const command = commandFor(run, metric)
  const words = (value: number) => figure(value, metric.unit, run.cost.unit)
  if (actual === null) {
    const asked = run.references !== undefined || !metric.key.startsWith('references.')
    const why = asked ? 'no such figure here' : 'not measured now, for no limit is set on it'
    const message = `${metric.key}: ${why}, and the baseline has ${words(was)}`
    const status = asked ? 'fail' : 'skipped'
    return { ...common, status, line: 0, message, actual, limit, difference: null, command }
  }
  if (!Number.isFinite(actual)) {
    const message = notFigureWords(metric, actual)
    return { ...common, status: 'fail', line, message, actual, limit, difference: null, command }
  }
  const worse = metric.better === 'higher' ? actual < limit : actual > limit
  const by = difference(actual, was)
  const sign = by > 0 ? '+' : ''
  const share = was === 0 ? '' : `, ${sign}${figure(Math.round((by / was) * 10_000) / 100, 'percent')}`
  const allowed = tolerance > 0 ? `; tolerance ${figure(tolerance, 'percent')}` : ''
  const changed = by === 0 ? '' : ` (${sign}${words(by)}${share}${allowed})`
  return {
    ...common,
    status: worse ? 'fail' : 'pass',
    line,
    message: [
      `${metric.key} is ${words(actual)}, the baseline has ${words(was)}${changed}`,
      ...(worse && cause !== undefined ? [cause] : []),
      // More input is not worse behaviour: the message about more tokens says so.
      ...(change && (worse || extent.includes(metric.key)) ? [`the transcript has ${change}`] : []),
    ].join('; '),
    actual,
    limit,
    difference: difference(actual, limit),
    command,
  }
}

const remedy = 'mend its name, or take it out with --update-baseline'

function stale(
  runs: readonly Run[],
  left: readonly [file: string, entries: number][],
  { lineOf }: ReadBaseline,
  { name, exists, excused }: ComparisonContext,
): Outcome[] {
  const checked = new Set(runs.map(({ transcript }) => transcript))
  const about = (file: string, message: string): Outcome => ({
    ...finding('baseline/stale', 'error'),
    file: name,
    line: lineOf(file),
    message,
  })
  const unclaimed = left.filter(([file]) => !excused.has(file))
  const elsewhere = unclaimed.filter(([file]) => !checked.has(file) && exists(file))
  const first = elsewhere[0]?.[0]
  return [
    ...unclaimed
      .filter(([file]) => checked.has(file) || !exists(file))
      .map(([file, entries]) => {
        const what = checked.has(file)
          ? `the baseline has ${several(entries, 'more transcript')} of ${file} than the file`
          : `the baseline has ${file}, and there is no such file any more`
        return about(file, `${what}: ${remedy}`)
      }),
    // One sentence for all: checking only some of the files is normal.
    ...(first === undefined
      ? []
      : [
          about(
            first,
            `${several(elsewhere.length, 'file')} of the baseline ${elsewhere.length === 1 ? 'was' : 'were'} not checked (first: ${first}): check them too, or use --no-baseline for a part`,
          ),
        ]),
  ]
}
