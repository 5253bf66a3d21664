/** `history`: the picture of one transcript: what has left the window, the rule, what is inside. */
import { printJson, renderHistory } from '../../app/door.ts'
import { CtxwinError, historyOf } from '../../index.ts'
import type { Call } from '../call.ts'
import type { Resolved } from '../config.ts'
import { requestAt } from '../moment.ts'
import { onlyTranscript } from '../only.ts'
import { planOf, reportOf } from '../options.ts'
import { openSession } from '../session.ts'

export async function run(call: Call): Promise<number> {
  const session = await openSession(call)
  const { settings, output } = session
  const plan = await planOf(session, call.world)
  const { name: format } = reportOf(settings)
  if (format !== 'table' && format !== 'json') {
    const { where } = settings.get('output') as Resolved
    throw new CtxwinError('bad-value', where, format, 'one of table, json: a picture has no rows')
  }
  const { trace, code } = await onlyTranscript(call, settings, plan)
  if (trace === null) return code
  const view = historyOf(trace, plan, requestAt(call.flags.at, trace))
  const options = {
    width: output.width,
    color: output.color,
    all: call.flags.all === true,
    lost: call.flags.lost === true,
  }
  await output.write(format === 'json' ? [printJson(view)] : renderHistory(view, options))
  return code
}
