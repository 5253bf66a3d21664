/** `compare`: policies side by side over the same transcripts, and which of them to take. */
import { comparisonOf, comparisonSheet, reports, simulateSources } from '../../index.ts'
import type { Call } from '../call.ts'
import { openInputs } from '../open.ts'
import { comparedPlan, flagOf, textOf } from '../options.ts'
import { Reading } from '../reading.ts'
import { openSession } from '../session.ts'

export async function run(call: Call): Promise<number> {
  const session = await openSession(call)
  const { settings, output } = session
  const plan = await comparedPlan(session, call.world.cwd())
  const report = reports.get(textOf(settings, 'output'))
  const strict = flagOf(settings, 'strict')
  const reading = new Reading(await openInputs(call.inputs, call.world), call.world)
  const format = textOf(settings, 'format')
  const simulation = await simulateSources(reading.sources(), plan, { format }, reading.unread)
  const { runs } = simulation
  reading.finish(runs.length)
  if (runs.length === 0) return 2
  const comparison = comparisonOf(simulation, plan.policies, call.flags.recommend === true)
  const options = { width: output.width, color: output.color, cuts: 'none', by: 'transcript' } as const
  await output.write(report.sheet(comparisonSheet(comparison, runs), options))
  output.close()
  if (reading.failed > 0) return 2
  return strict && runs.some((run) => run.damagedLines > 0) ? 1 : 0
}
