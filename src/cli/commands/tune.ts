/** `tune`: a policy that is fitted to the user's sessions, and what it has to beat. */

import { tune } from '../../app/tune/tune.ts'
import { tunedConfig, tuningSheet } from '../../reports/tuning.ts'
import { framed } from '../inputs/frame.ts'
import { heedInterrupt } from '../inputs/interrupt.ts'
import { numberOf, planOf, reportOrConfig, toleranceOf } from '../inputs/options.ts'

const usualFolds = 5
const usualSeconds = 120

export const run = framed(reportOrConfig, async ({ call, session, settings, report, read }) => {
  const { flags, world } = call
  const tolerance = toleranceOf(settings, '+1%')
  const folds = numberOf('--folds', flags.folds, usualFolds, 2)
  const seconds = numberOf('--seconds', flags.seconds, usualSeconds)
  const plan = await planOf(session, world)
  const reading = await read()
  const interrupt = world.status ? heedInterrupt() : null
  let until = Number.NaN
  const isEnough = async (): Promise<boolean> => {
    // The search begins when it first asks.
    if (Number.isNaN(until)) until = performance.now() + 1000 * seconds
    return (await interrupt?.isAsked()) === true || performance.now() > until
  }
  const tell = (tried: number, planned: number) =>
    world.status?.(tried <= planned ? `tried ${tried} of ${planned} policies` : `tried ${tried} policies`)
  const result = await tune(reading.read, plan, { tolerance, folds, isEnough, tell })
  interrupt?.[Symbol.dispose]()
  world.status?.('')
  const found = result.transcripts
  return {
    found,
    result(looks, code) {
      if (found === 0) return null
      if (report) return report.sheet(tuningSheet(result, report.forPeople === true), looks)
      const config = tunedConfig(result)
      if (config !== null) return [config]
      world.say(`there is no policy to write: ${result.outcome}`)
      return code === 0 ? 1 : code
    },
  }
})
