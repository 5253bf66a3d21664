/**
 * mini-swe-agent's trajectories: what it sent and got, message by message, with its own remarks on each in `extra`.
 *
 * - Every request is the whole list so far. The usage of a response is in `extra.response`, its time in `extra`.
 * - Without function calling the environment answers in the user's role: after the first response such a message is a
 *   tool's answer, unless `extra.interrupt_type` says who wrote it.
 * - With OpenAI's Responses API a message is a whole response, or the item of a call's output.
 * - A response that could not be parsed was not kept: only the complaint about it is.
 * - The one tool of a run with function calling is not recorded. Messages are numbered 1, 2, ….
 *
 * Before 1.0 a trajectory is the bare list of messages, as any chat: the reader of OpenAI's form takes it.
 */
import { defined } from '../../base/defined.ts'
import { itemsOf, type JsonObject, objectOf, stringOf } from '../../base/json.ts'
import { documentReader } from '../frames.ts'
import { bad, type Outcome, type ReaderContext, type Shape } from '../reader.ts'
import { answerOf } from '../wire/answers.ts'
import { Asked } from '../wire/asked.ts'
import { type Reply, timeOf } from '../wire/bodies.ts'
import { ChatMapping, chatShape } from '../wire/chat.ts'
import type { Entry } from '../wire/growing.ts'
import { itemShape } from '../wire/responses.ts'
import { both, keys, listOf, optional } from '../wire/shape.ts'
import { atTier, usageOf, usageShape } from '../wire/usage.ts'

export default documentReader({
  name: 'mini-swe-agent',
  program: 'mini-swe-agent',
  summary: 'mini-swe-agent trajectories',
  source: '`*.traj.json` of mini-swe-agent',
  shapes: [['info', 'messages', 'trajectory_format', 'info.mini_version', 'messages.extra']],
  recognise({ messages, trajectory_format, info }) {
    const isNamed = stringOf(trajectory_format)?.startsWith('mini-swe-agent') === true
    return Array.isArray(messages) && (isNamed || typeof objectOf(info)?.mini_version === 'string')
  },
  record: (run, _, context) => read(run, context),
})

const countedShape = keys({ usage: optional(usageShape) })

/** A whole response of OpenAI's Responses API. */
const responseShape = both(countedShape, keys({ output: listOf(itemShape) }))

const saidShape: Shape = (message) => {
  const { object, type } = objectOf(message) ?? {}
  if (object === 'response') return responseShape(message)
  return (type === 'function_call_output' ? itemShape : chatShape)(message)
}

const messageShape = both(
  saidShape,
  keys({ extra: optional(keys({ response: optional(countedShape), interrupt_type: 'string?' })) }),
)

function read(run: JsonObject, context: ReaderContext): Outcome {
  if (!Array.isArray(run.messages)) return bad
  const writer = context.open({ conversation: stringOf(run.instance_id) ?? null, provider: 'openai' })
  const info = objectOf(run.info)
  const model = stringOf(objectOf(objectOf(info?.config)?.model)?.model_name)
  writer.describe({ model, version: stringOf(info?.mini_version) })
  const messages = run.messages.map(objectOf)
  const asked = new Asked(context)
  const mapping = new ChatMapping({ complete: !messages.some(isCalling) }, writer, asked.bad)
  let answered = false
  for (const [index, message] of messages.entries()) {
    const line = index + 1
    // The last entry of a run says how it ended.
    if (message?.role === 'exit') continue
    asked.ask(messageShape, message, line, () =>
      mapping.add({ value: message && sent(message), line, ...(message && aboutOf(message, answered)) }),
    )
    if (message?.role === 'assistant' || message?.object === 'response') answered = true
  }
  mapping.end()
  writer.close()
  return 'used'
}

/** The message in the form of Chat Completions, as it is sent: without the remarks. */
function sent({ extra: _, ...message }: JsonObject): JsonObject {
  if (message.object === 'response') return answerOf(message).message ?? {}
  if (message.type === 'function_call_output')
    return { role: 'tool', tool_call_id: message.call_id, content: message.output }
  return message
}

function isCalling(message: JsonObject | undefined): boolean {
  return itemsOf(message && sent(message).tool_calls).length > 0
}

/** What is recorded about the message beside what was sent: in its remarks, and in 1.0 in the message itself. */
function aboutOf(message: JsonObject, answered: boolean): Pick<Entry, 'as' | 'reply'> {
  const extra = objectOf(message.extra)
  const time = timeOf(extra?.timestamp ?? message.timestamp)
  const reply: Reply = { ...defined({ time }), ...responseOf(message, extra) }
  if (message.role !== 'user') return { reply }
  const interrupt = stringOf(extra?.interrupt_type)
  if (interrupt === undefined) return { reply, ...(answered && { as: 'tool' }) }
  if (interrupt === 'UserNewTask') return { reply }
  return { reply, as: interrupt.startsWith('User') ? 'queued' : 'injected' }
}

function responseOf(message: JsonObject, extra: JsonObject | undefined): Reply {
  const response = message.object === 'response' ? message : objectOf(extra?.response)
  // A response that could not be parsed is recorded beside the complaint about it.
  if (!response || message.role === 'user') return {}
  const usage = atTier(usageOf(response.usage), response.service_tier)
  return defined({ usage, model: stringOf(response.model) })
}
