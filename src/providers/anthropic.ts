/**
 * Anthropic Messages: a tool result is a block in a user message. Reasoning is sent only as it was recorded for this API: without
 * its valid signature the API would refuse it.
 */
import type { Block, Message } from '../model/message.ts'
import type { Json, Provider } from './provider.ts'

export const anthropic: Provider = {
  name: 'anthropic',
  beginsWithUser: true,
  message: (message) => ({ role: roleOf(message), content: contentOf(message) }),
}

/** Few models accept a system message in the list, so it keeps its role only if it was recorded from this API. */
function roleOf(message: Message): string {
  if (message.role === 'system' && message.wire?.provider === 'anthropic') return 'system'
  return message.role === 'assistant' ? 'assistant' : 'user'
}

function contentOf(message: Message): Json {
  if (message.wire?.provider === 'anthropic') return message.wire.value
  if (message.role !== 'tool') return blocksOf(message)
  const content = blocksOf(message)
  const result = { type: 'tool_result', tool_use_id: message.callId ?? '', content }
  return [message.isError ? { ...result, is_error: true } : result]
}

function blocksOf(message: Message): Json[] {
  const parts: Json[] = []
  for (const block of message.blocks) {
    const part = partOf(block)
    if (part) parts.push(part)
  }
  return parts
}

function partOf(block: Block): Json {
  switch (block.type) {
    case 'text':
      return { type: 'text', text: block.text }
    case 'call':
      return { type: 'tool_use', id: block.id, name: block.name, input: objectOf(block.input) }
    case 'image':
    case 'document':
      return { type: block.type, source: { type: 'base64', media_type: block.mediaType, data: block.data ?? '' } }
    default:
      return block.wire?.provider === 'anthropic' ? block.wire.value : null
  }
}

/** A tool call's input as an object. From OpenAI it is the text that the model wrote, which may be invalid JSON. */
export function objectOf(input: unknown): object {
  let value = input
  if (typeof value === 'string') {
    try {
      value = JSON.parse(value)
    } catch {
      return { input }
    }
  }
  return value !== null && typeof value === 'object' && !Array.isArray(value) ? value : { input: value }
}
