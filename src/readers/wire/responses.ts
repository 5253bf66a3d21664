/**
 * Turns items of OpenAI's Responses API into canonical blocks and messages. A response has many items (reasoning, text,
 * one per call); the results of calls are further items.
 */

import { type JsonObject, objectOf, stringOf } from '../../base/json.ts'
import { setOf } from '../../base/words.ts'
import type { Block, Message } from '../../model/message.ts'
import { responseCallInputs } from '../../model/response-calls.ts'
import type { Shape } from '../reader.ts'
import {
  callBlock,
  jsonBlock,
  opaque,
  responsesBlocks,
  responsesPartsShape,
  responsesShape,
  urlBlock,
} from './blocks.ts'
import { keys, kinds, optional, which } from './shape.ts'

/** Calls that the provider runs itself. No result follows, so they are no calls here: a call must have a result. */
const ownCalls = setOf('code_interpreter_call file_search_call image_generation_call mcp_call web_search_call')

const outputs = new Set(
  Object.keys(responseCallInputs).map((call) => `${call === 'tool_search_call' ? 'tool_search' : call}_output`),
)

const messageShape = keys({ role: 'string', content: responsesShape })

const outputShape = keys({ call_id: 'string', output: responsesShape })

const kindShape = kinds('type', {
  message: messageShape,
  reasoning: keys({ summary: responsesPartsShape, content: optional(responsesPartsShape), encrypted_content: 'text?' }),
  // Some programs write the arguments as an object instead of JSON text.
  function_call: keys({ name: 'string', arguments: 'string|object', call_id: 'string' }),
  function_call_output: outputShape,
  custom_tool_call: keys({ name: 'string', input: 'string', call_id: 'string' }),
  custom_tool_call_output: outputShape,
  // Null where the provider searches itself.
  tool_search_call: keys({ arguments: 'object', call_id: 'string|null' }),
  tool_search_output: keys({ tools: 'list', call_id: 'string|null' }),
  local_shell_call: keys({ action: keys({ command: 'list' }), call_id: 'string?' }),
  local_shell_call_output: keys({ output: 'string' }),
  shell_call: keys({ action: 'object', call_id: 'string' }),
  shell_call_output: keys({ output: 'string|list', call_id: 'string' }),
  apply_patch_call: keys({ operation: 'object', call_id: 'string' }),
  apply_patch_call_output: keys({ output: 'string?', call_id: 'string' }),
  computer_call: keys({ action: 'object', call_id: 'string' }),
  computer_call_output: keys({ output: 'object', call_id: 'string' }),
  compaction: keys({ encrypted_content: 'string' }),
})

/** What an item must hold. */
export const itemShape: Shape = which(
  (value) => (isMessage(objectOf(value) ?? {}) ? messageShape : kindShape),
  [messageShape, kindShape],
)

/** The blocks of an item that the model wrote; undefined for any other item. */
export function responseBlocks(item: JsonObject): Block[] | undefined {
  const type = stringOf(item.type)
  if (type === 'reasoning') return reasoningBlocks(item)
  if (isMessage(item)) return item.role === 'assistant' ? responsesBlocks(item.content) : undefined
  if (type === undefined) return undefined
  if (type === 'compaction') return [opaque(item.encrypted_content)]
  if (type === 'image_generation_call')
    return [urlBlock('image', `data:image/png;base64,${stringOf(item.result) ?? ''}`)]
  if (ownCalls.has(type)) return [jsonBlock(item)]
  if (!Object.hasOwn(responseCallInputs, type)) return undefined
  const name = stringOf(item.name) ?? type.replace(/_call$/, '')
  return [callBlock(item.call_id ?? item.id, name, item[responseCallInputs[type] as string] ?? {})]
}

/** The message of an item that is a call's result; undefined for any other item. */
export function resultOf(item: JsonObject, line: number): Message | undefined {
  if (typeof item.type !== 'string' || !outputs.has(item.type)) return undefined
  return {
    role: 'tool',
    line,
    blocks: item.type === 'tool_search_output' ? [jsonBlock(item.tools ?? [])] : responsesBlocks(item.output),
    ...(typeof item.call_id === 'string' && { callId: item.call_id }),
  }
}

/** The API's short form of a message ("easy") has no type. */
export function isMessage(item: JsonObject): boolean {
  return item.type === 'message' || (item.type === undefined && typeof item.role === 'string')
}

/** Whether it is an item with the marks of this API; its short form of a message has none. */
export function isItem(item: JsonObject): boolean {
  if (isMessage(item)) return Array.isArray(item.content) && item.content.some(isResponsesPart)
  return responseBlocks(item) !== undefined || resultOf(item, 0) !== undefined
}

function isResponsesPart(part: unknown): boolean {
  const type = objectOf(part)?.type
  return type === 'input_text' || type === 'output_text'
}

/**
 * The provider bills the reasoning itself, which it returns encrypted. The summary is written for people, and stands for
 * the reasoning only if there is nothing else. An item without both still was reasoning, and gives an empty block.
 */
function reasoningBlocks(item: JsonObject): Block[] {
  if (typeof item.encrypted_content === 'string') return [opaque(item.encrypted_content)]
  const content = Array.isArray(item.content) && item.content.length > 0 ? item.content : item.summary
  const blocks = responsesBlocks(content).map((block): Block => {
    return block.type === 'text' ? { type: 'thinking', text: block.text } : block
  })
  return blocks.length > 0 ? blocks : [opaque(undefined)]
}
