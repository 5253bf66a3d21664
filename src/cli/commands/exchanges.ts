/** `exchanges`: where each exchange begins and ends, what it holds, what it costs. */
import { CtxwinError, type ExchangeSummary, exchangeColumns, exchangesOf, readTraces, reports } from '../../index.ts'
import type { Call } from '../call.ts'
import { openInputs } from '../open.ts'
import { planOf, textOf } from '../options.ts'
import { Reading } from '../reading.ts'
import { openSession } from '../session.ts'

export async function run(call: Call): Promise<number> {
  const session = await openSession(call)
  const { settings, output } = session
  const plan = await planOf(session, call.world.cwd())
  const report = reports.get(textOf(settings, 'output'))
  const reading = new Reading(await openInputs(call.inputs, call.world), call.world)
  const found: ExchangeSummary[] = []
  for (const source of reading.sources()) {
    try {
      await readTraces(
        source,
        { ...plan, references: false },
        { format: textOf(settings, 'format'), keepMessages: true },
        (trace) => {
          for (const exchange of exchangesOf(trace, plan)) found.push(exchange)
        },
      )
    } catch (error) {
      if (!(error instanceof CtxwinError)) throw error
      reading.unread(source, error)
    }
  }
  reading.finish(found.length)
  if (found.length > 0) {
    const options = { width: output.width, color: output.color, cuts: 'none', by: 'exchange' } as const
    await output.write(report.rows(exchangeColumns, found, options))
  }
  output.close()
  return reading.failed > 0 ? 2 : 0
}
