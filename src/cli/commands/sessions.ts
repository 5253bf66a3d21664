/**
 * `sessions`: a row for each session, the dearest first, with the word by which `history` opens it. `--changed`: what came since a
 * setting changed, against what was promised.
 */
import { changed } from '../../app/answer/changed.ts'
import { spend } from '../../app/bill/spend.ts'
import { CtxwinError, choose, estimators, type Plan } from '../../app/index.ts'
import { wordAmong } from '../../base/errors.ts'
import { shellCommand } from '../../base/quoting.ts'
import { changedSheet } from '../../reports/changed.ts'
import { inShares, withoutCosts } from '../../reports/in-shares.ts'
import { sessionSheet, sortSessions } from '../../reports/session-list.ts'
import { shareSentence } from '../../reports/spending-words.ts'
import type { Call } from '../inputs/call.ts'
import { sessionSorts } from '../inputs/commands.ts'
import { flagOf, pricesOf, reportOrPart, rowsOf } from '../inputs/options.ts'
import { Reading } from '../inputs/reading.ts'
import { utcTime } from '../inputs/selection.ts'
import { openSession } from '../inputs/session.ts'
import { sessionIds, withInputs } from './views/next-steps.ts'

/** How many rows people see where they do not say. */
const usual = 20

export async function run(call: Call): Promise<number> {
  const { flags, world } = call
  const session = await openSession(call)
  const { settings, output } = session
  const report = reportOrPart(settings)
  const by = wordAmong(sessionSorts, '--sort', flags.sort ?? 'cost')
  if (flags.full === true && flags.top !== undefined) {
    throw new CtxwinError('usage', '--full and --top contradict each other: give one of them')
  }
  const most = flags.full === true ? Infinity : rowsOf(flags.top, report.forPeople ? usual : Infinity)
  const plan = {
    policies: [],
    budgets: [],
    estimators: [choose(estimators.get('auto'))],
    prices: pricesOf(settings, world.cwd()),
  }
  if (flags.changed !== undefined) return await compareAround(call, session, plan, dayOf(flags))
  const reading = await Reading.of(call, session, { always: true })
  // No single result and no single miss is shown.
  const spending = await spend(reading.read, plan, 0)
  const code = reading.finish(spending.total.transcripts)
  if (reading.isPart || spending.sessions.length === 0) return code
  const idOf = sessionIds(world)
  const shown = sortSessions(spending.sessions, by).slice(0, most)
  const listed = shown.map((one) => ({ id: idOf(one.file), ...one }))
  const options = { width: output.width, color: output.color, cuts: 'none', by: 'transcript' } as const
  await output.write(
    (function* () {
      const isPlan = report.forPeople && flagOf(settings, 'plan')
      const changedOn = (day: string): string =>
        withInputs(['sessions', '--changed', day], call.inputs, reading.how.redaction)
      const sheet = sessionSheet(isPlan ? withoutCosts(spending) : spending, listed, changedOn)
      yield* report.sheet(isPlan ? inShares(sheet, [shareSentence(spending.total)]) : sheet, options)
      const [first] = listed
      // A path may be too long for its column. Here it is whole, to be copied.
      if (report.name === 'table' && first)
        yield `\nLook into the first:\n    ${shellCommand(['ctxwin', 'history', first.id])}\n`
    })(),
  )
  return code
}

/** `--changed`: what was to be expected from the sessions of before a day, and what came. */
async function compareAround(
  call: Call,
  session: Awaited<ReturnType<typeof openSession>>,
  plan: Plan,
  day: number,
): Promise<number> {
  const { settings, output } = session
  const report = reportOrPart(settings)
  const reading = await Reading.of(call, session, { always: true })
  const result = await changed(reading.read, plan, day)
  const code = reading.finish(result.transcripts)
  if (reading.isPart || result.transcripts === 0) return code
  const options = { width: output.width, color: output.color, cuts: 'none', by: 'transcript' } as const
  const forPeople = report.forPeople === true
  await output.write(report.sheet(changedSheet(result, forPeople, forPeople && flagOf(settings, 'plan')), options))
  return code
}

/** @throws CtxwinError for what is no day, and for flags of the list that is not printed */
function dayOf(flags: Call['flags']): number {
  const list = (['sort', 'top', 'full'] as const).find((key) => flags[key] !== undefined)
  if (list !== undefined) throw new CtxwinError('usage', `--changed lists no sessions: leave out --${list}`)
  const time = utcTime(String(flags.changed).trim())
  if (time !== null) return time
  throw new CtxwinError('bad-value', '--changed', flags.changed, 'a date such as 2026-11-01 or 2026-11-01T12:00Z')
}
