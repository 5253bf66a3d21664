/**
 * Runs as LangSmith exports them or gets them sent, and LangChain's messages as its programs store them.
 *
 * - A run of type `llm` is one request with its response; runs of a thread whose requests grow are one conversation. Runs
 *   of chains and tools hold nothing that those do not.
 * - A message is a constructor (`lc`), a `type` with `data` or with its fields beside it, or in OpenAI's form.
 * - Messages without a run are what was kept of a conversation: system prompt and tools may be missing.
 */

import { defined } from '../../base/defined.ts'
import { itemsOf, type JsonObject, objectOf, stringOf } from '../../base/json.ts'
import { defineReader, type Reading, type Shape } from '../reader.ts'
import { answerOf } from '../wire/answers.ts'
import { type Body, definitionsShape, type Reply, sessionOf, timeOf } from '../wire/bodies.ts'
import { chat, chatShape } from '../wire/chat.ts'
import { readConversations } from '../wire/conversations.ts'
import { Converted } from '../wire/converted.ts'
import { fieldsOf, inChatForm, isCall, isMessage, roleOf } from '../wire/langchain.ts'
import { both, keys, kinds, listLike, listOf, optional, orText, someOf, under, where } from '../wire/shape.ts'
import { usageOf, usageShape } from '../wire/usage.ts'

const partShape = kinds('type', {
  text: keys({ text: 'string' }),
  thinking: keys({ thinking: 'string' }),
  image_url: keys({ image_url: orText(keys({ url: 'string' })) }),
})

const contentShape = orText(listOf(orText(partShape)))

const saidShape = keys({ content: contentShape })

const callShape = where(
  (call) => call.function === undefined,
  keys({ name: 'string', args: 'object|string', id: 'string?' }),
)

const fieldShapes: Readonly<Record<string, Shape>> = {
  system: saidShape,
  user: saidShape,
  tool: saidShape,
  function: saidShape,
  assistant: both(
    keys({
      content: contentShape,
      tool_calls: optional(listOf(callShape)),
      additional_kwargs: 'object?',
      usage_metadata: optional(usageShape),
    }),
    where(({ content }) => itemsOf(content).some((part) => isCall(objectOf(part))), keys({ tool_calls: 'list' })),
  ),
}

const messageShape: Shape = (value) => {
  const record = objectOf(value)
  if (!record || !isMessage(record)) return chatShape(value)
  const fields = ['kwargs', 'data'].find((key) => Object.hasOwn(record, key))
  const odd = (fieldShapes[roleOf(record)] as Shape)(fields === undefined ? record : record[fields])
  return odd === null || fields === undefined ? odd : under(fields, odd)
}

/** Programs that hide inputs and outputs from LangSmith send empty objects. */
const inputsShape = where(
  (inputs) => Object.keys(inputs).length > 0,
  someOf({ messages: 'list', prompt: 'string', prompts: 'list' }),
)

const toolsShape = keys({ tools: optional(definitionsShape), functions: optional(definitionsShape) })

const runShape = kinds('run_type', {
  llm: both(
    keys({
      inputs: both(inputsShape, toolsShape),
      extra: optional(keys({ metadata: 'object?', invocation_params: optional(toolsShape) })),
      outputs: optional(keys({ usage_metadata: optional(usageShape) })),
    }),
    where(({ end_time, error }) => Boolean(end_time) && !error, keys({ outputs: 'object' })),
  ),
})

const batchShape = both(
  keys({ runs: 'list?', post: 'list?', patch: 'list?' }),
  where(({ post }) => post !== undefined, keys({ patch: optional(listLike(keys({ outputs: 'object' }))) })),
)

const recordShape: Shape = (value) => {
  const record = objectOf(value) ?? {}
  if (isRun(record)) return runShape(record)
  const runs = runsOf(record)
  return runs ? (batchShape(record) ?? listOf(runShape)(runs)) : null
}

export default defineReader({
  name: 'langsmith',
  summary: 'LangSmith runs and LangChain messages',
  source: 'exports of LangSmith, states and histories of LangChain and LangGraph',
  shapes: [
    ['id', 'run_type', 'inputs', 'outputs', 'trace_id', 'dotted_order', 'parent_run_id', 'extra', 'start_time'],
    ['post', 'patch', 'post.run_type', 'post.inputs', 'post.trace_id'],
    ['type', 'data', 'data.content', 'data.additional_kwargs', 'data.response_metadata'],
    ['lc', 'type', 'id', 'kwargs', 'kwargs.content'],
  ],
  shape: recordShape,
  recognise(record) {
    const object = objectOf(record)
    if (!object) return 0
    if (runsOf(object)) return 1
    if (isMessage(object)) return 0.9
    return messagesOf(object)?.some((message) => isMessage(objectOf(message))) ? 1 : 0
  },
  read(context): Reading {
    const messages = new Converted(messageShape)
    const conversations = readConversations(context, {
      ...chat,
      shape: messages.shape,
      bodiesOf: (record) => bodiesOf(record, messages),
    })
    /** Messages that are records themselves. */
    const lone: unknown[] = []
    let from = 1
    return {
      record(value, line) {
        if (!isMessage(objectOf(value))) return conversations.record(value, line)
        if (lone.length === 0) from = line
        lone.push(value)
        return 'used'
      },
      end() {
        if (lone.length > 0) conversations.record({ messages: lone }, from)
        conversations.end()
      },
    }
  },
})

