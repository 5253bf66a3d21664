/**
 * `junit`: XML for the test pages of Jenkins, GitLab, Azure and the like: a suite for each file, a case for each thing
 * that was looked at. There is no official schema; this keeps to what Jenkins' xunit plugin publishes (junit-10.xsd).
 * It has no times: the same input gives the same bytes.
 */
import { xml } from '../../base/quoting.ts'
import { type Outcome, placeOf } from '../outcome.ts'
import type { CheckReporter } from './reporter.ts'

const reporter: CheckReporter = {
  name: 'junit',
  summary: 'JUnit XML, for CI servers',
  readBy: 'programs',

  *render({ outcomes, incomplete }) {
    const total = { tests: outcomes.length + incomplete.length, ...countsOf(outcomes) }
    yield '<?xml version="1.0" encoding="UTF-8"?>\n'
    yield `<testsuites name="ctxwin check" tests="${total.tests}" failures="${total.failures}" errors="${total.errors + incomplete.length}">\n`
    const files = new Map<string, Outcome[]>()
    for (const outcome of outcomes) {
      const cases = files.get(outcome.file)
      if (cases) cases.push(outcome)
      else files.set(outcome.file, [outcome])
    }
    for (const [file, cases] of files) {
      const { failures, errors, skipped } = countsOf(cases)
      yield `  <testsuite name="${xml(file)}" tests="${cases.length}" failures="${failures}" errors="${errors}" skipped="${skipped}">\n`
      for (const outcome of cases) yield* testcase(outcome)
      yield '  </testsuite>\n'
    }
    if (incomplete.length > 0) yield* unfinished(incomplete)
    yield '</testsuites>\n'
  },
}

export default reporter

type Kind = 'pass' | 'skipped' | 'failure' | 'error' | 'warning'

/** JUnit distinguishes a failed test from one that could not run: a file that cannot be read was not tested. */
function kindOf({ status, level, rule }: Outcome): Kind {
  if (status !== 'fail') return status
  if (level === 'warn') return 'warning'
  return rule === 'unreadable' ? 'error' : 'failure'
}

function countsOf(cases: readonly Outcome[]): { failures: number; errors: number; skipped: number } {
  const counts = { pass: 0, skipped: 0, failure: 0, error: 0, warning: 0 }
  for (const outcome of cases) counts[kindOf(outcome)]++
  return { failures: counts.failure, errors: counts.error, skipped: counts.skipped }
}

/** Why the check is incomplete, as tests that could not run: otherwise a server would show all tests as passed. */
function* unfinished(reasons: readonly string[]): Iterable<string> {
  yield `  <testsuite name="ctxwin check" tests="${reasons.length}" failures="0" errors="${reasons.length}" skipped="0">\n`
  for (const reason of reasons) {
    yield '    <testcase name="incomplete" classname="ctxwin check">\n'
    yield `      <error type="incomplete" message="${xml(reason)}">${xml(reason)}</error>\n`
    yield '    </testcase>\n'
  }
  yield '  </testsuite>\n'
}

function* testcase(outcome: Outcome): Iterable<string> {
  const { rule, file, run, message, command } = outcome
  const kind = kindOf(outcome)
  const open = `    <testcase name="${xml(run === '' ? rule : `${rule} (${run})`)}" classname="${xml(file)}"`
  if (kind === 'pass') {
    yield `${open}/>\n`
    return
  }
  yield `${open}>\n`
  const text = [placeOf(outcome), message, ...(command === null ? [] : [command])].map(xml).join('\n')
  if (kind === 'skipped') yield `      <skipped message="${xml(message)}"/>\n`
  // JUnit has no warnings: the case passes, with the warning as its output.
  else if (kind === 'warning') yield `      <system-out>warning: ${text}</system-out>\n`
  else yield `      <${kind} type="${xml(rule)}" message="${xml(message)}">${text}</${kind}>\n`
  yield '    </testcase>\n'
}
