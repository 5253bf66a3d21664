/**
 * Items of OpenAI's Responses API as canonical blocks and messages. What the model wrote comes in many items a response
 * (reasoning, text, each call); the results of calls and everything else come as items of their own.
 */
import type { Block, Message } from '../../model/message.ts'
import { callBlock, type JsonObject, jsonBlock, opaque, responsesBlocks, stringOf, urlBlock } from './blocks.ts'

/** Calls that the provider runs itself: nobody sends a result, so they are no calls that could lack one. */
const ownCalls = new Set([
  'code_interpreter_call',
  'file_search_call',
  'image_generation_call',
  'mcp_call',
  'web_search_call',
])

/** Where each kind of call keeps what the tool is given. */
const inputs: Readonly<Record<string, string>> = {
  apply_patch_call: 'operation',
  computer_call: 'action',
  custom_tool_call: 'input',
  function_call: 'arguments',
  local_shell_call: 'action',
  shell_call: 'action',
  tool_search_call: 'arguments',
}

const outputs = new Set(
  Object.keys(inputs).map((call) => `${call === 'tool_search_call' ? 'tool_search' : call}_output`),
)

/** What the model wrote in one item; undefined for an item that it did not write. */
export function responseBlocks(item: JsonObject): Block[] | undefined {
  const type = stringOf(item.type)
  if (type === 'reasoning') return reasoningBlocks(item)
  if (isMessage(item)) return item.role === 'assistant' ? responsesBlocks(item.content) : undefined
  if (type === undefined) return undefined
  if (type === 'compaction') return [opaque(item.encrypted_content)]
  if (type === 'image_generation_call')
    return [urlBlock('image', `data:image/png;base64,${stringOf(item.result) ?? ''}`)]
  if (ownCalls.has(type)) return [jsonBlock(item)]
  if (!Object.hasOwn(inputs, type)) return undefined
  const name = stringOf(item.name) ?? type.replace(/_call$/, '')
  return [callBlock(item.call_id ?? item.id, name, item[inputs[type] as string] ?? {})]
}

/** The result of a call; undefined for any other item. A result is text as recorded, even where that is JSON. */
export function resultOf(item: JsonObject, line: number): Message | undefined {
  if (typeof item.type !== 'string' || !outputs.has(item.type)) return undefined
  return {
    role: 'tool',
    line,
    blocks: item.type === 'tool_search_output' ? [jsonBlock(item.tools ?? [])] : responsesBlocks(item.output),
    ...(typeof item.call_id === 'string' && { callId: item.call_id }),
  }
}

/** Short ("easy") messages leave out their type. */
export function isMessage(item: JsonObject): boolean {
  return item.type === 'message' || (item.type === undefined && typeof item.role === 'string')
}

/**
 * The provider counts the reasoning itself, which comes encrypted; the summary is written for people and stands for the
 * thought only where there is nothing else. An item without either is still a thought that somebody paid for.
 */
function reasoningBlocks(item: JsonObject): Block[] {
  if (typeof item.encrypted_content === 'string') return [opaque(item.encrypted_content)]
  const content = Array.isArray(item.content) && item.content.length > 0 ? item.content : item.summary
  const blocks = responsesBlocks(content).map((block): Block => {
    return block.type === 'text' ? { type: 'thinking', text: block.text } : block
  })
  return blocks.length > 0 ? blocks : [opaque(undefined)]
}
