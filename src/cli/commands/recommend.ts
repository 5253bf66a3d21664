/** `recommend`: the policy and budget that save most for what they lose, among what is usual, or all that there is. */
import { recommend } from '../../app/answer/recommend.ts'
import { wordAmong } from '../../base/errors.ts'
import { risks } from '../../model/recommendation.ts'
import { recommendationSheet } from '../../reports/recommendation.ts'
import type { Call } from '../inputs/call.ts'
import {
  askedOf,
  asksForAll,
  flagOf,
  isDefault,
  planOf,
  reportOrPart,
  sessionsOf,
  toleranceOf,
} from '../inputs/options.ts'
import { Reading } from '../inputs/reading.ts'
import { openSession } from '../inputs/session.ts'

/** From a short chat to the largest windows: powers of two, and 1.5 times those. */
const allBudgets = [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048].flatMap((size) => [size * 1000, size * 1500])

export async function run(call: Call): Promise<number> {
  const session = await openSession(call)
  const { settings, output } = session
  const plan = await planOf(session, call.world, allBudgets)
  const report = reportOrPart(settings)
  const choice = {
    risk: wordAmong(risks, '--risk', call.flags.risk ?? 'balanced'),
    tolerance: isDefault(settings, 'tolerance') ? null : toleranceOf(settings, '+0%'),
  }
  const reading = await Reading.of(call, session)
  const result = await recommend(reading.read, plan, { ...choice, ...askedOf(settings, plan), ...sessionsOf(settings) })
  const transcripts = result.decisions.reduce((sum, decision) => sum + decision.transcripts, 0)
  const code = reading.finish(transcripts)
  if (transcripts === 0) return code
  const options = { width: output.width, color: output.color, cuts: 'none', by: 'transcript' } as const
  const shown = {
    forPeople: report.forPeople === true,
    inShares: flagOf(settings, 'plan'),
    isFull: call.flags.full === true,
    isCurve: asksForAll(settings, 'budget'),
  }
  await output.write(report.sheet(recommendationSheet(result, shown), options))
  return code
}
