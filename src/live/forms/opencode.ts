/**
 * Messages of opencode, as a plugin is given them (`experimental.chat.messages.transform`): an `info` with `parts`,
 * where a call and its result are one part. opencode keeps its system prompt apart.
 */

import { type JsonObject, objectOf } from '../../base/json.ts'
import { type Block, textOf } from '../../model/message.ts'
import { entryOf, isSeen, OpencodeMapping, saidBlocks, usageIn } from '../../readers/wire/opencode.ts'
import type { Form, Kept } from './form.ts'
import { type Parts, partsLeft, textPart } from './left.ts'
import { preambleOnce, writerTo } from './writer.ts'

export interface OpencodeMessage {
  readonly info: object
  readonly parts: readonly unknown[]
}

const parts: Parts<JsonObject> = {
  blocksOf: (part) => (isSeen(part) ? (saidBlocks(part, '') ?? []) : []),
  textPart,
  withInput: (part, input) => ({ ...part, state: { ...objectOf(part.state), input } }),
}

export const opencode: Form<OpencodeMessage> = {
  provider: null,
  reader(begun, sink) {
    const settle = preambleOnce(begun, sink)
    // What of a message is unknown goes back as it came.
    const mapping = new OpencodeMapping(writerTo(sink), begun.provider, () => {})
    return {
      add(element, index) {
        if (!entryOf(element)) return sink.stranger(index)
        settle()
        mapping.add(element, index + 1)
      },
      settle,
    }
  },
  partial([element], kept) {
    const { info, parts: all } = element as { readonly info: JsonObject; readonly parts: readonly unknown[] }
    const parts = all.flatMap((part): JsonObject[] => (objectOf(part) ? [part as JsonObject] : []))
    const left = info.role === 'user' ? promptLeft(parts, kept) : responseLeft(info, parts, kept)
    return left.length === 0 ? [] : [{ info, parts: left }]
  },
  write: ({ role, blocks }) => [
    {
      // A message that nobody stored has the place of one that was.
      info: { id: 'msg_ctxwin', sessionID: '', role: role === 'assistant' ? role : 'user', time: { created: 0 } },
      parts: [textPart(textOf({ role, blocks, line: 0 }))],
    },
  ],
  usageOf: (tokens) => usageIn({ tokens }),
}

/** What opencode added to a prompt is a message by itself. */
function promptLeft(parts: readonly JsonObject[], kept: readonly Kept[]): JsonObject[] {
  return kept.flatMap(({ original, message }) => {
    if (message !== original) return [textPart(textOf(message))]
    const isAdded = original.origin === 'injected'
    return parts.filter(({ type, synthetic }) => isAdded === (type === 'text' && synthetic === true))
  })
}

/** Without its result a call leaves, too: there is no other place for it. */
function responseLeft(info: JsonObject, before: readonly JsonObject[], kept: readonly Kept[]): JsonObject[] {
  const response = kept.find(({ original }) => original.role === 'assistant')
  if (!response) return []
  if (info.summary === true) return [textPart(textOf(response.message))]
  const ids = response.original.blocks.flatMap((block) => (isCall(block) ? [block.id] : []))
  const results = new Map(kept.map((one) => [one.original.callId, one]))
  const lost = new Set<unknown>()
  const withResults = before.map((part): JsonObject => {
    if (part.type !== 'tool') return part
    const result = results.get(ids.shift())
    if (result) return withResult(part, result)
    lost.add(part.callID)
    return part
  })
  return partsLeft(withResults, response, parts).filter(({ type, callID }) => type !== 'tool' || !lost.has(callID))
}

const isCall = (block: Block) => block.type === 'call'

function withResult(part: JsonObject, { original, message }: Kept): JsonObject {
  if (message === original) return part
  const { attachments: _, ...state } = objectOf(part.state) ?? {}
  return { ...part, state: { ...state, [state.status === 'error' ? 'error' : 'output']: textOf(message) } }
}
