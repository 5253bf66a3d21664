/** `history`: the picture of one transcript: what has left the window, the rule, what is inside. */
import { printJson, renderHistory, requestOfExchange } from '../../app/door.ts'
import { CtxwinError, historyOf, type Trace } from '../../index.ts'
import type { Call } from '../call.ts'
import type { Resolved } from '../config.ts'
import { onlyTranscript } from '../only.ts'
import { planOf, reportOf } from '../options.ts'
import { openSession } from '../session.ts'

export async function run(call: Call): Promise<number> {
  const session = await openSession(call)
  const { settings, output } = session
  const plan = await planOf(session, call.world.cwd())
  const { name: format } = reportOf(settings)
  if (format !== 'table' && format !== 'json') {
    const { where } = settings.get('output') as Resolved
    throw new CtxwinError('bad-value', where, format, 'one of table, json: a picture has no rows')
  }
  const { trace, code } = await onlyTranscript(call, settings, plan)
  if (trace === null) return code
  const view = historyOf(trace, plan, momentOf(call.flags.at, trace))
  const options = {
    width: output.width,
    color: output.color,
    all: call.flags.all === true,
    lost: call.flags.lost === true,
  }
  await output.write(format === 'json' ? [printJson(view)] : renderHistory(view, options))
  return code
}

/** The request that `--at` names: its number, or the exchange whose first one it is; null = the end of the transcript. */
function momentOf(at: unknown, trace: Trace): number | null {
  if (at === undefined) return null
  const [, letter, digits] = /^(e?)(\d+)$/.exec(String(at)) ?? []
  const request = letter === 'e' ? requestOfExchange(trace, Number(digits) - 1) : Number(digits)
  if (request === null || !(request < trace.requests)) {
    const expected = `a request from 0 to ${trace.requests - 1}, or an exchange with a response: e1, e2, …`
    throw new CtxwinError('bad-value', '--at', String(at), expected)
  }
  return request
}
