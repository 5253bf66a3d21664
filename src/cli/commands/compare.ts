/** `compare`: policies side by side over the same transcripts, and which of them to take. */
import { comparisonOf, comparisonSheet } from '../../app/door.ts'
import { reports, simulateSources } from '../../index.ts'
import type { Call } from '../call.ts'
import { comparedPlan, flagOf, textOf } from '../options.ts'
import { Reading } from '../reading.ts'
import { openSession } from '../session.ts'

export async function run(call: Call): Promise<number> {
  const session = await openSession(call)
  const { settings, output } = session
  const plan = await comparedPlan(session, call.world.cwd())
  const report = reports.get(textOf(settings, 'output'))
  const strict = flagOf(settings, 'strict')
  const reading = await Reading.of(call, strict)
  const format = textOf(settings, 'format')
  const simulation = await simulateSources(reading.sources(), plan, { format }, reading.unread)
  const { runs } = simulation
  const code = reading.finish(runs.length)
  if (runs.length === 0) return code
  const comparison = comparisonOf(simulation, plan.policies, call.flags.recommend === true)
  const options = { width: output.width, color: output.color, cuts: 'none', by: 'transcript' } as const
  await output.write(report.sheet(comparisonSheet(comparison, runs), options))
  if (code !== 0) return code
  return strict && runs.some((run) => run.damagedLines > 0) ? 1 : 0
}
