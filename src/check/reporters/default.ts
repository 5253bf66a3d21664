/** `default`: for people. Says what failed, where, and how to see it again; one line when all is well. */
import { several } from '../../reports/numbers.ts'
import { safe } from '../../reports/safe.ts'
import { inkFor } from '../../reports/table.ts'
import { type Outcome, placeOf, skippedIn, summaryOf } from '../outcome.ts'
import type { CheckReporter } from './reporter.ts'

const reporter: CheckReporter = {
  name: 'default',
  summary: 'for people',
  readBy: 'people',

  *render(result, { color }) {
    const ink = inkFor(color)
    const title = ({ level, rule, run }: Outcome, place: string) =>
      `${level === 'error' ? ink.bad('error') : ink.bold('warn ')} ${ink.bold(place)} ${rule}${run === '' ? '' : ink.dim(` (${safe(run)})`)}\n`
    for (const outcome of result.outcomes.filter(({ status }) => status === 'fail')) {
      yield title(outcome, safe(placeOf(outcome)))
      yield `      ${safe(outcome.message)}\n`
      if (outcome.command) yield `      ${ink.dim(safe(outcome.command))}\n`
      yield '\n'
    }
    for (const { rule, times } of skippedIn(result)) {
      const why = rule.startsWith('baseline/') ? 'no limit is set on it now' : 'the transcript has no such figure'
      yield `${ink.dim(`skipped ${rule} ${several(times, 'time')}: ${why}`)}\n`
    }
    for (const note of result.notes) yield `${ink.dim(safe(note))}\n`
    const summary = safe(summaryOf(result))
    yield `${result.errors > 0 || result.incomplete.length > 0 ? ink.bad(summary) : ink.good(summary)}\n`
  },
}

export default reporter
