/**
 * OpenAI Chat Completions: training sets (one conversation per line), request logs, request/response pairs, one message
 * per line, and arrays of these.
 *
 * The record is taken for everything that was sent, so the preamble counts as complete even if it is empty.
 *
 * Of a task of Cline's that was stopped before it had an answer there is a prompt only, which looks the same: what it was billed
 * stands beside it.
 */
import { defineReader } from '../reader.ts'
import { chat, chatShape } from '../wire/chat.ts'
import { readConversations } from '../wire/conversations.ts'
import { likeness } from '../wire/recognise.ts'
import anthropicMessages from './anthropic-messages.ts'

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
  read: (context) =>
    context.elements && context.beside('ui_messages.json') !== undefined
      ? anthropicMessages.read(context)
      : readConversations(context, { ...chat, shape: chatShape }),
})
