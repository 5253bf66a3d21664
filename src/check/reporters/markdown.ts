/** `markdown`: for the summary of a job or a comment on a pull request. */

import { markdownCode, markdownRow, markdownText } from '../../base/quoting.ts'
import { several } from '../../reports/numbers.ts'
import { placeOf, summaryOf } from '../outcome.ts'
import type { CheckReporter } from './reporter.ts'

/** GitHub refuses summaries over a megabyte, and longer ones are not read. */
const most = 100

const reporter: CheckReporter = {
  name: 'markdown',
  summary: 'a table for the summary of a job',
  readBy: 'people',

  *render(result) {
    const findings = result.outcomes.filter(({ status }) => status === 'fail')
    yield `### ctxwin check\n\n${summaryOf({ ...result, incomplete: result.incomplete.map(markdownText) })}\n`
    if (findings.length > 0) {
      yield '\n| | where | rule | finding |\n| --- | --- | --- | --- |\n'
      for (const outcome of findings.slice(0, most)) {
        const { level, rule, run, message } = outcome
        const cells = [placeOf(outcome), run === '' ? rule : `${rule} (${run})`, message].map(markdownText)
        yield markdownRow([level, ...cells])
      }
      if (findings.length > most) yield `\n… and ${several(findings.length - most, 'more finding')}.\n`
      const commands = new Set(findings.slice(0, most).flatMap(({ command }) => command ?? []))
      if (commands.size > 0) yield '\nTo see them again:\n\n'
      for (const command of commands) yield `- ${markdownCode(command)}\n`
    }
    for (const note of result.notes) yield `\n${markdownText(note)}\n`
  },
}

export default reporter
