/**
 * What a framework handed to Langfuse as input or output of a request, as messages in OpenAI's form. Langfuse keeps it as it
 * came, so each framework has its own: OpenAI's chat messages and Responses items, Anthropic's and Google's bodies, LangChain's
 * messages, those of Vercel's AI SDK, and the parts of OpenTelemetry's conventions.
 */

import { itemsOf, type JsonObject, objectOf, stringOf } from '../../../base/json.ts'
import { jsonText } from '../../../base/json-text.ts'
import { callOf, messagesOf, parsed, textOf } from '../../wire/gen-ai.ts'

export interface Said {
  readonly messages: readonly JsonObject[]
  readonly tools?: readonly unknown[]
  /** Instructions that stand beside the messages. */
  readonly system?: unknown
}

/** @returns undefined if it has no messages in a form that is known */
export function saidIn(recorded: unknown): Said | undefined {
  const value = parsed(recorded)
  if (Array.isArray(value)) return saidInList(value)
  const object = objectOf(value)
  if (!object) return undefined
  const { messages, contents, input, kwargs } = object
  const config = objectOf(object.config) ?? objectOf(object.generation_config)
  const system = object.system ?? object.instructions ?? config?.system_instruction ?? object.system_instruction
  const tools = [object.tools, config?.tools, object.functions].find((list) => Array.isArray(list) && list.length > 0)
  const beside = {
    ...(system !== undefined && system !== null && { system }),
    ...(Array.isArray(tools) && { tools: tools.flatMap(declared) }),
  }
  const found =
    (Array.isArray(messages) && saidInList(messages)) ||
    (contents !== undefined && { messages: googleContents(contents) }) ||
    (Array.isArray(input) && saidInList(input)) ||
    undefined
  if (found) return { ...beside, ...found }
  if (objectOf(kwargs)) return saidIn(kwargs)
  const alone = messageOf(object)
  return alone.length > 0 ? { messages: alone } : undefined
}

/** A prompt that is only a text, under the keys that programs use. */
export function promptIn(recorded: unknown): readonly JsonObject[] {
  const value = parsed(recorded)
  const { prompt, prompts, args } = objectOf(value) ?? {}
  const texts = typeof value === 'string' ? [value] : itemsOf(prompt ?? prompts ?? args)
  return texts.filter((text) => typeof text === 'string' && text !== '').map((content) => ({ role: 'user', content }))
}

/** A list of declarations in one entry is Google's. */
function declared(tool: unknown): readonly unknown[] {
  const { function_declarations, functionDeclarations } = objectOf(tool) ?? {}
  const list = function_declarations ?? functionDeclarations
  return Array.isArray(list) ? list : [tool]
}

function saidInList(list: readonly unknown[]): Said | undefined {
  // LangChain hands over a list of messages for each prompt of a batch.
  const values: readonly unknown[] = Array.isArray(list[0]) ? list[0] : list
  const messages: JsonObject[] = []
  const tools: unknown[] = []
  let isItem = false
  for (const value of values) {
    const record = objectOf(value)
    const tool = record && toolIn(record)
    if (tool) {
      tools.push(tool)
      continue
    }
    const made = record ? messageOf(record) : []
    const last = messages.at(-1)
    const [first] = made
    const continues = isItem && record !== undefined && isOfResponse(record)
    if (continues && last && first) messages[messages.length - 1] = together([last, first])
    else for (const message of made) messages.push(message)
    isItem = record !== undefined && isOfResponse(record)
  }
  if (messages.length === 0) return undefined
  return { messages, ...(tools.length > 0 && { tools }) }
}

/** Langfuse's handler for LangChain puts the definitions of tools behind the messages, as messages. */
function toolIn({ role, content }: JsonObject): unknown {
  const tool = objectOf(content)
  return role === 'tool' && tool?.type === 'function' && objectOf(tool.function) ? tool : undefined
}

/** An item of the Responses API that is a part of a response. */
function isOfResponse({ type, role }: JsonObject): boolean {
  return (
    type === 'function_call' ||
    type === 'custom_tool_call' ||
    type === 'reasoning' ||
    (type === 'message' && role === 'assistant')
  )
}

