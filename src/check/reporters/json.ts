/** `json`: the whole result, passed outcomes included, for programs. */
import { printJson } from '../../reports/json.ts'
import type { CheckReporter } from './reporter.ts'

const reporter: CheckReporter = {
  name: 'json',
  summary: 'everything, for programs',
  readBy: 'programs',

  *render(result) {
    yield printJson(result)
  },
}

export default reporter
