/** `quality`: from which size of the window on the recorded agent worked worse. */

import { CtxwinError, choose, type Endpoint, estimators } from '../../app/index.ts'
import { quality } from '../../app/quality/quality.ts'
import { wordAmong } from '../../base/errors.ts'
import { endpoints } from '../../model/quality.ts'
import { qualitySheet, renderQuality } from '../../reports/quality.ts'
import type { Call } from '../inputs/call.ts'
import { reportOrPart } from '../inputs/options.ts'
import { Reading } from '../inputs/reading.ts'
import { openSession } from '../inputs/session.ts'

export async function run(call: Call): Promise<number> {
  const session = await openSession(call)
  const { settings, output } = session
  const report = reportOrPart(settings)
  const how = { endpoints: endpointsOf(call.flags.endpoint), ...seedOf(call.flags.seed) }
  const plan = { policies: [], budgets: [], estimators: [choose(estimators.get('auto'))], references: true }
  const reading = await Reading.of(call, session)
  const result = await quality(reading.read, plan, how)
  const code = reading.finish(result.transcripts)
  if (reading.isPart || result.transcripts === 0) return code
  const options = { width: output.width, color: output.color, cuts: 'none', by: 'transcript' } as const
  await output.write(
    report.name === 'table' ? renderQuality(result, options) : report.sheet(qualitySheet(result), options),
  )
  return code
}

function endpointsOf(given: unknown): readonly Endpoint[] {
  if (given === undefined) return endpoints
  return String(given)
    .split(',')
    .map((word) => wordAmong(endpoints, '--endpoint', word.trim()))
}

function seedOf(word: unknown): { readonly seed?: number } {
  if (word === undefined) return {}
  if (/^\d{1,9}$/.test(String(word))) return { seed: Number(word) }
  throw new CtxwinError('bad-value', '--seed', word, 'a whole number such as 1')
}
