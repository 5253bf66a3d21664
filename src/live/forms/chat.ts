/** Messages of OpenAI's Chat Completions and of what speaks like it. The leading system messages always stay. */
import { openai as api } from '../../providers/openai.ts'
import { ChatMapping } from '../../readers/wire/chat.ts'
import { callsLeft, thinks } from './calls.ts'
import type { Form, Kept } from './form.ts'
import { writerTo } from './writer.ts'

export interface ChatMessage {
  readonly role: string
  readonly content?: unknown
}

type Call = Readonly<Record<string, unknown>>

export const chat: Form<ChatMessage> = {
  provider: 'openai',
  reader({ system, tools }, sink) {
    const opening = { system, tools, complete: true }
    const mapping = new ChatMapping(opening, writerTo(sink), (line) => sink.stranger(line - 1))
    return {
      add(value, index) {
        mapping.add({ value, line: index + 1 })
      },
      settle: () => mapping.end(),
    }
  },
  partial: ([element], kept) => kept.map((one) => changed(element as ChatMessage, one)),
  write: (message) => [api.message({ ...message, line: 0 }) as ChatMessage],
}

/** Where programs keep what a model thought: the API itself has no field for it. */
const thoughts: ReadonlySet<string> = new Set([
  'reasoning_content',
  'reasoning',
  'reasoning_details',
  'thinking_blocks',
])

function changed(element: ChatMessage, kept: Kept): ChatMessage {
  const { original, message } = kept
  if (message === original) return element
  const { wire: _, ...plain } = message
  const { content } = api.message(plain) as ChatMessage
  const { tool_calls, ...said } = element as ChatMessage & { readonly tool_calls?: readonly Call[] }
  const rest = thinks(message) ? said : Object.fromEntries(Object.entries(said).filter(([key]) => !thoughts.has(key)))
  const left = callsLeft(kept)
  const calls = (tool_calls ?? []).flatMap((call, at): readonly Call[] => {
    const one = left[at]
    return one ? [one.changed ? withInput(call, one.changed.text) : call] : []
  })
  return { ...rest, role: element.role, content, ...(calls.length > 0 && { tool_calls: calls }) }
}

function withInput(call: Call, text: string): Call {
  if (call.custom) return { ...call, custom: { ...call.custom, input: text } }
  return { ...call, function: { ...(call.function as Call), arguments: text } }
}
