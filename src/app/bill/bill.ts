/** The model of money against what providers billed: what bench/truth/bill.mjs and `calibrate` print. */
import type { Billed, BillSummary } from '../../model/billed.ts'
import { type CacheMode, cacheModes, percent } from '../../model/run.ts'
import type { Trace } from '../../model/trace.ts'
import { todayFor } from '../../simulator/simulate.ts'
import { caseOf, type Plan } from '../plan.ts'

/** @param index the number of the plan's estimator that counts. @returns null for a transcript without a bill */
export function billTrace(trace: Trace, plan: Plan, index = 0): Billed | null {
  const facts = caseOf(trace, plan, index)
  const { spent } = facts.bill
  if (!spent || spent.input === 0) return null
  const modelled = cacheModes.map((mode) => [mode, todayFor(facts.under({ cache: mode })).inputRecorded] as const)
  return {
    format: trace.head.format,
    requests: spent.requests,
    spent: spent.input,
    modelled: Object.fromEntries(modelled) as Record<CacheMode, number>,
  }
}

/** In the order of the formats' names; each with the modes in the order of their declaration. */
export function summariseBills(bills: readonly Billed[]): BillSummary[] {
  const formats = [...new Set(bills.map(({ format }) => format))].sort()
  return formats.flatMap((format) => {
    const own = bills.filter((bill) => bill.format === format)
    return cacheModes.map((cache): BillSummary => {
      const errors = own.map(({ spent, modelled }) => Math.abs(modelled[cache] - spent) / spent).sort((a, b) => a - b)
      const spent = own.reduce((sum, bill) => sum + bill.spent, 0)
      const modelled = own.reduce((sum, bill) => sum + bill.modelled[cache], 0)
      const within = (share: number): number => percent(errors.filter((error) => error <= share).length, own.length)
      return {
        format,
        cache,
        transcripts: own.length,
        requests: own.reduce((sum, bill) => sum + bill.requests, 0),
        spent,
        modelled,
        offPercent: percent(modelled - spent, spent),
        medianPercent: percent(errors[(errors.length - 1) >> 1] ?? 0, 1),
        within5Percent: within(0.05),
        within10Percent: within(0.1),
      }
    })
  })
}
