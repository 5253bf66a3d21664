/** `compare`: policies side by side over the same transcripts. */
import { compareFiles } from '../../app/compare.ts'
import { comparisonSheet } from '../../reports/comparison.ts'
import type { Call } from '../inputs/call.ts'
import { comparedPlan, decidesBy, isDefault, reportOrPage } from '../inputs/options.ts'
import { Reading } from '../inputs/reading.ts'
import { openSession } from '../inputs/session.ts'
import { writePage } from './views/page-output.ts'

export async function run(call: Call): Promise<number> {
  const session = await openSession(call)
  const { settings, output } = session
  const plan = await comparedPlan(session, call.world)
  const report = reportOrPage(settings)
  const onlyAvailable = isDefault(settings, 'policy')
  if (report === null) {
    // On a page policies are chosen, and what knows the future is none to choose.
    const policies = plan.policies.filter(({ plugin }) => !plugin.looksAhead)
    return (await writePage(call, session, { ...plan, policies }, { onlyAvailable })).code
  }
  const reading = await Reading.of(call, session)
  const { comparison, overview } = await compareFiles(reading.read, plan, {
    onlyAvailable,
    ...(onlyAvailable && decidesBy(settings, plan)),
  })
  const code = reading.finish(overview.runs)
  if (overview.runs === 0 && (code !== 0 || report.forPeople)) return code
  const options = { width: output.width, color: output.color, cuts: 'none', by: 'transcript' } as const
  await output.write(report.sheet(comparisonSheet(comparison, overview), options))
  return code
}
