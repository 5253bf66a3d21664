/**
 * Mimir's chat logs, one event per line, and its stored chats.
 *
 * - The best source of a log is `full_conversation_context`: the messages as they were sent, once per request, each
 *   time a little longer. What is new in one is the conversation; the responses between them bring usage, the calls (which the
 *   program did not keep on its messages) and what no later request carried.
 * - A context that was pruned says so in its note: a recorded compaction, the history goes on unpruned.
 * - Without such contexts the events are all there is. `user_message` then repeats the first message of the request,
 *   which is that of the whole chat: later prompts are lost, only that there was one is known.
 * - A session is one transcript. A stored chat keeps the text of the messages; calls and their ids are lost in it.
 * - Tool definitions are not recorded, only how many there were.
 */

import { bad, type Outcome, type Reader, type ReaderContext, type Reading, unknown } from '../../reader.ts'
import { type JsonObject, objectOf, stringOf } from '../../wire/blocks.ts'
import { readChat } from './chat.ts'
import { ChatLog } from './log.ts'

/** What each event of a log has beside its name. */
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

const reader: Reader = {
  name: 'mimir',
  summary: "Mimir's chat logs and stored chats",
  source: 'logs/chat_sessions/*.log, chat_sessions/*.json',
  recognise(record) {
    const object = objectOf(record)
    if (!object) return 0
    if (looksStored(object)) return 1
    const event = stringOf(object.event) ?? ''
    return Object.hasOwn(events, event) && 'session_id' in object && (events[event] as string) in object ? 1 : 0
  },
  read: (context) => new Logs(context),
}

export default reader

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

/** Other programs store chats under such names too; that each message has an id and a time is Mimir's. */
function looksStored({ id, title, created_at, updated_at, messages }: JsonObject): boolean {
  if ([id, created_at, updated_at].some((field) => typeof field !== 'string') || title === undefined) return false
  if (!Array.isArray(messages)) return false
  return messages.every((value) => {
    const message = objectOf(value)
    const fields = [message?.id, message?.role, message?.content, message?.timestamp]
    return fields.every((field) => typeof field === 'string')
  })
}

function isChat(record: JsonObject): boolean {
  return record.event === undefined && Array.isArray(record.messages)
}