/** The parts of one response as one message. */
export function together(messages: readonly JsonObject[]): JsonObject {
  const [only] = messages
  if (only && messages.length === 1) return { ...only, role: 'assistant' }
  const contents = messages.flatMap(({ content }) => {
    return typeof content === 'string' && content !== ''
      ? [{ type: 'text', text: content }]
      : itemsOf(content).filter(objectOf)
  })
  const calls = messages.flatMap(({ tool_calls }) => itemsOf(tool_calls))
  return {
    role: 'assistant',
    content: contents.length > 0 ? contents : null,
    ...(calls.length > 0 && { tool_calls: calls }),
  }
}

const roles = new Map<unknown, string>([
  ['model', 'assistant'],
  ['ai', 'assistant'],
  ['AIMessage', 'assistant'],
  ['AIMessageChunk', 'assistant'],
  ['human', 'user'],
  ['HumanMessage', 'user'],
  ['SystemMessage', 'system'],
  ['ToolMessage', 'tool'],
])

/** @returns nothing if it is no message */
function messageOf(record: JsonObject): JsonObject[] {
  const inner = objectOf(record.message) ?? objectOf(record.kwargs) ?? objectOf(record.data)
  if (inner && record.role === undefined) {
    const role = inner.role ?? record.type
    return messageOf(role === 'constructor' ? { ...inner, role: itemsOf(record.id).at(-1) } : { ...inner, role })
  }
  const { type, parts } = record
  if (type === 'function_call' || type === 'custom_tool_call') {
    return [
      called([{ id: record.call_id ?? record.id, name: record.name, arguments: record.arguments ?? record.input }]),
    ]
  }
  if (type === 'function_call_output' || type === 'custom_tool_call_output') {
    return [{ role: 'tool', tool_call_id: record.call_id, content: contentOf(record.output) }]
  }
  if (type === 'reasoning' && record.role === undefined) {
    return [
      { role: 'assistant', content: itemsOf(record.summary).map((part) => ({ ...objectOf(part), type: 'reasoning' })) },
    ]
  }
  if (record.toolCallId !== undefined && record.toolName !== undefined) return [called([callOfPart(record)])]
  const role = roles.get(record.role ?? type) ?? stringOf(record.role) ?? stringOf(type)
  if (role === undefined) return []
  if (Array.isArray(parts)) {
    const isGoogle = parts.some((part) => objectOf(part) && objectOf(part)?.type === undefined)
    return isGoogle ? googleParts(role, parts) : messagesOf({ ...record, role, parts: parts.map(withOneId) })
  }
  if (!('content' in record) && !Array.isArray(record.tool_calls)) return []
  return spoken({ ...record, role })
}

const known = new Set(['system', 'developer', 'user', 'assistant', 'tool', 'function'])

/** A message with `content`. LangGraph for JavaScript records a tool's name as the role of what it answered. */
function spoken(record: JsonObject): JsonObject[] {
  const { tool_call_id, name, reasoning_content } = record
  const role = record.role as string
  const recorded = itemsOf(record.tool_calls)
  const calls = (recorded.length > 0 ? recorded : itemsOf(objectOf(record.additional_kwargs)?.tool_calls)).map(
    callOfTool,
  )
  const written = callsIn(record.content)
  if (written) return [called(written)]
  const parts = Array.isArray(record.content) ? record.content : []
  const results = parts.map(objectOf).filter((part) => part && isResult(part))
  const inParts = parts.map(objectOf).filter((part) => part && isCall(part))
  const rest = parts.filter((part) => !isResult(objectOf(part) ?? {}) && !isCall(objectOf(part) ?? {}))
  const others = Array.isArray(record.content) ? partsAsSaid(rest) : record.content
  const content = role === 'tool' ? contentOf(record.content) : others
  const all = calls.length > 0 ? calls : inParts.map((part) => asCall(callOfPart(part as JsonObject)))
  const isOther = !known.has(role)
  const answers = results.map((part) => ({
    role: 'tool',
    tool_call_id: part?.tool_use_id ?? part?.toolCallId,
    content: contentOf(part?.content ?? part?.output ?? part?.result),
  }))
  const said = answers.length === 0 || rest.length > 0 || all.length > 0
  return [
    ...answers,
    ...(said
      ? [
          {
            role: isOther ? 'tool' : role,
            content,
            ...(all.length > 0 && { tool_calls: all }),
            ...(tool_call_id !== undefined && { tool_call_id }),
            ...(isOther ? { name: role } : typeof name === 'string' && { name }),
            ...(typeof reasoning_content === 'string' && { reasoning_content }),
          },
        ]
      : []),
  ]
}

