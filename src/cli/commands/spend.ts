/** `spend`: what was billed, on what it went, and why the cache missed. */
import { spend } from '../../app/bill/spend.ts'
import { CtxwinError } from '../../app/index.ts'
import { inShares, withoutCosts } from '../../reports/in-shares.ts'
import { spendingData, spendingSheets, spendingTables } from '../../reports/spending.ts'
import { shareSentence } from '../../reports/spending-words.ts'
import { spendingBy } from '../inputs/commands.ts'
import { framed } from '../inputs/frame.ts'
import { billedPlan, reportOrPart, rowsOf, valueFor } from '../inputs/options.ts'

const usual = 10

/** What is measured only for a table that is asked for. */
const measuredFor: Readonly<Record<string, 'compactions' | 'agents'>> = { compaction: 'compactions', agent: 'agents' }

export const run = framed(reportOrPart, async ({ call, settings, report, read }) => {
  const isPlan = valueFor(settings, 'plan')
  const by = tableOf(call.flags.by)
  const most = rowsOf(call.flags.top, usual)
  const plan = billedPlan(settings, call.world.cwd())
  const reading = await read()
  const spending = await spend(reading.read, plan, most, measuredFor[by ?? ''] ?? null)
  const { transcripts, requests } = spending.total
  return {
    found: transcripts,
    result(looks, code) {
      if (transcripts > 0 && requests === 0) {
        call.world.say('cost unknown: no usage is recorded')
        return code === 0 ? 2 : code
      }
      if (requests === 0 && (code !== 0 || report.forPeople)) return null
      if (!report.forPeople) return report.sheet(spendingData(spending, by), looks)
      const sheets = spendingSheets(isPlan ? withoutCosts(spending) : spending, by, most)
      return sheets.flatMap((sheet, index) => {
        const shares = index === 0 ? [shareSentence(spending.total)] : []
        return [...(index > 0 ? ['\n'] : []), ...report.sheet(isPlan ? inShares(sheet, shares) : sheet, looks)]
      })
    },
  }
})

function tableOf(word: unknown): (typeof spendingTables)[number] | null {
  if (word === undefined) return null
  const table = spendingTables.find((name) => name === word)
  if (table === undefined) throw new CtxwinError('bad-value', '--by', word, `one of ${spendingBy.join(', ')}`)
  return table
}
