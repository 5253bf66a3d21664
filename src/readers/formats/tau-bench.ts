/**
 * tau-bench's runs (rows of a `traj`) and tau2's (`simulations`): an agent serves a user whom another model plays.
 *
 * - Each run is a transcript of the agent's side. What the user's model called, and got from its own tools, is not.
 * - tau2 records the usage of each response; the opening words of the agent are nobody's response, and have none.
 * - tau2 records the policy, which is most of the system prompt; tau-bench the whole system prompt. Neither has the tools.
 * - Messages are numbered 1, 2, … in their run.
 */
import { defined } from '../../base/defined.ts'
import { itemsOf, type JsonObject, objectOf, stringOf } from '../../base/json.ts'
import { jsonText } from '../../base/json-text.ts'
import { documentReader } from '../frames.ts'
import { bad, type Outcome, type ReaderContext, tell } from '../reader.ts'
import { Asked } from '../wire/asked.ts'
import { type Reply, timeOf } from '../wire/bodies.ts'
import { ChatMapping, chatShape } from '../wire/chat.ts'
import { both, keys, kinds, listLike, listOf, oddIn, optional, someOf } from '../wire/shape.ts'
import { atTier, usageOf, usageShape } from '../wire/usage.ts'

export default documentReader({
  name: 'tau-bench',
  summary: 'runs of tau-bench and simulations of tau2-bench',
  source: '`results/*.json` of tau-bench, `data/tau2/simulations/` of tau2-bench',
  shapes: [
    ['task_id', 'reward', 'info', 'traj', 'trial', 'traj.role'],
    ['simulations', 'info', 'tasks', 'simulations.task_id', 'simulations.messages', 'simulations.trial'],
    ['id', 'task_id', 'messages', 'termination_reason', 'trial', 'messages.turn_idx'],
  ],
  recognise: (record) => isRun(record) || isSimulation(record) || simulationsOf(record) !== undefined,
  record: (record, { line }, context) => read(record, line, context),
})

/** tau2's form of calls, which has no `function` around them. */
const callingShape = keys({
  content: 'string|null',
  tool_calls: listOf(keys({ id: 'string', name: 'string', arguments: 'object|string' })),
})

const countsShape = kinds('role', {
  assistant: keys({ usage: optional(usageShape), raw_data: optional(keys({ usage: optional(usageShape) })) }),
})

const callsShape = keys({ tool_calls: optional(listLike(someOf({ function: 'object', arguments: 'object|string' }))) })

const messageShape = both(countsShape, callsShape, (message) => {
  const isOwn = itemsOf(objectOf(message)?.tool_calls).some((call) => objectOf(call)?.function === undefined)
  return (isOwn ? callingShape : chatShape)(message)
})

/** The part of a file that all its simulations share. */
const sharedShape = keys({ info: keys({ environment_info: keys({ policy: 'string' }) }) })

function isRun({ traj, task_id }: JsonObject): boolean {
  return Array.isArray(traj) && task_id !== undefined
}

function isSimulation({ messages, task_id, ...rest }: JsonObject): boolean {
  return Array.isArray(messages) && task_id !== undefined && ('termination_reason' in rest || 'reward_info' in rest)
}

function simulationsOf({ simulations }: JsonObject): readonly unknown[] | undefined {
  if (!Array.isArray(simulations)) return undefined
  return simulations.length === 0 || simulations.some((each) => isSimulation(objectOf(each) ?? {}))
    ? simulations
    : undefined
}

function read(record: JsonObject, line: number, context: ReaderContext): Outcome {
  if (isRun(record)) write(record, itemsOf(record.traj), {}, context)
  else if (isSimulation(record)) write(record, itemsOf(record.messages), {}, context)
  else {
    const simulations = simulationsOf(record)
    if (!simulations) return bad
    tell(context, oddIn(sharedShape, record), line)
    for (const [index, value] of simulations.entries()) {
      const simulation = objectOf(value)
      if (simulation && isSimulation(simulation)) {
        write(simulation, itemsOf(simulation.messages), objectOf(record.info) ?? {}, context)
      } else context.finding({ ...bad, line: index + 1 })
    }
  }
  return 'used'
}

/** @param info what all runs of a file share */
function write(run: JsonObject, messages: readonly unknown[], info: JsonObject, context: ReaderContext): void {
  const trial = run.trial === undefined ? '' : `/trial:${jsonText(run.trial)}`
  const conversation = stringOf(run.id) ?? `task:${stringOf(run.task_id) ?? jsonText(run.task_id)}${trial}`
  const writer = context.open({ conversation, provider: 'openai' })
  writer.describe({ model: stringOf(objectOf(info.agent_info)?.llm) })
  const records = messages.map(objectOf)
  const isCalling = records.some((message) => message?.role === 'assistant' && itemsOf(message.tool_calls).length > 0)
  const policy = stringOf(run.policy) ?? stringOf(objectOf(info.environment_info)?.policy)
  const asked = new Asked(context)
  const mapping = new ChatMapping({ system: policy, complete: policy === undefined && !isCalling }, writer, asked.bad)
  for (const [index, message] of records.entries()) {
    const line = index + 1
    // Several results of one step may share an entry.
    for (const each of itemsOf(message?.tool_messages ?? message ?? null).map(objectOf)) {
      if (each && isOfUser(each)) continue
      const value = each && sent(each)
      const reply = each?.role === 'assistant' && { reply: replyOf(each) }
      asked.ask(messageShape, each, line, () => mapping.add({ value, line, ...reply }))
    }
    if (!message) asked.bad(line)
  }
  mapping.end()
  writer.close()
}

/** Whether only the model that plays the user saw it: its own calls and their results. */
function isOfUser({ role, requestor, content, tool_calls }: JsonObject): boolean {
  return requestor === 'user' || (role === 'user' && !content && itemsOf(tool_calls).length > 0)
}

/** The message as the agent's model got or gave it. tau-bench's own are in that form already. */
function sent(message: JsonObject): JsonObject {
  const { role, content, tool_calls, tool_call_id, id } = message
  if (role === 'tool') return tool_call_id === undefined ? { role, tool_call_id: id, content } : message
  if (role === 'user') return { role, content }
  const calls = itemsOf(tool_calls).map((value) => {
    const call = objectOf(value)
    if (!call || call.function !== undefined) return value
    const input = typeof call.arguments === 'string' ? call.arguments : jsonText(call.arguments ?? {})
    return { id: call.id, type: 'function', function: { name: call.name, arguments: input } }
  })
  return { role, content, ...(calls.length > 0 && { tool_calls: calls }) }
}

function replyOf({ usage, timestamp, raw_data }: JsonObject): Reply {
  // tau2's own counts leave out what was read from a cache, so those in the API's response come first.
  const response = objectOf(raw_data)
  const counted = atTier(usageOf(response?.usage) ?? usageOf(usage), response?.service_tier)
  return defined({ usage: counted, time: timeOf(timestamp), model: stringOf(response?.model) })
}
