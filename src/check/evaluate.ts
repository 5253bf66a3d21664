/** Evaluates assertions on runs. */
import type { Run, Simulation } from '../model/run.ts'
import type { Aggregate, Assertion, Matches, Rules } from './assertions.ts'
import { configurationOf, difference, figure, labelsOf } from './labels.ts'
import { best, firstDamage, type Metric } from './metrics.ts'
import type { Outcome } from './outcome.ts'

/** The runs that an assertion looks at together: one, or all of one policy, estimator and budget. */
interface Group {
  readonly assertion: Assertion
  readonly runs: Run[]
}

/** The outcome of each assertion, in the order of the runs. */
export function evaluate(
  { runs, diagnostics }: Pick<Simulation, 'runs' | 'diagnostics'>,
  rules: Rules,
  matches: Matches,
  commandFor: (run: Run, metric: Metric) => string | null,
): Outcome[] {
  const label = labelsOf(runs)
  const damage = firstDamage(diagnostics)
  const outcomes = groupsOf(runs, rules, matches).map((group): Outcome => {
    const { assertion } = group
    const { judgement, run } = judge(group)
    const { line, words } = assertion.metric.cause(run, assertion.limit, damage)
    return {
      ...judgement,
      message:
        judgement.status === 'fail' && words !== undefined ? `${judgement.message}; ${words}` : judgement.message,
      file: run.transcript,
      line,
      run: assertion.aggregate === 'each' && assertion.metric.input !== 'file' ? label(run) : '',
      command: commandFor(run, assertion.metric),
    }
  })
  return [...outcomes, ...idle(outcomes), ...unmatched(runs, rules, matches)]
}

function groupsOf(runs: readonly Run[], rules: Rules, matches: Matches): Group[] {
  const groups = new Map<Assertion, Map<string, Group>>()
  const inOrder: Group[] = []
  // Matched once per file: it may hold a hundred thousand conversations.
  const ofFiles = new Map<string, readonly Assertion[]>()
  const firstOfFile = new Map<string, number>()
  for (const [index, run] of runs.entries()) {
    if (!firstOfFile.has(run.transcript)) firstOfFile.set(run.transcript, index)
    const assertions = ofFiles.get(run.transcript) ?? assertionsFor(run.transcript, rules, matches)
    ofFiles.set(run.transcript, assertions)
    for (const assertion of assertions) {
      const ofFile = assertion.metric.input === 'file'
      if (ofFile && firstOfFile.get(run.transcript) !== index) continue
      // Dollars and token equivalents cannot be added.
      const key = assertion.aggregate === 'each' ? String(index) : ofFile ? '' : configurationOf(run) + run.cost.unit
      const known = groups.get(assertion) ?? new Map<string, Group>()
      groups.set(assertion, known)
      const group = known.get(key)
      if (group) group.runs.push(run)
      else {
        const begun = { assertion, runs: [run] }
        known.set(key, begun)
        inOrder.push(begun)
      }
    }
  }
  return inOrder
}

function assertionsFor(file: string, { assert, overrides, given }: Rules, matches: Matches): Assertion[] {
  const sections = overrides.filter(({ files }) => files.some((pattern) => matches(file, pattern)))
  const found = new Map([...assert, ...sections.flatMap((section) => [...section.assert]), ...given])
  return [...found.values()].filter((assertion) => assertion !== null)
}

/** The figure, and the run that contributes most to it. */
function judge({ assertion, runs }: Group): {
  judgement: Omit<Outcome, 'file' | 'line' | 'run' | 'command'>
  run: Run
} {
  const { rule, level, limit, bound, metric, aggregate } = assertion
  const valued = runs.flatMap((run) => {
    const value = metric.value(run)
    return value === null ? [] : [{ run, value }]
  })
  const notFinite = valued.find(({ value }) => !Number.isFinite(value))
  const weightiest = notFinite ?? best(valued, ({ value }) => (bound === 'max' ? value : -value))
  const run = weightiest?.run ?? (runs[0] as Run)
  const common = { rule, level, metric: metric.key, limit }
  if (valued.length === 0) {
    const message = `${metric.key}: no such figure here`
    return { judgement: { ...common, status: 'skipped', actual: null, difference: null, message }, run }
  }
  if (notFinite) {
    const { value: actual } = notFinite
    return {
      judgement: { ...common, status: 'fail', actual, difference: null, message: notFigureWords(metric, actual) },
      run,
    }
  }
  const actual = aggregated[aggregate](valued.map(({ value }) => value))
  const away = difference(actual, limit)
  const who = aggregate === 'each' ? metric.key : `${metric.key} (${aggregate} of ${valued.length})`
  const words = (value: number) => figure(value, metric.unit, run.cost.unit)
  const allowed = bound === 'max' ? `at most ${words(limit)} allowed` : `at least ${words(limit)} demanded`
  const by = away === 0 ? '' : ` (${words(Math.abs(away))} ${away > 0 ? 'over' : 'under'})`
  return {
    judgement: {
      ...common,
      status: (bound === 'max' ? actual > limit : actual < limit) ? 'fail' : 'pass',
      actual,
      difference: away,
      message: `${who} is ${words(actual)}, ${allowed}${by}`,
    },
    run,
  }
}

/** Of at least one value. */
const aggregated: Readonly<Record<Aggregate, (values: readonly number[]) => number>> = {
  each: (values) => values[0] as number,
  max: (values) => values.reduce((a, b) => Math.max(a, b)),
  sum: (values) => values.reduce((a, b) => a + b),
  median(values) {
    const sorted = values.toSorted((a, b) => a - b)
    const middle = (sorted.length - 1) / 2
    return ((sorted[Math.floor(middle)] as number) + (sorted[Math.ceil(middle)] as number)) / 2
  },
}

/** An assertion on a figure that no run has checks nothing: the user should know. */
function idle(outcomes: readonly Outcome[]): Outcome[] {
  const used = new Set(outcomes.filter(({ status }) => status !== 'skipped').map(({ rule }) => rule))
  const idlers = new Map(outcomes.filter(({ rule }) => !used.has(rule)).map((outcome) => [outcome.rule, outcome]))
  return [...idlers.values()].map((outcome) => ({
    ...outcome,
    level: 'warn',
    status: 'fail',
    line: 0,
    run: '',
    message: `${outcome.metric}: no transcript here has this figure, so nothing was checked`,
  }))
}

/** The same for an override that matches no file. */
function unmatched(runs: readonly Run[], { overrides }: Rules, matches: Matches): Outcome[] {
  const files = [...new Set(runs.map((run) => run.transcript))]
  const idle = overrides.flatMap(({ where, config, files: patterns }) =>
    patterns
      .filter((pattern) => !files.some((file) => matches(file, pattern)))
      .map((pattern) => ({ file: config, message: `${where}: "${pattern}" matches none of the checked files` })),
  )
  return idle.map((words) => ({ ...finding('overrides', 'warn'), ...words }))
}

/** A sum that overflowed, a share of nothing: no limit can be applied to it, and it must not pass for that reason. */
export const notFigureWords = ({ key }: Metric, value: number): string =>
  `${key} is ${value}, which is no figure that can be held to anything`

/** The start of an outcome that is about no figure. */
export function finding(rule: string, level: Outcome['level']): Omit<Outcome, 'file' | 'message'> {
  const none = { metric: null, actual: null, limit: null, difference: null, command: null }
  return { rule, level, status: 'fail', line: 0, run: '', ...none }
}
