/**
 * ModelMessages of Vercel's AI SDK (since 5), as `prepareStep` is given them: `{ role, content }` with parts, and the
 * results of tools as parts of messages of role `tool`. The system prompt stands beside them, or in front.
 */

import { type JsonObject, objectOf } from '../../base/json.ts'
import { jsonText } from '../../base/json-text.ts'
import { type Block, textOf } from '../../model/message.ts'
import { Chat, partBlocks } from '../../readers/wire/ai-sdk.ts'
import type { Form, Kept } from './form.ts'
import { type Parts, partsIn, partsLeft, textPart } from './left.ts'
import { preambleOnce } from './writer.ts'

export interface AiSdkMessage {
  readonly role: string
  /** A text, or parts. */
  readonly content: unknown
}

const parts: Parts<JsonObject> = { blocksOf: partBlocks, textPart, withInput: (part, input) => ({ ...part, input }) }

export const aiSdk: Form<AiSdkMessage> = {
  provider: null,
  reader(begun, sink) {
    const chat = new Chat()
    const begin = preambleOnce(begun, sink)
    let given = 0
    const give = () => {
      begin(chat.preamble.system)
      for (const message of chat.messagesFor(begun.provider, given)) sink.message(message)
      given = chat.length
    }
    return {
      add(element, index) {
        if (!chat.add(objectOf(element), index + 1)) sink.stranger(index)
        else if (chat.length > 0) give()
      },
      settle: give,
    }
  },
  partial: ([element], kept) => {
    const { content } = element as AiSdkMessage
    const isText = typeof content === 'string'
    const before = partsIn(content, textPart)
    const left = kept.flatMap((one) => (one.message.role === 'tool' ? resultsLeft(before, one) : saidLeft(before, one)))
    return [{ ...(element as AiSdkMessage), content: isText ? left.map(({ text }) => text).join('\n') : left }]
  },
  write: ({ role, blocks }) => [{ role, content: textOf({ role, blocks, line: 0 }) }],
}

/** With results of tools that the provider runs itself, a message of the assistant is several responses. */
function saidLeft(before: readonly JsonObject[], kept: Kept): JsonObject[] {
  const said = before.filter((part) => part.type !== 'tool-result')
  if (said.length === before.length) return partsLeft(before, kept, parts)
  const { blocks } = kept.original
  const isOwn = (block: Block) => blocks.some((one) => isDeepEqual(one, block))
  return partsLeft(
    said.filter((part) => partBlocks(part).every(isOwn)),
    kept,
    parts,
  )
}

const isDeepEqual = (one: Block, other: Block): boolean => jsonText(one) === jsonText(other)

function resultsLeft(before: readonly JsonObject[], { original, message }: Kept): JsonObject[] {
  const part = before.find(({ type, toolCallId }) => type === 'tool-result' && toolCallId === original.callId)
  if (!part) return []
  if (message === original) return [part]
  const type = message.isError ? 'error-text' : 'text'
  return [{ ...part, output: { type, value: textOf(message) } }]
}
