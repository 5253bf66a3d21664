/** `recommend`: the policy and budget that save most for what they lose, among what is usual, or all that there is. */
import { recommend } from '../../app/answer/recommend.ts'
import { wordAmong } from '../../base/errors.ts'
import { risks } from '../../model/recommendation.ts'
import { recommendationSheet } from '../../reports/recommendation.ts'
import { framed } from '../inputs/frame.ts'
import { misuse } from '../inputs/misuse.ts'
import {
  askedOf,
  asksForAll,
  isDefault,
  planOf,
  reportOrPart,
  sessionsOf,
  toleranceOf,
  valueFor,
} from '../inputs/options.ts'

/** From a short chat to the largest windows: powers of two, and 1.5 times those. */
const allBudgets = [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048].flatMap((size) => [size * 1000, size * 1500])

export const run = framed(reportOrPart, async ({ call, session, settings, report, read }) => {
  const plan = await planOf(session, call.world, allBudgets)
  const choice = {
    risk: wordAmong(risks, '--risk', call.flags.risk ?? 'balanced'),
    tolerance: isDefault(settings, 'tolerance') ? null : toleranceOf(settings, '+0%'),
  }
  if (call.flags.risk !== undefined && choice.tolerance)
    throw misuse('--risk and --tolerance are two ways to say how much may be lost: give one')
  const reading = await read()
  const result = await recommend(reading.read, plan, { ...choice, ...askedOf(settings, plan), ...sessionsOf(settings) })
  const shown = {
    forPeople: report.forPeople === true,
    inShares: valueFor(settings, 'plan'),
    isFull: call.flags.full === true,
    isCurve: asksForAll(settings, 'budget'),
  }
  const found = result.decisions.reduce((sum, { transcripts }) => sum + transcripts, 0)
  return { found, result: (looks) => (found === 0 ? null : report.sheet(recommendationSheet(result, shown), looks)) }
})
