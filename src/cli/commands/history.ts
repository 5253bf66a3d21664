/** `history`: the picture of one transcript: what has left the window, the rule, what is inside. */

import { compactionSums } from '../../app/bill/compaction-sums.ts'
import { compactionsIn, FileSpending, familySpending } from '../../app/bill/session-spending.ts'
import { sessionPicture } from '../../app/by-plan.ts'
import {
  CtxwinError,
  historyOf,
  type Plan,
  type ReadSettings,
  reports,
  type Source,
  type Trace,
} from '../../app/index.ts'
import { compactionColumns } from '../../reports/columns/compactions.ts'
import { renderHistory } from '../../reports/history.ts'
import { sessionSvg } from '../../reports/html/session/view.ts'
import { printJson } from '../../reports/json.ts'
import { requestSheet } from '../../reports/session-spending.ts'
import { compactionSheet } from '../../reports/spending.ts'
import type { Call } from '../inputs/call.ts'
import { misuse } from '../inputs/misuse.ts'
import { onlyTranscript } from '../inputs/only.ts'
import { planOf, reportOf, settingOf } from '../inputs/options.ts'
import { relativesOf } from '../inputs/relatives.ts'
import { openSession } from '../inputs/session.ts'
import { historyOutputs } from '../inputs/settings.ts'
import type { Size } from '../output/full-screen.ts'
import { requestAt } from './moment.ts'
import { follow } from './views/follow.ts'
import { writePage } from './views/page-output.ts'
import { stepping } from './views/stepping.ts'
import { firstOf } from './views/windows.ts'

/** In pixels: fits into a README, and into a comment on a pull request. */
const svgWidth = 960

export async function run(call: Call): Promise<number> {
  if (call.flags.exchanges === true) return (await import('./views/exchanges.ts')).exchanges(call)
  const [, second] = call.inputs
  if (second !== undefined) {
    throw misuse(`history shows one session, and ${second} is another: name one, or add --exchanges`)
  }
  if (call.flags.request === true) return (await import('./views/request.ts')).request(call)
  const session = await openSession(call)
  const { settings, output } = session
  const plan = await planOf(session, call.world)
  const { value: format, where } = settingOf(settings, 'output')
  const isList = call.flags.compactions === true
  if (!isList && !historyOutputs.some((name) => name === format)) {
    reportOf(settings)
    throw new CtxwinError('bad-value', where, format, `one of ${historyOutputs.join(', ')}: a picture has no rows`)
  }
  const one = firstOf(plan)
  if (isList) return compactions(call, session, one)
  if (format === 'html') {
    if (call.flags.at !== undefined)
      throw misuse('--at is not for a page, which shows the whole session; --output svg takes it')
    return (await writePage(call, session, one, { newest: true })).code
  }
  if (call.flags.follow === true) {
    const all = call.flags.full === true
    const draw = (trace: Trace, { columns }: Size) =>
      [...renderHistory(historyOf(trace, one, null), { width: columns, color: output.color, all })].join('').split('\n')
    return follow(call, session, one, draw, true)
  }
  const spending = new FileSpending(one)
  const { trace, sources, how, code } = await onlyTranscript(call, session, plan, (read) => spending.add(read))
  if (trace === null) return code
  const at = requestAt(call.flags.at, trace)
  if (format === 'svg') {
    await output.write([sessionSvg(sessionPicture(trace, one), { width: svgWidth, at })])
    return code
  }
  const all = call.flags.full === true
  const { fullScreen } = call.world
  if (call.flags.step === true && format === 'table' && output.isTerminal && fullScreen) {
    await fullScreen(stepping(trace, one, at, { color: output.color, all, spent: spending.of(trace) }))
    return code
  }
  const view = historyOf(trace, plan, at)
  const spent = spending.of(trace, await familyOf(trace, sources, one, how))
  if (format === 'json') {
    await output.write([printJson({ ...view, spent })])
    return code
  }
  if (call.flags.costs === true) {
    if (spent === null) throw misuse('--costs: no usage is recorded, so the cost is unknown')
    await output.write(reports.get('table').sheet(requestSheet(spent), { ...output.looks, by: 'request' }))
    return code
  }
  const options = { width: output.width, color: output.color, all, lost: call.flags.lost === true, spent }
  await output.write(renderHistory(view, options))
  return code
}

/** `history --compactions`: a row for each recorded compaction. */
async function compactions(call: Call, session: Awaited<ReturnType<typeof openSession>>, plan: Plan): Promise<number> {
  const { settings, output } = session
  const report = reportOf(settings)
  const whole = { ...plan, references: true, copies: true }
  const { trace, code } = await onlyTranscript(call, session, whole)
  if (trace === null) return code
  const rows = compactionsIn(trace, whole)
  await output.write(
    report.forPeople
      ? report.sheet(compactionSheet(rows, compactionSums(rows)), output.looks)
      : report.rows(compactionColumns, rows, output.looks),
  )
  return code
}

/** What the session cost in all its files; null if no other file names it. */
async function familyOf({ head }: Trace, sources: readonly Source[], plan: Plan, how: ReadSettings) {
  const [source, ...more] = sources
  // Redacted ids are not those in the files.
  const ids = how.redaction ? [] : [head.conversation, head.parent].filter((id) => id !== null)
  if (!source || more.length > 0 || ids.length === 0) return null
  const others = relativesOf(source, ids)
  return others.length === 0 ? null : familySpending(source, others, plan, how)
}
