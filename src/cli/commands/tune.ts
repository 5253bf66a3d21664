/** `tune`: a policy that is fitted to the user's sessions, and what it has to beat. */

import { CtxwinError } from '../../app/index.ts'
import { tune } from '../../app/tune/tune.ts'
import { tunedConfig, tuningSheet } from '../../reports/tuning.ts'
import type { Call } from '../inputs/call.ts'
import { heedInterrupt } from '../inputs/interrupt.ts'
import { planOf, reportOrConfig, toleranceOf } from '../inputs/options.ts'
import { Reading } from '../inputs/reading.ts'
import { openSession } from '../inputs/session.ts'

const usualFolds = 5
const usualSeconds = 120

export async function run(call: Call): Promise<number> {
  const { flags, world } = call
  const session = await openSession(call)
  const { settings, output } = session
  const report = reportOrConfig(settings)
  const tolerance = toleranceOf(settings, '+1%')
  const folds = numberOf('--folds', flags.folds, usualFolds, 2)
  const seconds = numberOf('--seconds', flags.seconds, usualSeconds, 1)
  const plan = await planOf(session, world)
  const reading = await Reading.of(call, session)
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
  const code = reading.finish(result.transcripts)
  if (result.transcripts === 0) return code
  if (report === null) {
    const config = tunedConfig(result)
    if (config !== null) await output.write([config])
    else world.say(`there is no policy to write: ${result.outcome}`)
    return config === null && code === 0 ? 1 : code
  }
  const options = { width: output.width, color: output.color, cuts: 'none', by: 'transcript' } as const
  await output.write(report.sheet(tuningSheet(result, report.forPeople === true), options))
  return code
}

function numberOf(flag: string, word: unknown, usual: number, least: number): number {
  if (word === undefined) return usual
  const number = Number(word)
  if (/^\d{1,6}$/.test(String(word)) && number >= least) return number
  throw new CtxwinError('bad-value', flag, word, `a whole number of at least ${least}`)
}
