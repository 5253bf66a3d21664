/**
 * Compares runs with a baseline. It fails when a figure got worse, or when an entry has no run any more. Figures that got
 * better are only mentioned; the next `--update-baseline` records them (as eslint's suppressions and betterer do).
 */
import type { Diagnostic, Run, Simulation } from '../model/run.ts'
import { several } from '../reports/numbers.ts'
import type { Baseline, Entry } from './baseline.ts'
import { finding, notFiniteWords } from './evaluate.ts'
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
  readonly text: string
  /** Percent by which a figure may be worse. */
  readonly tolerance: number
  /** Files whose entries may have no run: what held no transcript has a finding, and what was left out on purpose is none. */
  readonly excused: ReadonlySet<string>
  exists(file: string): boolean
  commandFor(run: Run, metric: Metric): string
}

export function compareWithBaseline(
  { runs, diagnostics }: Pick<Simulation, 'runs' | 'diagnostics'>,
  { files }: Baseline,
  context: ComparisonContext,
): Comparison {
  const label = labelsOf(runs)
  const damage = firstDamage(diagnostics)
  const entries = new Entries(files)
  const outcomes: Outcome[] = []
  const added = new Set<string>()
  const recounted = new Set<string>()
  let better = 0
  for (const run of runs) {
    const entry = entries.take(run)
    if (!entry) {
      if (!added.has(run.transcript)) outcomes.push(newcomer(run, label(run), Object.hasOwn(files, run.transcript)))
      added.add(run.transcript)
      continue
    }
    const comparable = entry.estimator === run.estimator
    if (!comparable && !recounted.has(run.transcript)) outcomes.push(countedOtherwise(run, entry, label(run)))
    if (!comparable) recounted.add(run.transcript)
    const change = changeOfExtent(run, entry)
    const which = label(run)
    for (const [key, value] of Object.entries(entry.values)) {
      const metric = metricByKey.get(key)
      if (!metric || !(comparable || uncounted.includes(key))) continue
      const outcome = judge(metric, run, value, change, context, damage)
      outcomes.push({ ...outcome, run: which })
      const gain = (outcome.actual ?? value) - value
      if (change !== 'shrunk' && !extent.includes(key) && (metric.better === 'higher' ? gain > 0 : gain < 0)) better++
    }
  }
  for (const outcome of stale(runs, entries.left(), context)) outcomes.push(outcome)
  const words = `${several(better, 'figure')} better than in ${context.name}: keep that with --update-baseline`
  return { outcomes, notes: better > 0 ? [words] : [] }
}

const metricByKey = new Map(metrics.map((metric) => [metric.key, metric]))

/** Figures that do not depend on the estimator. */
const uncounted = metrics.filter(({ input }) => input !== undefined).map(({ key }) => key)

/** The entries that no run has matched yet. Runs that differ only in params or estimators are matched in order. */
class Entries {
  /** By file, then by what distinguishes its entries; in reverse order, so that the next one is popped from the end. */
  readonly #files = new Map<string, Map<string, Entry[]>>()

  constructor(files: Baseline['files']) {
    for (const [file, entries] of Object.entries(files)) {
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

function keyOf({ conversation, policy, budget }: Pick<Entry, 'conversation' | 'policy' | 'budget'>): string {
  return JSON.stringify([conversation, policy, budget])
}

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

/** Whether the transcript became smaller in any respect, or else larger. */
function changeOfExtent(run: Run, { values }: Entry): Change {
  const changes = extent.map((key) => (metricByKey.get(key)?.value(run) ?? 0) - (values[key] ?? Number.NaN))
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
    const message = notFiniteWords(metric, actual)
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
  { name, text, exists, excused }: ComparisonContext,
): Outcome[] {
  const checked = new Set(runs.map(({ transcript }) => transcript))
  const lines = linesOfFiles(text)
  const about = (file: string, message: string): Outcome => ({
    ...finding('baseline/stale', 'error'),
    file: name,
    line: lines.get(JSON.stringify(file)) ?? 0,
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

/** The line, from 1, where the entries of each file begin, by the file's name as JSON. */
function linesOfFiles(text: string): ReadonlyMap<string, number> {
  const lines = new Map<string, number>()
  for (const [index, line] of text.split('\n').entries()) {
    const name = line.match(/^\s*(".*"): \[/)?.[1]
    if (name !== undefined && !lines.has(name)) lines.set(name, index + 1)
  }
  return lines
}
