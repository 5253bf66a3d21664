/**
 * `junit`: XML for the test pages of Jenkins, GitLab, Azure and the like: a suite for each file, a case for each thing
 * that was looked at. There is no official schema; this keeps to what Jenkins' xunit plugin publishes (junit-10.xsd).
 * It has no times: the same input gives the same bytes.
 */
import { safe } from '../../reports/safe.ts'
import { type Outcome, placeOf } from '../outcome.ts'
import type { CheckReporter } from './reporter.ts'

const reporter: CheckReporter = {
  name: 'junit',
  summary: 'JUnit XML, for CI servers',
  readBy: 'programs',

  *render({ outcomes, errors }) {
    yield '<?xml version="1.0" encoding="UTF-8"?>\n'
    yield `<testsuites name="ctxwin check" tests="${outcomes.length}" failures="${errors}" errors="0">\n`
    const files = new Map<string, Outcome[]>()
    for (const outcome of outcomes) files.set(outcome.file, [...(files.get(outcome.file) ?? []), outcome])
    for (const [file, cases] of files) {
      const failures = cases.filter(isFailure).length
      const skipped = cases.filter(({ status }) => status === 'skipped').length
      yield `  <testsuite name="${xml(file)}" tests="${cases.length}" failures="${failures}" errors="0" skipped="${skipped}">\n`
      for (const outcome of cases) yield* testcase(outcome)
      yield '  </testsuite>\n'
    }
    yield '</testsuites>\n'
  },
}

export default reporter

function isFailure({ status, level }: Outcome): boolean {
  return status === 'fail' && level === 'error'
}

function* testcase(outcome: Outcome): Iterable<string> {
  const { rule, file, run, status, message, command } = outcome
  const open = `    <testcase name="${xml(run === '' ? rule : `${rule} (${run})`)}" classname="${xml(file)}"`
  if (status === 'pass') {
    yield `${open}/>\n`
    return
  }
  yield `${open}>\n`
  const text = [placeOf(outcome), message, ...(command === null ? [] : [command])].map(xml).join('\n')
  if (status === 'skipped') yield `      <skipped message="${xml(message)}"/>\n`
  else if (isFailure(outcome)) yield `      <failure type="${xml(rule)}" message="${xml(message)}">${text}</failure>\n`
  // JUnit knows no warnings: the case passes, and says what it has to say.
  else yield `      <system-out>warning: ${text}</system-out>\n`
  yield '    </testcase>\n'
}

const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }

/** Text in XML, which has no control characters, no lone surrogates and no U+FFFE and U+FFFF, not even as references. */
function xml(text: string): string {
  return safe(text)
    .replaceAll(/[&<>"]/g, (character) => entities[character] as string)
    .replaceAll(/[\ufffe\uffff]/g, '\ufffd')
}
