/** `history --exchanges`: where each exchange begins and ends, what it holds, what it costs. */

import { exchangesOf } from '../../../app/by-plan.ts'
import type { ExchangeSummary } from '../../../model/history.ts'
import { exchangeColumns } from '../../../reports/columns/exchange.ts'
import type { Call } from '../../inputs/call.ts'
import { planOf, reportOf } from '../../inputs/options.ts'
import { Reading } from '../../inputs/reading.ts'
import { openSession } from '../../inputs/session.ts'

export async function exchanges(call: Call): Promise<number> {
  const session = await openSession(call)
  const { settings, output } = session
  const plan = await planOf(session, call.world)
  const report = reportOf(settings)
  const reading = await Reading.of(call, session, { newest: true })
  const found: ExchangeSummary[] = []
  let transcripts = 0
  const files = reading.read({
    plan: { ...plan, references: false },
    reads: { keepMessages: true },
    measure: (trace) => exchangesOf(trace, plan),
    copied: (exchanges) => exchanges,
    start: (): ExchangeSummary[][] => [],
    add: (part, piece) => part.push(piece),
  })
  for await (const { part } of files) {
    transcripts += part.length
    for (const exchange of part.flat()) found.push(exchange)
  }
  const code = reading.finish(transcripts)
  if (transcripts === 0 && (code !== 0 || report.forPeople)) return code
  const options = { width: output.width, color: output.color, cuts: 'none', by: 'exchange' } as const
  await output.write(report.rows(exchangeColumns, found, options))
  return code
}
