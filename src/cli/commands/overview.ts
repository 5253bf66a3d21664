/** `ctxwin` alone: what agents have recorded, what it cost, what to set, and which session cost most. */

import { readSessions, type SessionPart } from '../../app/bill/sessions.ts'
import { printJson } from '../../reports/json.ts'
import { dollars, grouped } from '../../reports/numbers.ts'
import { decisionData } from '../../reports/recommendation.ts'
import { renderSessions, sessionColumns } from '../../reports/sessions.ts'
import type { Call } from '../inputs/call.ts'
import { heedInterrupt } from '../inputs/interrupt.ts'
import { flagOf, planOf, reportOrPage, sessionsOf } from '../inputs/options.ts'
import { Reading } from '../inputs/reading.ts'
import { inputsOf, openSession } from '../inputs/session.ts'
import { nextSteps } from './views/next-steps.ts'
import { writePage } from './views/page-output.ts'

export async function run(call: Call): Promise<number> {
  const { world } = call
  const session = await openSession(call)
  const { settings, output } = session
  const plan = await planOf(session, world)
  const report = reportOrPage(settings)
  if (report === null) return (await writePage(call, session, plan, { usual: true })).code
  const reading = await Reading.of(call, session, { always: true })
  // Only a table and JSON can show what could be set. A part must have it, as any report may be made of it.
  const recommends = report.name === 'table' || report.name === 'json' || call.parts !== undefined
  const spent = new Map<string, number>()
  reading.showing(() => spentSoFar(spent))
  const tell = ({ trace, run }: SessionPart): void => {
    const { format } = trace.head
    spent.set(format, (spent.get(format) ?? 0) + (run.spent?.usd ?? 0))
  }
  const interrupt = world.status && report.name === 'table' ? heedInterrupt() : null
  let [files, isStopped] = [0, false]
  const isEnough = async (): Promise<boolean> => {
    files++
    isStopped = (await interrupt?.isAsked()) === true && files < reading.files
    return isStopped
  }
  const sessions = await readSessions(reading.read, plan, { recommends, tell, isEnough, ...sessionsOf(settings) })
  interrupt?.[Symbol.dispose]()
  const code = reading.finish(sessions.sessions.length)
  if (sessions.sessions.length === 0 && (code !== 0 || report.forPeople)) return code
  if (isStopped) world.note(`stopped after ${grouped(files)} of ${grouped(reading.files)} files`)
  const options = { width: output.width, color: output.color, cuts: 'none', by: 'transcript' } as const
  if (report.name === 'table')
    await output.write(
      renderSessions(sessions, nextSteps(call, inputsOf(call, settings), reading.how.redaction), {
        ...options,
        inShares: flagOf(settings, 'plan'),
      }),
    )
  else if (report.name === 'json') {
    const decisions = sessions.decisions.map((decision) => decisionData(decision))
    await output.write([printJson({ ...sessions, decisions })])
  } else await output.write(report.rows(sessionColumns, sessions.sessions, options))
  return isStopped ? interrupted : code
}

/** What a shell gives who was ended by Ctrl-C. */
const interrupted = 130

/** "so far: claude-code $214, codex $12.40" */
function spentSoFar(spent: ReadonlyMap<string, number>): string {
  const billed = [...spent].filter(([, usd]) => usd > 0).sort(([, a], [, b]) => b - a)
  return billed.length === 0 ? '' : `so far: ${billed.map(([format, usd]) => `${format} ${dollars(usd)}`).join(', ')}`
}