function bodiesOf(record: unknown, converted: Converted): readonly Body[] | null {
  const object = objectOf(record)
  if (!object) return null
  const runs = runsOf(object)
  if (runs) return runs.filter(({ run_type }) => run_type === 'llm').map((run) => bodyOfRun(run, converted))
  const messages = messagesOf(object)
  if (!messages) return null
  const sent = messages.map((message) => chatMessage(message, converted))
  return [{ ...nothing, messages: sent, session: sessionOf(object), bare: true }]
}

const nothing = { system: undefined, tools: undefined, model: null, session: null, id: null, reply: {} }

/** A run, a list of runs, or a batch of runs that begin (`post`) and of what became of them (`patch`). */
function runsOf(record: JsonObject): readonly JsonObject[] | undefined {
  if (isRun(record)) return [record]
  const { runs, post, patch } = record
  if (![runs, post, patch].some((list) => itemsOf(list).some((run) => isRun(objectOf(run))))) return undefined
  const byId = new Map<unknown, JsonObject>()
  for (const value of [runs, post, patch].flatMap(itemsOf)) {
    const run = objectOf(value)
    if (!run) continue
    const id = stringOf(run.id) ?? idIn(run.dotted_order)
    byId.set(id, { ...byId.get(id), ...run })
  }
  return [...byId.values()]
}

/** A run's place among others ends in its id: `20261013T070537170001Zdc34609e-3eeb-459d-bc2a-6fedb01d2e6e`. */
function idIn(order: unknown): string | undefined {
  return /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.exec(stringOf(order) ?? '')?.[0]
}

function isRun(record: JsonObject | undefined): boolean {
  if (!record) return false
  const isOfTrace = 'trace_id' in record || 'dotted_order' in record || 'parent_run_id' in record
  return isOfTrace && ('run_type' in record || 'outputs' in record)
}

function bodyOfRun(run: JsonObject, converted: Converted): Body {
  const inputs = objectOf(run.inputs) ?? {}
  const extra = objectOf(run.extra)
  const metadata = objectOf(extra?.metadata) ?? {}
  const settings = objectOf(extra?.invocation_params) ?? {}
  const tools = [inputs.tools, settings.tools, settings.functions].find((list) => Array.isArray(list))
  return {
    messages: (messagesOf(inputs) ?? promptOf(inputs)).map((message) => chatMessage(message, converted)),
    system: inputs.system,
    tools: tools as readonly unknown[] | undefined,
    model: stringOf(metadata.ls_model_name) ?? stringOf(settings.model) ?? stringOf(inputs.model) ?? null,
    session: sessionOf(metadata),
    id: stringOf(run.id) ?? null,
    bare: false,
    reply: replyOf(run, converted),
  }
}

/** The prompt as messages: a model that only completes text is given a text. */
function promptOf({ prompt, prompts }: JsonObject): readonly unknown[] {
  return itemsOf(prompts ?? prompt).map((content) => ({ role: 'user', content }))
}

function replyOf(run: JsonObject, converted: Converted): Reply {
  const outputs = objectOf(run.outputs) ?? {}
  let generation: unknown = outputs.generations
  while (Array.isArray(generation)) generation = generation[0]
  const made = objectOf(objectOf(generation)?.message) ?? objectOf(outputs.message)
  const { message = made && objectOf(chatMessage(made, converted)), body, unread } = made ? {} : answerOf(outputs)
  const fields = made && fieldsOf(made)
  const odd = made ? messageShape(made) : null
  const counts = [
    outputs.usage_metadata,
    fields?.usage_metadata,
    objectOf(outputs.llm_output)?.token_usage,
    outputs.usage,
  ]
  const usage = counts.map(usageOf).find((each) => each !== undefined) ?? usageOf(run)
  const model = stringOf(body?.model) ?? stringOf(objectOf(fields?.response_metadata)?.model_name)
  const time = timeOf(run.end_time) ?? timeOf(run.start_time)
  return {
    ...(message && { message: converted.put({ ...message, role: 'assistant' }, made ?? message) }),
    ...(unread && !run.error && { unread }),
    ...(odd !== null && { odd: under('outputs', odd) }),
    ...defined({ usage, model, time }),
  }
}

/** The messages of a state or an input. LangChain's input is a list of lists, one for each prompt of a batch. */
function messagesOf(record: JsonObject): readonly unknown[] | undefined {
  const list = record.messages ?? objectOf(record.values)?.messages
  if (!Array.isArray(list)) return undefined
  return Array.isArray(list[0]) ? list[0] : list
}

/** The message in OpenAI's form; one that has that form as it is. */
function chatMessage(value: unknown, converted: Converted): unknown {
  const record = objectOf(value)
  return record && isMessage(record) ? converted.put(inChatForm(record), record) : value
}
