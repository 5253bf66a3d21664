/** `history --exchanges`: where each exchange begins and ends, what it holds, what it costs. */

import { exchangesOf } from '../../../app/by-plan.ts'
import type { ExchangeSummary } from '../../../model/history.ts'
import { exchangeColumns } from '../../../reports/columns/exchange.ts'
import { framed } from '../../inputs/frame.ts'
import { planOf, reportOf } from '../../inputs/options.ts'

export const exchanges = framed(reportOf, async ({ call, session, report, read }) => {
  const plan = await planOf(session, call.world)
  const reading = await read({ newest: true })
  const rows: ExchangeSummary[] = []
  let found = 0
  const files = reading.read({
    plan: { ...plan, references: false },
    reads: { keepMessages: true },
    measure: (trace) => exchangesOf(trace, plan),
    copied: (exchanges) => exchanges,
    start: (): ExchangeSummary[][] => [],
    add: (part, piece) => part.push(piece),
  })
  for await (const { part } of files) {
    found += part.length
    for (const exchange of part.flat()) rows.push(exchange)
  }
  const isEmpty = (code: number) => found === 0 && (code !== 0 || report.forPeople)
  return {
    found,
    result: (looks, code) => (isEmpty(code) ? null : report.rows(exchangeColumns, rows, { ...looks, by: 'exchange' })),
  }
})
