/** `spend`: what was billed, on what it went, and why the cache missed. */
import { spend } from '../../app/bill/spend.ts'
import { CtxwinError, choose, estimators } from '../../app/index.ts'
import { inShares, withoutCosts } from '../../reports/in-shares.ts'
import { spendingData, spendingSheets, spendingTables } from '../../reports/spending.ts'
import { shareSentence } from '../../reports/spending-words.ts'
import type { Call } from '../inputs/call.ts'
import { spendingBy } from '../inputs/commands.ts'
import { flagOf, pricesOf, reportOrPart, rowsOf } from '../inputs/options.ts'
import { Reading } from '../inputs/reading.ts'
import { openSession } from '../inputs/session.ts'

const usual = 10

/** What is measured only for a table that is asked for. */
const measuredFor: Readonly<Record<string, 'compactions' | 'agents'>> = { compaction: 'compactions', agent: 'agents' }

export async function run(call: Call): Promise<number> {
  const session = await openSession(call)
  const { settings, output } = session
  const report = reportOrPart(settings)
  const isPlan = flagOf(settings, 'plan')
  const by = tableOf(call.flags.by)
  const most = rowsOf(call.flags.top, usual)
  const plan = {
    policies: [],
    budgets: [],
    estimators: [choose(estimators.get('auto'))],
    prices: pricesOf(settings, call.world.cwd()),
  }
  const reading = await Reading.of(call, session)
  const spending = await spend(reading.read, plan, most, measuredFor[by ?? ''] ?? null)
  const { transcripts, requests } = spending.total
  const code = reading.finish(transcripts)
  if (reading.isPart) return code
  if (transcripts > 0 && requests === 0) call.world.say('cost unknown: no usage is recorded')
  if (requests === 0 && (transcripts > 0 || code !== 0 || report.forPeople))
    return code === 0 && transcripts > 0 ? 2 : code
  const options = { width: output.width, color: output.color, cuts: 'none', by: 'transcript' } as const
  await output.write(
    (function* () {
      if (!report.forPeople) return yield* report.sheet(spendingData(spending, by), options)
      for (const [index, sheet] of spendingSheets(isPlan ? withoutCosts(spending) : spending, by, most).entries()) {
        if (index > 0) yield '\n'
        yield* report.sheet(
          isPlan ? inShares(sheet, index === 0 ? [shareSentence(spending.total)] : []) : sheet,
          options,
        )
      }
    })(),
  )
  return code
}

function tableOf(word: unknown): (typeof spendingTables)[number] | null {
  if (word === undefined) return null
  const table = spendingTables.find((name) => name === word)
  if (table === undefined) throw new CtxwinError('bad-value', '--by', word, `one of ${spendingBy.join(', ')}`)
  return table
}
