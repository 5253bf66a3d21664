/**
 * LangChain's messages: its objects (`HumanMessage`, `AIMessage`, …), or what it makes objects of (`{ role, content
 * }`). A message that a policy changed is of the same class. The leading system messages always stay.
 */

import { itemsOf, type JsonObject, objectOf } from '../../base/json.ts'
import { parsedJson } from '../../base/json-text.ts'
import { textOf } from '../../model/message.ts'
import { openai as api } from '../../providers/openai.ts'
import { ChatMapping } from '../../readers/wire/chat.ts'
import { inChatForm, isCall, isMessage } from '../../readers/wire/langchain.ts'
import { type CallLeft, callsLeft, thinks } from './calls.ts'
import type { ChatMessage } from './chat.ts'
import type { Form, Kept } from './form.ts'
import { writerTo } from './writer.ts'

export interface LangChainMessage {
  readonly content: unknown
}

export const langchain: Form<LangChainMessage> = {
  provider: 'openai',
  reader({ system, tools }, sink) {
    const mapping = new ChatMapping({ system, tools, complete: true }, writerTo(sink), (line) =>
      sink.stranger(line - 1),
    )
    return {
      add(element, index) {
        const record = objectOf(element)
        mapping.add({ value: record && isMessage(record) ? inChatForm(record) : element, line: index + 1 })
      },
      settle: () => mapping.end(),
    }
  },
  partial: ([element], kept) => kept.map((one) => changed(element as LangChainMessage & JsonObject, one)),
  write: (message) => [api.message({ ...message, line: 0 }) as ChatMessage & LangChainMessage],
}

function changed(element: LangChainMessage & JsonObject, kept: Kept): LangChainMessage {
  const { original, message } = kept
  if (message === original) return element
  const left = callsLeft(kept)
  const { content, tool_calls, additional_kwargs } = element
  const { tool_calls: raw, reasoning_content: thought, ...more } = objectOf(additional_kwargs) ?? {}
  return withFields(element, {
    content: contentLeft(content, left, kept),
    ...(Array.isArray(tool_calls) && { tool_calls: callsIn(tool_calls, left) }),
    ...(objectOf(additional_kwargs) && {
      additional_kwargs: {
        ...more,
        ...(thought !== undefined && thinks(message) && { reasoning_content: thought }),
        ...(Array.isArray(raw) && { tool_calls: callsIn(raw, left) }),
      },
    }),
  })
}

/** Anthropic's calls and signed thoughts stand in the content, too. */
function contentLeft(content: unknown, left: readonly (CallLeft | null)[], { original, message }: Kept): unknown {
  const text = textOf(message)
  const parts = itemsOf(content).map((part) => objectOf(part) ?? { type: 'text', text: part })
  const hasOther = message.role === 'assistant' && parts.some(({ type }) => type !== 'text')
  if (!hasOther) return text === textOf(original) && message.role === 'assistant' ? content : text
  const thoughts = thinks(message) ? parts.filter((part) => part.type !== 'text' && !isCall(part)) : []
  const calls = callsIn(parts.filter(isCall), left)
  return [...thoughts, ...(text === '' ? [] : [{ type: 'text', text }]), ...calls]
}

/** A call is kept in LangChain's own form, and in that of the API that it came from. */
function callsIn(calls: readonly unknown[], left: readonly (CallLeft | null)[]): unknown[] {
  return calls.flatMap((value, at) => {
    const one = left[at]
    if (!one) return []
    const call = objectOf(value)
    if (!call || !one.changed) return [value]
    const { input, text } = one.changed
    const called = objectOf(call.function)
    if (called) return [{ ...call, function: { ...called, arguments: text } }]
    if ('arguments' in call) return [{ ...call, arguments: text }]
    const given = typeof input === 'string' ? parsedJson(input) : input
    return ['args' in call ? { ...call, args: given } : { ...call, input: given }]
  })
}

/** A copy of the same class. What LangChain stores of a message (`lc_kwargs`) has its fields once more. */
function withFields(element: LangChainMessage & JsonObject, fields: JsonObject): LangChainMessage {
  const { lc_kwargs } = element
  const stored = objectOf(lc_kwargs) ? { lc_kwargs: { ...(lc_kwargs as JsonObject), ...fields } } : {}
  return Object.assign(Object.create(Object.getPrototypeOf(element)), element, fields, stored)
}