function isCall({ type }: JsonObject): boolean {
  return type === 'tool_use' || type === 'tool-call'
}

function isResult({ type }: JsonObject): boolean {
  return type === 'tool_result' || type === 'tool-result'
}

/** Assistants of OpenAI are told the id of the run before that of the call. */
function withOneId(part: unknown): unknown {
  const { id } = objectOf(part) ?? {}
  return Array.isArray(id) ? { ...objectOf(part), id: id.at(-1) } : part
}

/** Koog records a call as a message whose text is its JSON, and exports of Langfuse may have that parsed. */
function callsIn(content: unknown): JsonObject[] | undefined {
  const isText = typeof content === 'string' && content.startsWith('[{"')
  if (!isText && !Array.isArray(content)) return undefined
  const list = itemsOf(parsed(content)).map(objectOf)
  if (list.length === 0) return undefined
  const made = list.map((call) => ({ id: call?.id, ...objectOf(call?.function) }) as JsonObject)
  return made.every(({ id, name }) => typeof id === 'string' && typeof name === 'string') ? made : undefined
}

function called(calls: readonly JsonObject[]): JsonObject {
  return { role: 'assistant', content: null, tool_calls: calls.map(asCall) }
}

function asCall({ id, name, arguments: given }: JsonObject): JsonObject {
  return callOf({ id, name, arguments: given })
}

function callOfTool(value: unknown): unknown {
  const call = objectOf(value)
  if (!call || objectOf(call.custom)) return value
  return callOf(call.args === undefined ? call : { ...call, arguments: call.args })
}

/** A call of Anthropic's API or of the AI SDK. */
function callOfPart(part: JsonObject): JsonObject {
  return { id: part.id ?? part.toolCallId, name: part.name ?? part.toolName, arguments: part.input ?? part.args }
}

/** Parts in the form of chat messages. */
function partsAsSaid(parts: readonly unknown[]): readonly unknown[] {
  return parts.map((value) => {
    const part = objectOf(value)
    return part?.type === 'input_text' || part?.type === 'output_text' ? { ...part, type: 'text' } : value
  })
}

function contentOf(value: unknown): unknown {
  if (value === undefined || value === null || typeof value === 'string') return value
  if (!Array.isArray(value)) return jsonText(value)
  return value.every((part) => typeof objectOf(part)?.text === 'string') ? partsAsSaid(value) : jsonText(value)
}

/** Google's `contents`: a text, a content, or a list of them. */
export function googleContents(contents: unknown): JsonObject[] {
  return itemsOf(contents).flatMap((value) => {
    const content = objectOf(value)
    if (!content) return typeof value === 'string' ? [{ role: 'user', content: value }] : []
    return googleParts(roles.get(content.role) ?? stringOf(content.role) ?? 'user', itemsOf(content.parts))
  })
}

/** Google's parts, under the names of its API or of its library for Python. */
function googleParts(role: string, parts: readonly unknown[]): JsonObject[] {
  const calls: JsonObject[] = []
  const answers: JsonObject[] = []
  const rest: unknown[] = []
  for (const value of parts) {
    const part = objectOf(value)
    const call = objectOf(part?.function_call ?? part?.functionCall)
    const result = objectOf(part?.function_response ?? part?.functionResponse)
    if (call) calls.push(callOf({ id: call.id, name: call.name, arguments: call.args }))
    else if (result)
      answers.push({ role: 'tool', tool_call_id: result.id, name: result.name, content: textOf(result.response) })
    else
      rest.push(
        typeof part?.text === 'string'
          ? { type: part.thought === true ? 'reasoning' : 'text', text: part.text }
          : value,
      )
  }
  if (rest.length === 0 && calls.length === 0) return answers
  return [{ role, content: rest, ...(calls.length > 0 && { tool_calls: calls }) }, ...answers]
}
