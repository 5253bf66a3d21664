/** `default`: for people. Says what failed, where, and how to see it again; one line when all is well. */

import { safe } from '../../base/quoting.ts'
import { inkFor } from '../../reports/ink.ts'
import { several } from '../../reports/numbers.ts'
import { wrap } from '../../reports/text.ts'
import { placeOf, skippedIn, summaryOf } from '../outcome.ts'
import type { CheckReporter } from './reporter.ts'

/** How far what is said of a finding stands in. */
const titleIndent = 6

const reporter: CheckReporter = {
  name: 'default',
  summary: 'for people',
  readBy: 'people',

  *render(result, { color, width }) {
    const ink = inkFor(color)
    const plainly = (text: string): string => text
    const lines = function* (text: string, indent: number, dress = plainly): Iterable<string> {
      for (const line of wrap(safe(text), width, indent, indent + 2)) yield `${dress(line)}\n`
    }
    for (const outcome of result.outcomes.filter(({ status }) => status === 'fail')) {
      const { level, rule, run, message, command } = outcome
      const [first = '', ...others] = wrap(
        safe(`${placeOf(outcome)} ${rule}${run === '' ? '' : ` (${run})`}`),
        width,
        titleIndent,
        titleIndent,
      )
      const [paint, mark] = level === 'error' ? [ink.bad, 'error'] : [ink.warning, 'warn ']
      yield `${paint(mark)} ${first.trimStart()}\n`
      for (const line of others) yield `${line}\n`
      yield* lines(message, titleIndent)
      // It is there to be pasted, so it is never broken.
      if (command) yield `${' '.repeat(titleIndent)}${ink.aside(safe(command))}\n`
      yield '\n'
    }
    for (const { rule, times } of skippedIn(result)) {
      const why = rule.startsWith('baseline/') ? 'no limit is set on it now' : 'the transcript has no such figure'
      yield* lines(`skipped ${rule} ${several(times, 'time')}: ${why}`, 0, ink.aside)
    }
    for (const note of result.notes) yield* lines(note, 0, ink.aside)
    yield* lines(summaryOf(result), 0, result.errors > 0 || result.incomplete.length > 0 ? ink.bad : ink.good)
  },
}

export default reporter
