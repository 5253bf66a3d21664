/** `recommend`: the cheapest policy and budget that lose no more than they may. */
import { recommend } from '../../app/recommend.ts'
import { recommendationSheet } from '../../reports/recommendation.ts'
import type { Call } from '../inputs/call.ts'
import { recommendedPlan, reportOrPart, settingOf, toleranceOf } from '../inputs/options.ts'
import { Reading } from '../inputs/reading.ts'
import { openSession } from '../inputs/session.ts'

export async function run(call: Call): Promise<number> {
  const session = await openSession(call)
  const { settings, output } = session
  const plan = await recommendedPlan(session, call.world)
  const report = reportOrPart(settings)
  const tolerance = toleranceOf(settings, '+0%')
  const reading = await Reading.of(call, session)
  // A policy that the user names is tried on every transcript, whatever program wrote it.
  const onlyAvailable = settingOf(settings, 'policy').origin === 'default'
  const result = await recommend(reading.read, plan, { tolerance, onlyAvailable })
  const code = reading.finish(result.transcripts)
  if (result.transcripts === 0) return code
  const options = { width: output.width, color: output.color, cuts: 'none', by: 'transcript' } as const
  await output.write(report.sheet(recommendationSheet(result, report.forPeople === true), options))
  return code
}
