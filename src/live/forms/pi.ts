/**
 * Messages of the pi coding agent, as an extension's `context` event has them: prompts, responses, results of tools,
 * and what extensions, commands and summaries add. pi keeps its system prompt apart.
 */

import { type JsonObject, objectOf } from '../../base/json.ts'
import { type Message, textOf } from '../../model/message.ts'
import { contentOf, PiMapping } from '../../readers/wire/pi.ts'
import { piUsage } from '../../readers/wire/usage.ts'
import type { Form, Kept } from './form.ts'
import { type Parts, partsIn, partsLeft, textPart } from './left.ts'
import { preambleOnce } from './writer.ts'

export interface PiMessage {
  readonly role: string
}

export const pi: Form<PiMessage> = {
  provider: null,
  reader(begun, sink) {
    const mapping = new PiMapping()
    const settle = preambleOnce(begun, sink)
    let before: Message | null = null
    return {
      add(element, index) {
        const record = objectOf(element)
        if (typeof record?.role !== 'string') return sink.stranger(index)
        settle()
        const message = mapping.message(record, index + 1)
        if (!message) return
        // OpenAI's API takes one message per result, the others one message with all of them.
        if (message.role === 'tool' && before?.role === 'tool' && begun.provider !== 'openai') message.continues = true
        before = message
        sink.message(message)
      },
      settle,
    }
  },
  partial: ([element], kept) => kept.map((one) => changed(element as PiMessage & JsonObject, one)),
  write: ({ role, blocks }) => [said(role, textOf({ role, blocks, line: 0 }))],
  usageOf: piUsage,
}

const parts: Parts<JsonObject> = {
  blocksOf: (part) => contentOf([part]),
  textPart,
  withInput: (part, input) => ({ ...part, arguments: input }),
}

function changed(element: PiMessage & JsonObject, kept: Kept): PiMessage {
  const { role, content, timestamp } = element
  if (role !== 'assistant' && role !== 'user' && role !== 'toolResult') {
    // What extensions and commands add goes out in pi's words, which are no part of it.
    return { ...said('user', textOf(kept.message)), ...{ timestamp } }
  }
  return { ...element, ...{ content: partsLeft(partsIn(content, textPart), kept, parts) } }
}

/** A message of the policy's own. Of one of the assistant, pi wants to know who wrote it. */
function said(role: string, text: string): PiMessage {
  const content = [textPart(text)]
  if (role !== 'assistant') return { role: 'user', ...{ content, timestamp: 0 } }
  const cost = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 }
  const usage = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, totalTokens: 0, cost }
  return { role, ...{ content, api: '', provider: '', model: '', usage, stopReason: 'stop', timestamp: 0 } }
}
