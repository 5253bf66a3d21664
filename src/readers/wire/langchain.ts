/**
 * LangChain's messages: a constructor (`lc`), a `type` with `data`, or with its fields beside it, as the objects of a program have
 * them.
 */

import { itemsOf, type JsonObject, objectOf } from '../../base/json.ts'
import { jsonText } from '../../base/json-text.ts'

const roles = new Map<unknown, string>([
  ['human', 'user'],
  ['HumanMessage', 'user'],
  ['HumanMessageChunk', 'user'],
  ['ai', 'assistant'],
  ['AIMessage', 'assistant'],
  ['AIMessageChunk', 'assistant'],
  ['system', 'system'],
  ['SystemMessage', 'system'],
  ['tool', 'tool'],
  ['ToolMessage', 'tool'],
  ['function', 'function'],
  ['FunctionMessage', 'function'],
])

export function isMessage(record: JsonObject | undefined): boolean {
  if (!record) return false
  if (record.lc === 1 && record.type === 'constructor') return roles.has(itemsOf(record.id).at(-1))
  return (
    roles.has(record.type) &&
    (objectOf(record.data) !== undefined || ('content' in record && record.role === undefined))
  )
}

export function fieldsOf(record: JsonObject): JsonObject {
  return objectOf(record.kwargs) ?? objectOf(record.data) ?? record
}

export function roleOf(record: JsonObject): string {
  return roles.get(record.type === 'constructor' ? itemsOf(record.id).at(-1) : record.type) ?? ''
}

/** A message in OpenAI's form. */
export function inChatForm(record: JsonObject): JsonObject {
  const role = roleOf(record)
  const { content, tool_calls, tool_call_id, name, additional_kwargs } = fieldsOf(record)
  const more = objectOf(additional_kwargs)
  const calls = itemsOf(tool_calls).map(callOf)
  const made = calls.length > 0 ? calls : itemsOf(more?.tool_calls)
  return {
    role,
    content: made.length > 0 && Array.isArray(content) ? content.filter((part) => !isCall(objectOf(part))) : content,
    ...(made.length > 0 && { tool_calls: made }),
    ...(made.length === 0 && more?.function_call !== undefined && { function_call: more.function_call }),
    ...(tool_call_id !== undefined && { tool_call_id }),
    ...(typeof name === 'string' && { name }),
    ...(more?.reasoning_content !== undefined && { reasoning_content: more.reasoning_content }),
  }
}

/** The provider's own form of a call, which is in `tool_calls`, too. */
export function isCall(part: JsonObject | undefined): boolean {
  return part?.type === 'tool_use' || part?.type === 'function_call' || part?.type === 'tool_call'
}

function callOf(value: unknown): unknown {
  const call = objectOf(value)
  if (!call || call.function !== undefined) return value
  const input = typeof call.args === 'string' ? call.args : jsonText(call.args ?? {})
  return { id: call.id, type: 'function', function: { name: call.name, arguments: input } }
}
