/**
 * Mimir's chat logs, one event per line, and its stored chats.
 *
 * - The best source in a log is `full_conversation_context`: the messages as sent, once per request, each time a little
 *   longer. The new messages of each make up the conversation; the responses between them add the usage, the calls (which
 *   the program does not keep on its messages) and messages that no later request contained.
 * - A pruned context contains a note that says so: it becomes a recorded compaction, and the history stays unpruned.
 * - Without such contexts, only the events are known. `user_message` then repeats the first message of the whole chat, so
 *   the text of later prompts is lost.
 * - A session is one transcript. A stored chat has the text of the messages, but not the calls and their ids.
 * - Of the tool definitions only their number is recorded.
 */

import { bad, defineReader, type Outcome, type ReaderContext, type Reading, unknown } from '../../reader.ts'
import { type JsonObject, objectOf, stringOf } from '../../wire/blocks.ts'
import { keys, kinds, listOf, optional } from '../../wire/shape.ts'
import { readChat, tokensShape } from './chat.ts'
import { ChatLog } from './log.ts'

/** A key that each event has beside its name. */
const events: Readonly<Record<string, string>> = {
  user_message: 'content',
  system_prompt: 'content',
  llm_call: 'iteration',
  llm_response: 'content',
  tool_call: 'tool_name',
  error: 'error',
  session_info: 'action',
  full_conversation_context: 'messages',
}

const eventShape = kinds('event', {
  user_message: keys({ content: 'string' }),
  system_prompt: keys({ content: 'string' }),
  llm_call: keys({ model: 'string' }),
  llm_response: keys({ content: 'string', tokens: optional(tokensShape) }),
  tool_call: keys({ tool_name: 'string', args: 'object|string', result: 'string|object', success: 'boolean' }),
  session_info: kinds('action', { context_pruned: keys({ details: keys({ message_count_after: 'number' }) }) }),
  full_conversation_context: keys({
    messages: listOf(keys({ content: 'string' })),
    tools_enabled: 'boolean',
    tools_count: 'number',
  }),
})

export default defineReader({
  name: 'mimir',
  program: 'mimir',
  summary: "Mimir's chat logs and stored chats",
  source: 'logs/chat_sessions/*.log, chat_sessions/*.json',
  shapes: [
    ['timestamp', 'session_id', 'event', 'iteration'],
    ['id', 'title', 'created_at', 'updated_at', 'messages', 'messages.id', 'messages.timestamp'],
  ],
  recognise(record) {
    const object = objectOf(record)
    if (!object) return 0
    if (looksStored(object)) return 1
    const event = stringOf(object.event) ?? ''
    return Object.hasOwn(events, event) && 'session_id' in object && (events[event] as string) in object ? 1 : 0
  },
  shape: (value) => (isChat(value as JsonObject) ? null : eventShape(value)),
  read: (context) => new Logs(context),
})

class Logs implements Reading {
  readonly #context: ReaderContext
  readonly #sessions = new Map<string, ChatLog>()

  constructor(context: ReaderContext) {
    this.#context = context
  }

  record(value: unknown, line: number): Outcome {
    const record = objectOf(value)
    const event = stringOf(record?.event)
    const session = stringOf(record?.session_id)
    if (record && isChat(record)) return readChat(record, this.#context)
    if (!record || event === undefined || session === undefined) return bad
    if (!Object.hasOwn(events, event)) return unknown(event)
    const log = this.#sessions.get(session) ?? new ChatLog()
    this.#sessions.set(session, log)
    return log.event(event, record, line)
  }

  end(): void {
    for (const [session, log] of this.#sessions) log.write(session, this.#context)
  }
}

/** Other programs store chats with these keys too, but only Mimir's messages each have an id and a time. */
function looksStored({ id, title, created_at, updated_at, messages }: JsonObject): boolean {
  if (typeof id !== 'string' || !isTime(created_at) || !isTime(updated_at) || title === undefined) return false
  if (!Array.isArray(messages)) return false
  return messages.every((value) => {
    const message = objectOf(value)
    const fields = [message?.id, message?.role, message?.content]
    return fields.every((field) => typeof field === 'string') && isTime(message?.timestamp)
  })
}

/** The program stores times as numbers, and exporters write them as text. */
function isTime(value: unknown): boolean {
  return typeof value === 'string' || typeof value === 'number'
}

function isChat(record: JsonObject): boolean {
  return record.event === undefined && record.session_id === undefined && Array.isArray(record.messages)
}
