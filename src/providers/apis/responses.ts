/** POST /v1/responses of OpenAI: the same conversation as in Chat Completions, as a list of items. */
import { isSaid, responsesBody } from '../responses.ts'
import type { Api, JsonObject, LeftOut } from './api.ts'
import { chatApi, chatBody } from './chat.ts'

export const responsesApi: Api = {
  settings: chatApi.settings,
  body(parts, left) {
    const { model, ...input } = chatBody(parts, left, isSaid)
    const messages = (input.messages as readonly JsonObject[]).map((message) => withoutAudio(message, left))
    // Nothing is looked up at OpenAI and nothing kept there: the request has the whole conversation.
    return { ...(model === undefined ? {} : { model }), store: false, ...responsesBody({ ...input, messages }) }
  },
}

function withoutAudio(message: JsonObject, left: LeftOut): JsonObject {
  const { content } = message
  if (!Array.isArray(content) || !content.some(isAudio)) return message
  left.media += content.filter(isAudio).length
  return { ...message, content: content.map((part) => (isAudio(part) ? { type: 'text', text: '[audio]' } : part)) }
}

function isAudio(part: JsonObject): boolean {
  return part.type === 'input_audio'
}
