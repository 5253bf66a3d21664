/** `window`: prints the body of one request under the policy, ready to be sent. */
import { printJson, RemoteCounter } from '../../app/door.ts'
import { CtxwinError, requestBodyAt } from '../../index.ts'
import type { Call } from '../call.ts'
import { openCountCache } from '../count-cache.ts'
import { requestAt } from '../moment.ts'
import { onlyTranscript } from '../only.ts'
import { optionalText, planOf, wordOf } from '../options.ts'
import { openSession } from '../session.ts'

export async function run(call: Call): Promise<number> {
  const session = await openSession(call)
  const { settings, output } = session
  const plan = await planOf(session, call.world)
  const { trace, code } = await onlyTranscript(call, settings, { ...plan, references: false })
  if (trace === null) return code
  const body = requestBodyAt(trace, plan, requestAt(call.flags.at, trace) ?? trace.requests)
  if (wordOf(settings, 'count') === 'remote') {
    const provider = plan.provider ?? trace.head.provider
    const model = plan.model ?? trace.head.model
    if (model === null)
      throw new CtxwinError('usage', 'the transcript names no model to count for: name one with --model')
    const cache = openCountCache(optionalText(settings, 'countCache'), call.world)
    const [tokens] = await new RemoteCounter({ provider, env: call.world.env, cache }).count(model, [body])
    call.world.say(`${provider} counts ${tokens} tokens for ${model}`)
  }
  await output.write([printJson(body)])
  return code
}
