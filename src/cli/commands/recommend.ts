/** `recommend`: the cheapest policy and budget that lose no more than they may. */
import { recommend } from '../../app/recommend.ts'
import { recommendationSheet } from '../../reports/recommendation.ts'
import type { Call } from '../inputs/call.ts'
import { askedOf, flagOf, planOf, reportOrPart, toleranceOf } from '../inputs/options.ts'
import { Reading } from '../inputs/reading.ts'
import { openSession } from '../inputs/session.ts'

export async function run(call: Call): Promise<number> {
  const session = await openSession(call)
  const { settings, output } = session
  const plan = await planOf(session, call.world)
  const report = reportOrPart(settings)
  const tolerance = toleranceOf(settings, '+0%')
  const reading = await Reading.of(call, session)
  const result = await recommend(reading.read, plan, { tolerance, ...askedOf(settings, plan) })
  const transcripts = result.decisions.reduce((sum, decision) => sum + decision.transcripts, 0)
  const code = reading.finish(transcripts)
  if (transcripts === 0) return code
  const options = { width: output.width, color: output.color, cuts: 'none', by: 'transcript' } as const
  await output.write(
    report.sheet(recommendationSheet(result, report.forPeople === true, flagOf(settings, 'plan')), options),
  )
  return code
}
