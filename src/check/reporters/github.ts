/**
 * `github`: workflow commands that GitHub Actions turns into annotations beside the lines, and in which no name and no
 * message can start another.
 */
import { workflowData, workflowProperty } from '../../base/quoting.ts'
import type { CheckReporter } from './reporter.ts'

const reporter: CheckReporter = {
  name: 'github',
  summary: 'annotations of GitHub Actions',
  readBy: 'people',

  *render({ outcomes, incomplete }, { directory }) {
    for (const { level, status, file, line, rule, run, message, command } of outcomes) {
      if (status !== 'fail') continue
      const properties = [
        `file=${workflowProperty(directory + file)}`,
        ...(line > 0 ? [`line=${line}`] : []),
        `title=${workflowProperty(`ctxwin ${rule}${run === '' ? '' : ` (${run})`}`)}`,
      ]
      const lines = command === null ? [message] : [message, command]
      yield `::${level === 'error' ? 'error' : 'warning'} ${properties.join(',')}::${workflowData(lines)}\n`
    }
    for (const reason of incomplete) yield `::error title=ctxwin incomplete::${workflowData([reason])}\n`
  },
}

export default reporter
