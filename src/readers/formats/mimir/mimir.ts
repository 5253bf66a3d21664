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

import { type JsonObject, objectOf } from '../../../base/json.ts'
import { kind, kindsBy, recordReader } from '../../frames.ts'
import { bad, unknown } from '../../reader.ts'
import { keys, kinds, listOf, optional } from '../../wire/shape.ts'
import { readChat, tokensShape } from './chat.ts'
import { ChatLog } from './log.ts'

const events = kindsBy<ChatLog>('event', {
  user_message: kind({ content: 'string' }, (record, mark, log) => log.asked(record.content, mark)),
  system_prompt: kind({ content: 'string' }, ({ content }, { line }, log) => log.instructed(content, line)),
  llm_call: kind({ model: 'string' }, ({ model }, _, log) => log.calls(model)),
  llm_response: kind({ content: 'string', tokens: optional(tokensShape) }, (record, mark, log) =>
    log.answered(record, mark),
  ),
  tool_call: kind(
    { tool_name: 'string', args: 'object|string', result: 'string|object', success: 'boolean' },
    (record, mark, log) => log.called(record, mark),
  ),
  error: kind(null, () => 'no-context'),
  session_info: kind(
    kinds('action', { context_pruned: keys({ details: keys({ message_count_after: 'number' }) }) }),
    ({ action, details }, { line }, log) =>
      action === 'context_pruned' ? log.pruned(objectOf(details)?.message_count_after, line) : 'no-context',
  ),
  full_conversation_context: kind(
    { messages: listOf(keys({ content: 'string' })), tools_enabled: 'boolean', tools_count: 'number' },
    (record, mark, log) => log.context(record, mark),
  ),
})

/** Of the events without a `content` the key that they have beside their name. */
const ownKeys: Readonly<Record<string, string>> = {
  llm_call: 'iteration',
  tool_call: 'tool_name',
  error: 'error',
  session_info: 'action',
  full_conversation_context: 'messages',
}

export default recordReader({
  name: 'mimir',
  program: 'mimir',
  summary: "Mimir's chat logs and stored chats",
  source: 'logs/chat_sessions/*.log, chat_sessions/*.json',
  shapes: [
    ['timestamp', 'session_id', 'event', 'iteration'],
    ['id', 'title', 'created_at', 'updated_at', 'messages', 'messages.id', 'messages.timestamp'],
  ],
  recognise(record) {
    const { event } = record
    const isOwn = events.has(event) && 'session_id' in record && (ownKeys[String(event)] ?? 'content') in record
    return looksStored(record) || isOwn
  },
  shape: (value) => (isChat(value as JsonObject) ? null : events.shape(value)),
  begin: (context) => ({ context, sessions: new Map<string, ChatLog>() }),
  record(record, mark, { context, sessions }) {
    if (isChat(record)) return readChat(record, context)
    const { event, session_id: session } = record
    if (typeof event !== 'string' || typeof session !== 'string') return bad
    if (!events.has(event)) return unknown(event)
    const log = sessions.get(session) ?? new ChatLog()
    sessions.set(session, log)
    return events.read(record, mark, log)
  },
  end({ context, sessions }) {
    for (const [session, log] of sessions) log.write(session, context)
  },
})

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
