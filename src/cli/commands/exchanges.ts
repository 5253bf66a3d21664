/** `exchanges`: where each exchange begins and ends, what it holds, what it costs. */
import { type ExchangeSummary, exchangeColumns, exchangesOf, readSources } from '../../app/door.ts'
import type { Trace } from '../../index.ts'
import type { Call } from '../call.ts'
import { planOf, reportOf } from '../options.ts'
import { Reading } from '../reading.ts'
import { openSession } from '../session.ts'

export async function run(call: Call): Promise<number> {
  const session = await openSession(call)
  const { settings, output } = session
  const plan = await planOf(session, call.world)
  const report = reportOf(settings)
  const reading = await Reading.of(call, settings)
  const found: ExchangeSummary[] = []
  let transcripts = 0
  const how = { ...reading.how, keepMessages: true }
  const take = (trace: Trace) => [exchangesOf(trace, plan)]
  for await (const { taken } of readSources(
    reading.sources(),
    { ...plan, references: false },
    how,
    take,
    reading.unread,
  )) {
    transcripts += taken.length
    for (const exchange of taken.flat()) found.push(exchange)
  }
  const code = reading.finish(transcripts)
  if (transcripts === 0) return code
  const options = { width: output.width, color: output.color, cuts: 'none', by: 'exchange' } as const
  await output.write(report.rows(exchangeColumns, found, options))
  return code
}
