import { type JsonObject, objectOf, stringOf } from '../../../base/json.ts'
import type { Message, Usage } from '../../../model/message.ts'
import { bad, type Outcome, type ReaderContext, tell } from '../../reader.ts'
import { callBlock, jsonBlock, textBlocks } from '../../wire/blocks.ts'
import { timeOf } from '../../wire/bodies.ts'
import { OpenCalls } from '../../wire/calls.ts'
import type { Draft } from '../../wire/conversations.ts'
import { keys, kinds, listOf, oddIn, optional, orText, which } from '../../wire/shape.ts'
import { usageOf } from '../../wire/usage.ts'

const roles = new Map<unknown, Message['role']>([
  ['system', 'system'],
  ['user', 'user'],
  ['assistant', 'assistant'],
  ['tool', 'tool'],
])

export const tokensShape = keys({ prompt: 'any', completion: 'any' })

const saidShape = keys({ content: 'string' })

const whatShape = keys({ name: 'string', arguments: 'object|string' })

const namedShape = keys({ id: 'string', function: whatShape })

/** Newer frontends hold a text for each call. */
const callShape = orText(
  which((call) => (objectOf(objectOf(call)?.function) ? namedShape : whatShape), [namedShape, whatShape]),
)

const messageShape = kinds('role', {
  system: saidShape,
  user: saidShape,
  assistant: keys({
    content: 'string',
    token_usage: optional(tokensShape),
    tokenUsage: optional(tokensShape),
    toolCalls: optional(listOf(callShape)),
  }),
  tool: keys({ content: 'string', tool_call_id: 'string?', success: 'boolean?' }),
})

/** Reads a stored chat, or one exported from the frontend, which also has calls, ids and usage under its own keys. */
export function readChat(chat: JsonObject, context: ReaderContext): Outcome {
  const writer = context.open({ conversation: stringOf(chat.id) ?? null, provider: 'openai' })
  const calls = new OpenCalls()
  const system: Message[] = []
  const messages = chat.messages as unknown[]
  for (const [index, value] of messages.entries()) {
    const record = objectOf(value)
    const role = roles.get(record?.role)
    if (!record || !role) {
      context.finding({ ...bad, line: index + 1 })
      continue
    }
    tell(context, oddIn(messageShape, record), index + 1)
    const message = messageOf(record, role, index + 1, calls)
    if (role === 'system' && writer.length === 0) system.push(message)
    else writer.message(message)
  }
  writer.preamble({ system, complete: false })
  writer.close()
  return 'used'
}

/** Mimir's usage; undefined if the server sent none. */
export function tokensOf(value: unknown): Usage | undefined {
  const { prompt, completion } = objectOf(value) ?? {}
  return usageOf({ prompt_tokens: prompt, completion_tokens: completion })
}

function messageOf(record: JsonObject, role: Message['role'], line: number, calls: OpenCalls): Message {
  const message: Draft = { role, line, blocks: textBlocks(record.content) }
  const time = timeOf(record.timestamp)
  if (time !== undefined) message.time = time
  if (role === 'user') calls.endStep()
  if (role === 'assistant') {
    const usage = tokensOf(record.token_usage ?? record.tokenUsage)
    if (usage) message.usage = usage
    const made = Array.isArray(record.toolCalls) ? record.toolCalls : []
    message.blocks = calls.make([...message.blocks, ...made.flatMap(callOf)])
  }
  if (role === 'tool') {
    Object.assign(message, calls.answer(stringOf(record.tool_call_id) ?? '', stringOf(record.toolName)))
    if (record.success === false) message.isError = true
  }
  return message
}

function callOf(value: unknown) {
  const call = objectOf(value)
  const what = objectOf(call?.function) ?? call
  return [call && what ? callBlock(call.id, what.name, what.arguments ?? {}) : jsonBlock(value)]
}
