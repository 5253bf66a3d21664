/** `ctxwin` alone: what agents have recorded, what it cost, what to set, and which session cost most. */

import { readSessions, type SessionPart } from '../../app/bill/sessions.ts'
import { printJson } from '../../reports/json.ts'
import { dollars, grouped } from '../../reports/numbers.ts'
import { decisionData } from '../../reports/recommendation.ts'
import { renderSessions, sessionColumns } from '../../reports/sessions.ts'
import { framed } from '../inputs/frame.ts'
import { heedInterrupt } from '../inputs/interrupt.ts'
import { planOf, reportOrPage, sessionsOf, valueFor } from '../inputs/options.ts'
import { inputsOf } from '../inputs/session.ts'
import { nextSteps } from './views/next-steps.ts'
import { writePage } from './views/page-output.ts'

export const run = framed(reportOrPage, async ({ call, session, settings, report, read }) => {
  const { world } = call
  const plan = await planOf(session, world)
  if (report === null) return (await writePage(call, session, plan, { usual: true })).code
  const reading = await read({ always: true })
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
  const found = sessions.sessions.length
  return {
    found,
    code: isStopped ? interrupted : null,
    result(looks, code) {
      if (found === 0 && (code !== 0 || report.forPeople)) return null
      if (isStopped) world.note(`stopped after ${grouped(files)} of ${grouped(reading.files)} files`)
      if (report.name === 'table') {
        const next = nextSteps(call, inputsOf(call, settings), reading.how.redaction)
        return renderSessions(sessions, next, { ...looks, inShares: valueFor(settings, 'plan') })
      }
      if (report.name !== 'json') return report.rows(sessionColumns, sessions.sessions, looks)
      return [printJson({ ...sessions, decisions: sessions.decisions.map((decision) => decisionData(decision)) })]
    },
  }
})

/** The exit code of a shell for a program that Ctrl-C ended. */
const interrupted = 130

/** "so far: claude-code $214, codex $12.40" */
function spentSoFar(spent: ReadonlyMap<string, number>): string {
  const billed = [...spent].filter(([, usd]) => usd > 0).sort(([, a], [, b]) => b - a)
  return billed.length === 0 ? '' : `so far: ${billed.map(([format, usd]) => `${format} ${dollars(usd)}`).join(', ')}`
}
