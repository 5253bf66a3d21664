/**
 * Messages of Vercel's AI SDK, as applications keep them: the messages of its user interface (version 4 and since 5), and
 * those that it sends to models. A chat is a document with `messages`, an array, or a message a line.
 *
 * - What the messages mean: src/readers/wire/ai-sdk.ts.
 * - Usage is recorded only where the application adds it as `metadata.usage`; it is read of messages of one response.
 */

import { type JsonObject, objectOf, stringOf } from '../../base/json.ts'
import { readItems, recordReader } from '../frames.ts'
import { bad, type Shape, tell } from '../reader.ts'
import { Chat, partType, roles } from '../wire/ai-sdk.ts'
import { sessionOf } from '../wire/bodies.ts'
import { textIn } from '../wire/session.ts'
import { both, keys, kinds, listOf, oddIn, optional, orText, someOf, where } from '../wire/shape.ts'
import { usageShape } from '../wire/usage.ts'

export default recordReader({
  name: 'ai-sdk',
  summary: "messages of Vercel's AI SDK: those of chats and those for models",
  source: 'databases and logs of applications',
  shapes: [
    ['id', 'role', 'parts', 'parts.type', 'parts.text'],
    ['id', 'role', 'content', 'toolInvocations', 'createdAt'],
    ['id', 'messages', 'messages.parts', 'messages.role'],
    ['role', 'content.type', 'content.toolCallId', 'content.toolName'],
  ],
  recognise(record) {
    const { messages } = record
    if (Array.isArray(messages)) return messages.some((message) => isOwn(objectOf(message))) ? 0.95 : 0
    return isOwn(record) ? 0.9 : 0
  },
  // Chats whose messages have a line each, by the chat's id.
  begin: () => new Map<string | null, Chat>(),
  record(record, { line }, sessions, context) {
    if (Array.isArray(record.messages)) {
      const chat = new Chat()
      readItems(context, record.messages, messageShape, (message, at) => (chat.add(message, at) ? null : bad))
      chat.write(context, chatOf(record) ?? stringOf(record.id) ?? null)
      return 'used'
    }
    const id = chatOf(record)
    const chat = sessions.get(id) ?? new Chat()
    sessions.set(id, chat)
    if (!chat.add(record, line)) return bad
    tell(context, oddIn(messageShape, record), line)
  },
  end(sessions, context) {
    for (const [id, chat] of sessions) chat.write(context, id)
  },
})

const text = keys({ text: 'string' })

const fileShape = both(
  someOf({ mediaType: 'string', mimeType: 'string', contentType: 'string' }),
  someOf({ url: 'string', data: 'string' }),
)

const madeShape = keys({ toolCallId: 'string', input: 'object|string' })

/** A call with its result, by the state of the call. */
const callShape = kinds('state', {
  'input-available': madeShape,
  'output-available': both(madeShape, keys({ output: 'any|null' })),
  // Input that fits no tool is not kept.
  'output-error': keys({ toolCallId: 'string', input: 'object|string?', errorText: 'string' }),
})

/** The same of version 4. */
const invokedShape = both(
  keys({ toolCallId: 'string', toolName: 'string', args: 'object' }),
  kinds('state', { result: keys({ result: 'any|null' }) }),
)

const resultShape = kinds('type', {
  text: keys({ value: 'string' }),
  json: keys({ value: 'any|null' }),
  'error-text': keys({ value: 'string' }),
  'error-json': keys({ value: 'any|null' }),
  content: keys({ value: 'list' }),
})

const partShapes: Readonly<Record<string, Shape>> = {
  text,
  reasoning: someOf({ text: 'string', reasoning: 'string' }),
  image: keys({ image: 'string' }),
  file: fileShape,
  'tool-call': both(
    keys({ toolCallId: 'string', toolName: 'string' }),
    someOf({ input: 'object|string', args: 'object|string' }),
  ),
  'tool-result': both(
    keys({ toolCallId: 'string', toolName: 'string', result: 'any?' }),
    where((part) => !('result' in part), keys({ output: resultShape })),
  ),
  'dynamic-tool': both(keys({ toolName: 'string' }), callShape),
  'tool-invocation': keys({ toolInvocation: invokedShape }),
}

const partShape: Shape = (value) => {
  const type = objectOf(value)?.type
  if (typeof type !== 'string') return objectOf(value) ? 'type' : ''
  return (partShapes[type] ?? (type.startsWith('tool-') ? callShape : null))?.(value) ?? null
}

const countedShape = keys({ usage: optional(usageShape) })

const messageShape = both(
  countedShape,
  keys({
    metadata: optional(countedShape),
    parts: optional(listOf(partShape)),
    toolInvocations: optional(listOf(invokedShape)),
    experimental_attachments: optional(listOf(fileShape)),
  }),
  // Version 4 has the text of its parts in `content`.
  where(({ parts }) => !parts, keys({ content: orText(listOf(orText(partShape))) })),
)

function chatOf(record: JsonObject): string | null {
  return textIn(record, 'chatId', 'conversationId', 'threadId') ?? sessionOf(record)
}

/** Whether it has marks of this SDK. A message that is sent to models has such marks only where it has calls. */
function isOwn(message: JsonObject | undefined): boolean {
  if (!message || !roles.includes(message.role)) return false
  const { parts, content, toolInvocations } = message
  if (Array.isArray(parts)) return parts.length > 0 && parts.every((part) => isPart(objectOf(part)))
  if (Array.isArray(toolInvocations)) return toolInvocations.some((call) => 'toolCallId' in (objectOf(call) ?? {}))
  if (!Array.isArray(content)) return false
  return content.some((part) => {
    const { type, toolCallId } = objectOf(part) ?? {}
    return (type === 'tool-call' || type === 'tool-result') && typeof toolCallId === 'string'
  })
}

function isPart(part: JsonObject | undefined): boolean {
  const type = stringOf(part?.type)
  if (!part || type === undefined || !partType.test(type)) return false
  return type !== 'text' || typeof part.text === 'string'
}
