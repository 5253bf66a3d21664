/** `simulate`: one row per transcript, policy, estimator and budget; below them the cuts. */
import { simulateFiles } from '../../app/analyse.ts'
import { CtxwinError, type ReportOptions } from '../../app/index.ts'
import { wordAmong } from '../../base/errors.ts'
import type { Call } from '../inputs/call.ts'
import { sorts } from '../inputs/commands.ts'
import { planOf, reportOrPage, settingOf, wordOf } from '../inputs/options.ts'
import { Reading } from '../inputs/reading.ts'
import { openSession } from '../inputs/session.ts'
import { follow } from './views/follow.ts'
import { writePage } from './views/page-output.ts'

export async function run(call: Call): Promise<number> {
  const session = await openSession(call)
  const { settings, output } = session
  const asked = await planOf(session, call.world)
  if (call.flags.follow === true) return follow(call, session, asked, null)
  const report = reportOrPage(settings)
  const options = {
    width: output.width,
    color: output.color,
    cuts: wordOf(settings, 'cuts') as ReportOptions['cuts'],
    by: wordOf(settings, 'by') as ReportOptions['by'],
    sort: wordAmong(sorts, '--sort', call.flags.sort ?? 'cost'),
    top: topOf(call.flags),
  }
  const plan = { ...asked, copies: call.flags.why === true || options.by === 'reference' }
  if (report === null) {
    if (options.by !== 'transcript') {
      throw new CtxwinError('bad-value', settingOf(settings, 'by').where, options.by, 'transcript: a page has no rows')
    }
    return (await writePage(call, session, plan, {})).code
  }
  const reading = await Reading.of(call, session)
  const simulation = await simulateFiles(reading.read, plan, { by: options.by })
  const code = reading.finish(simulation.runs.length)
  if (simulation.runs.length === 0 && (code !== 0 || report.forPeople)) return code
  await output.write(report.render(simulation, options))
  return code
}

/** @throws CtxwinError for a number of transcripts that is none */
function topOf({ top, full }: Readonly<Record<string, unknown>>): number {
  if (full === true) return Infinity
  if (top === undefined) return 10
  if (!/^[1-9]\d{0,8}$/.test(String(top))) throw new CtxwinError('bad-value', '--top', top, 'a number of transcripts')
  return Number(top)
}
