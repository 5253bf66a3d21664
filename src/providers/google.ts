/** Google Gemini: the assistant is `model`, and a tool result is a `functionResponse` part of a user message. */
import { type Block, type Message, textOf } from '../model/message.ts'
import { objectOf } from './anthropic.ts'
import type { Json, Provider } from './provider.ts'

export const google: Provider = {
  name: 'google',
  beginsWithUser: true,
  message: (message) => ({ role: message.role === 'assistant' ? 'model' : 'user', parts: partsOf(message) }),
}

function partsOf(message: Message): Json[] {
  if (message.wire?.provider === 'google') return message.wire.value as Json[]
  if (message.role === 'tool') {
    const response = { name: message.toolName ?? '', response: { output: textOf(message) } }
    return [{ functionResponse: message.callId === undefined ? response : { id: message.callId, ...response } }]
  }
  return message.blocks.map(partOf).filter((part) => part !== null)
}

function partOf(block: Block): Json {
  switch (block.type) {
    case 'text':
      return { text: block.text }
    case 'call':
      return { functionCall: { name: block.name, args: objectOf(block.input) } }
    case 'image':
    case 'document':
      return { inlineData: { mimeType: block.mediaType, data: block.data ?? '' } }
    default:
      return null
  }
}
