/**
 * `github`: workflow commands that GitHub Actions turns into annotations beside the lines. Escaped as the runner's own
 * toolkit does it (actions/toolkit, packages/core/src/command.ts), so that no name and no message can start a command.
 */
import { safe } from '../../reports/safe.ts'
import type { CheckReporter } from './reporter.ts'

const reporter: CheckReporter = {
  name: 'github',
  summary: 'annotations of GitHub Actions',
  readBy: 'people',

  *render({ outcomes, incomplete }, { directory }) {
    for (const { level, status, file, line, rule, run, message, command } of outcomes) {
      if (status !== 'fail') continue
      const properties = [
        `file=${property(safe(directory + file))}`,
        ...(line > 0 ? [`line=${line}`] : []),
        `title=${property(safe(`ctxwin ${rule}${run === '' ? '' : ` (${run})`}`))}`,
      ]
      const text = command === null ? safe(message) : `${safe(message)}\n${safe(command)}`
      yield `::${level === 'error' ? 'error' : 'warning'} ${properties.join(',')}::${data(text)}\n`
    }
    for (const reason of incomplete) yield `::error title=ctxwin incomplete::${data(safe(reason))}\n`
  },
}

export default reporter

function data(text: string): string {
  return text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A')
}

function property(text: string): string {
  return data(text).replaceAll(':', '%3A').replaceAll(',', '%2C')
}
