/** `history --request`: prints the body of one request under the policy, ready to be sent. */

import { windowRequest } from '../../../app/window.ts'
import { wordAmong } from '../../../base/errors.ts'
import { RemoteCounter } from '../../../clients/count.ts'
import { printJson } from '../../../reports/json.ts'
import type { Call } from '../../inputs/call.ts'
import { openaiApis } from '../../inputs/commands.ts'
import { countsOf } from '../../inputs/counts.ts'
import { misuse } from '../../inputs/misuse.ts'
import { onlyTranscript } from '../../inputs/only.ts'
import { planOf, valueFor } from '../../inputs/options.ts'
import { openSession } from '../../inputs/session.ts'
import { requestAt } from '../moment.ts'
import { firstOf, windowsOf } from './windows.ts'

export async function request(call: Call): Promise<number> {
  const session = await openSession(call)
  const { settings, output } = session
  const plan = await planOf(session, call.world)
  const { trace, code } = await onlyTranscript(call, session, { ...plan, references: false })
  if (trace === null) return code
  const api = call.flags.api === undefined ? null : wordAmong(openaiApis, '--api', call.flags.api)
  const at = requestAt(call.flags.at, trace) ?? trace.requests
  const { body, input, provider, model, doubts } = windowRequest(trace, plan, at, api)
  if (valueFor(settings, 'count') === 'remote') {
    if (model === null) throw misuse('the transcript names no model: name one with --model')
    const cache = countsOf(valueFor(settings, 'countCache'), call.world)
    const counter = new RemoteCounter({ provider, env: call.world.env, cache })
    if (counter.elsewhere)
      call.world.say(`the request is counted where ${counter.elsewhere} says, and not by ${provider}`)
    const [tokens] = await counter.count(model, [input])
    call.world.say(`${provider} counts ${tokens} tokens for ${model}`)
  }
  call.world.note(`the request of ${windowsOf(firstOf(plan))}`)
  if (doubts.length > 0) call.world.note('before you send this request:', doubts)
  await output.write([printJson(body)])
  return code
}
