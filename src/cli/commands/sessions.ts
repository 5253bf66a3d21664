/**
 * `sessions`: a row for each session, the dearest first, with the id for `history`. `--changed`: what the sessions
 * since a changed setting cost, against what was promised.
 */
import { changed } from '../../app/answer/changed.ts'
import { spend } from '../../app/bill/spend.ts'
import { CtxwinError } from '../../app/index.ts'
import { wordAmong } from '../../base/errors.ts'
import { shellCommand } from '../../base/quoting.ts'
import { changedSheet } from '../../reports/changed.ts'
import { inShares, withoutCosts } from '../../reports/in-shares.ts'
import { sessionSheet, sortSessions } from '../../reports/session-list.ts'
import { shareSentence } from '../../reports/spending-words.ts'
import type { Call } from '../inputs/call.ts'
import { sessionSorts } from '../inputs/commands.ts'
import { framed } from '../inputs/frame.ts'
import { misuse } from '../inputs/misuse.ts'
import { billedPlan, reportOrPart, rowsOf, valueFor } from '../inputs/options.ts'
import { utcTime } from '../inputs/selection.ts'
import { sessionIds, withInputs } from './views/next-steps.ts'

/** How many rows people see by default. */
const usual = 20

export const run = framed(reportOrPart, async ({ call, settings, report, read }) => {
  const { flags, world } = call
  const by = wordAmong(sessionSorts, '--sort', flags.sort ?? 'cost')
  if (flags.full === true && flags.top !== undefined) {
    throw misuse('--full and --top contradict each other: give one of them')
  }
  const most = flags.full === true ? Infinity : rowsOf(flags.top, report.forPeople ? usual : Infinity)
  const plan = billedPlan(settings, world.cwd())
  const isPlan = () => report.forPeople === true && valueFor(settings, 'plan')
  if (flags.changed !== undefined) {
    const day = dayOf(flags)
    // What the sessions before that day promised, and what came.
    const around = await changed((await read({ always: true })).read, plan, day)
    const { transcripts: found } = around
    const sheet = () => changedSheet(around, report.forPeople === true, isPlan())
    return { found, result: (looks) => (found === 0 ? null : report.sheet(sheet(), looks)) }
  }
  const reading = await read({ always: true })
  // No single result and no single miss is shown.
  const spending = await spend(reading.read, plan, 0)
  const found = spending.total.transcripts
  if (spending.sessions.length === 0) return { found, result: () => null }
  return {
    found,
    *result(looks) {
      const idOf = sessionIds(world)
      const listed = sortSessions(spending.sessions, by)
        .slice(0, most)
        .map((one) => ({ id: idOf(one.file), ...one }))
      const changedOn = (day: string): string =>
        withInputs(['sessions', '--changed', day], call.inputs, reading.how.redaction)
      const sheet = sessionSheet(isPlan() ? withoutCosts(spending) : spending, listed, changedOn)
      yield* report.sheet(isPlan() ? inShares(sheet, [shareSentence(spending.total)]) : sheet, looks)
      const [first] = listed
      // A path may be too long for its column. Here it is whole, to be copied.
      if (report.name === 'table' && first)
        yield `\nLook into the first:\n    ${shellCommand(['ctxwin', 'history', first.id])}\n`
    },
  }
})

/** @throws CtxwinError for what is no day, and for flags of the list that is not printed */
function dayOf(flags: Call['flags']): number {
  const list = (['sort', 'top', 'full'] as const).find((key) => flags[key] !== undefined)
  if (list !== undefined) throw misuse(`--changed lists no sessions: leave out --${list}`)
  const time = utcTime(String(flags.changed).trim())
  if (time !== null) return time
  throw new CtxwinError('bad-value', '--changed', flags.changed, 'a date such as 2026-11-01 or 2026-11-01T12:00Z')
}
