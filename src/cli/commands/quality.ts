/** `quality`: from which size of the window on the recorded agent worked worse. */

import { choose, type Endpoint, estimators } from '../../app/index.ts'
import { quality } from '../../app/quality/quality.ts'
import { wordAmong } from '../../base/errors.ts'
import { endpoints } from '../../model/quality.ts'
import { qualitySheet, renderQuality } from '../../reports/quality.ts'
import { framed } from '../inputs/frame.ts'
import { numberOf, reportOrPart } from '../inputs/options.ts'

export const run = framed(reportOrPart, async ({ call, report, read }) => {
  const how = {
    endpoints: endpointsOf(call.flags.endpoint),
    seed: numberOf('--seed', call.flags.seed, 1, 0, 'a whole number such as 1'),
  }
  const plan = { policies: [], budgets: [], estimators: [choose(estimators.get('auto'))], references: true }
  const reading = await read()
  const result = await quality(reading.read, plan, how)
  return {
    found: result.transcripts,
    result(looks) {
      if (result.transcripts === 0) return null
      return report.name === 'table' ? renderQuality(result, looks) : report.sheet(qualitySheet(result), looks)
    },
  }
})

function endpointsOf(given: unknown): readonly Endpoint[] {
  if (given === undefined) return endpoints
  return String(given)
    .split(',')
    .map((word) => wordAmong(endpoints, '--endpoint', word.trim()))
}
