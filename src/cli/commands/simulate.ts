/** `simulate`: one row per transcript, policy, estimator and budget; below them the cuts. */
import { simulateFiles } from '../../app/analyse.ts'
import { CtxwinError } from '../../app/index.ts'
import { wordAmong } from '../../base/errors.ts'
import { sorts } from '../inputs/commands.ts'
import { framed } from '../inputs/frame.ts'
import { numberOf, planOf, reportOrPage, settingOf, valueFor } from '../inputs/options.ts'
import { follow } from './views/follow.ts'
import { writePage } from './views/page-output.ts'

export const run = framed(reportOrPage, async ({ call, session, settings, report, read }) => {
  const asked = await planOf(session, call.world)
  if (call.flags.follow === true) return follow(call, session, asked, null)
  const by = valueFor(settings, 'by')
  const { full, top } = call.flags
  const shown = {
    ...{ by, cuts: valueFor(settings, 'cuts'), sort: wordAmong(sorts, '--sort', call.flags.sort ?? 'cost') },
    top: full === true ? Infinity : numberOf('--top', top, 10, 1, 'a number of transcripts'),
  }
  const plan = { ...asked, copies: call.flags.why === true || by === 'reference' }
  if (report === null) {
    if (by !== 'transcript') {
      throw new CtxwinError('bad-value', settingOf(settings, 'by').where, by, 'transcript: a page has no rows')
    }
    return (await writePage(call, session, plan, {})).code
  }
  const simulation = await simulateFiles((await read()).read, plan, { by })
  const found = simulation.runs.length
  const isEmpty = (code: number) => found === 0 && (code !== 0 || report.forPeople)
  return { found, result: (looks, code) => (isEmpty(code) ? null : report.render(simulation, { ...looks, ...shown })) }
})
