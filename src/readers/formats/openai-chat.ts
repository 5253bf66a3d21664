/**
 * OpenAI Chat Completions: training sets (one conversation per line), request logs, request/response pairs, one message
 * per line, and arrays of these.
 *
 * The record is taken for everything that was sent, so the preamble counts as complete even if it is empty.
 */
import { defineReader } from '../reader.ts'
import { chat, chatShape } from '../wire/chat.ts'
import { readConversations } from '../wire/conversations.ts'
import { likeness } from '../wire/recognise.ts'

export default defineReader({
  name: 'openai-chat',
  summary: 'OpenAI chat completions: messages, requests and conversations as JSON or JSONL',
  source: 'training sets, API logs, litellm, anything that speaks the Chat Completions API',
  shapes: [
    ['messages', 'messages.role', 'messages.content'],
    ['role', 'content'],
    ['request', 'response', 'request.messages'],
  ],
  recognise: (record) => likeness(record).openai,
  read: (context) => readConversations(context, { ...chat, shape: chatShape }),
})
