/** Messages of Anthropic's Messages API: `{ role, content }`, with the results of tools as blocks of user messages. */

import type { JsonObject } from '../../base/json.ts'
import { jsonText } from '../../base/json-text.ts'
import type { Message } from '../../model/message.ts'
import { anthropic as api } from '../../providers/anthropic.ts'
import { MessagesMapping } from '../../readers/wire/messages.ts'
import { callsLeft } from './calls.ts'
import type { Form, Kept } from './form.ts'
import { partsIn, textPart } from './left.ts'
import { writerTo } from './writer.ts'

export interface AnthropicMessage {
  readonly role: string
  /** A text, or blocks. */
  readonly content: unknown
}

export const anthropic: Form<AnthropicMessage> = {
  provider: 'anthropic',
  reader({ system, tools }, sink) {
    const opening = { system, tools, complete: true }
    const mapping = new MessagesMapping(opening, writerTo(sink), (line) => sink.stranger(line - 1))
    return { add: (value, index) => mapping.add({ value, line: index + 1 }), settle: () => {} }
  },
  partial: ([element], kept) => [{ ...(element as AnthropicMessage), content: kept.flatMap(partsOf) }],
  write: (message) => [api.message({ ...message, line: 0 }) as AnthropicMessage],
  joined(elements) {
    const whole: AnthropicMessage[] = []
    for (const element of elements) {
      const last = whole.at(-1)
      if (last?.role === element.role) whole[whole.length - 1] = both(last, element)
      else whole.push(element)
    }
    return whole
  },
}

/** Two messages of one role as one, as the API itself would join them. Results come first, or it refuses them. */
function both(one: AnthropicMessage, other: AnthropicMessage): AnthropicMessage {
  const parts = [...partsIn(one.content, textPart), ...partsIn(other.content, textPart)]
  const isResult = ({ type }: JsonObject) => type === 'tool_result'
  return { ...one, content: [...parts.filter(isResult), ...parts.filter((part) => !isResult(part))] }
}

/**
 * The parts of a message that are left, as they came wherever nothing was changed: with signatures, and with marks for
 * the cache.
 */
function partsOf(kept: Kept): readonly unknown[] {
  const { original, message } = kept
  const parts = recorded(original)
  if (message === original) return parts
  const written = writtenAnew(message)
  const [result] = parts
  if (message.role === 'tool') return [{ ...result, content: written[0]?.content }]
  const calls = callsLeft(kept)
  const made = parts.filter(isCall).flatMap((part, at): readonly JsonObject[] => {
    const call = calls[at]
    return call ? [call.changed ? { ...part, input: call.changed.input } : part] : []
  })
  let next = 0
  return written.map((part) => {
    if (isCall(part)) return made[next++] ?? part
    return parts.find((one) => part.type === 'text' && wordsOf(one) === part.text) ?? part
  })
}

/** What only the API knows reads as its JSON. */
const wordsOf = (part: JsonObject): unknown => (part.type === 'text' ? part.text : jsonText(part))

const isCall = ({ type }: JsonObject): boolean => type === 'tool_use'

const recorded = ({ wire }: Message): readonly JsonObject[] => partsIn(wire?.value, textPart)

const writtenAnew = ({ wire: _, ...message }: Message): readonly JsonObject[] =>
  (api.message(message) as { readonly content: readonly JsonObject[] }).content
