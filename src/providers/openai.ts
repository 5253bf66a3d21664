/** OpenAI Chat Completions: a tool result is a message of role `tool`. Requests of this API contain no reasoning. */
import { jsonText } from '../base/json-text.ts'
import { type Block, type Message, textOf } from '../model/message.ts'
import type { Json, Provider } from './provider.ts'

const roles = { system: 'system', user: 'user', assistant: 'assistant', tool: 'tool' } as const

export const openai: Provider = {
  name: 'openai',
  beginsWithUser: false,
  message(message) {
    if (message.wire?.provider === 'openai') return message.wire.value
    const role = roles[message.role]
    if (message.role === 'tool') return { role, tool_call_id: message.callId ?? '', content: contentOf(message) }
    if (message.role !== 'assistant') return { role, content: contentOf(message) }
    const calls = message.blocks.filter((block) => block.type === 'call')
    const text = textOf(message)
    if (calls.length === 0) return { role, content: text }
    return { role, content: text === '' ? null : text, tool_calls: calls.map(callOf) }
  },
}

function callOf(call: Block & { type: 'call' }): Json {
  const text = typeof call.input === 'string' ? call.input : jsonText(call.input ?? {})
  return { id: call.id, type: 'function', function: { name: call.name, arguments: text } }
}

function contentOf(message: Message): Json {
  if (!message.blocks.some((block) => block.type === 'image' || block.type === 'document')) return textOf(message)
  const parts: Json[] = []
  for (const block of message.blocks) {
    if (block.type === 'text') parts.push({ type: 'text', text: block.text })
    else if (block.type === 'image')
      parts.push({ type: 'image_url', image_url: { url: `data:${block.mediaType};base64,${block.data ?? ''}` } })
    else if (block.type === 'document')
      parts.push({ type: 'file', file: { file_data: `data:${block.mediaType};base64,${block.data ?? ''}` } })
  }
  return parts
}
