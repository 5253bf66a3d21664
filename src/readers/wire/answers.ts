/**
 * Finds the message in a recorded response, in all forms that logs use: the body of a provider's API, its stream as text
 * or as a list of events, a library's or proxy's own form, or plain text. The result is the assistant message as the next
 * request would carry it.
 */

import { itemsOf, type JsonObject, objectOf, stringOf } from '../../base/json.ts'
import { setOf } from '../../base/words.ts'
import { under } from './shape.ts'
import { isStream, type Streamed, streamed } from './streams.ts'

export interface Answer {
  readonly message?: JsonObject
  /** The object around the message, with its id, model and usage. */
  readonly body?: JsonObject
  /** The response is in an unknown form. */
  readonly unread?: boolean
  /** The path of a key that an event of the stream must have and has not. */
  readonly odd?: string
}

/** How many wrappers to look into: HTTP recordings and client libraries wrap a response once or twice. */
const deepest = 4

export function answerOf(recorded: unknown, depth = 0): Answer {
  if (recorded === undefined || recorded === null || recorded === '' || depth > deepest) return {}
  if (typeof recorded === 'string') return textAnswer(recorded, depth)
  if (Array.isArray(recorded)) return listAnswer(recorded, depth)
  const body = objectOf(recorded)
  if (!body) return { unread: true }
  if (isRefused(body)) return { body }
  const message = messageIn(body)
  if (message) return { message, body }
  for (const key of ['body', 'response', 'json', 'data', 'result']) {
    const inner = body[key]
    if (inner === undefined || inner === null || inner === '') continue
    // Plain text as the body of an HTTP recording is a proxy's error page.
    if (typeof inner === 'string' && key === 'body' && !looksEncoded(inner)) return { body, unread: true }
    return { body, ...answerOf(inner, depth + 1) }
  }
  return holdsNothing(body) ? { body } : { body, unread: true }
}

function textAnswer(text: string, depth: number): Answer {
  if (isStream(text)) return streamAnswer(streamed(text), depth)
  if (!looksEncoded(text)) return { message: said(text) }
  try {
    return answerOf(JSON.parse(text), depth + 1)
  } catch {
    return { message: said(text) }
  }
}

/** The events of a stream, the items of OpenAI's Responses API, or one response in a list. */
function listAnswer(list: readonly unknown[], depth: number): Answer {
  if (list.length === 0) return {}
  const events = streamed(list)
  if (events) return streamAnswer(events, depth)
  const items = itemsMessage(list)
  if (items) return { message: items }
  return list.length === 1 ? answerOf(list[0], depth + 1) : { unread: true }
}

function streamAnswer(stream: Streamed | undefined, depth: number): Answer {
  if (!stream?.body) return { unread: true }
  const { body, odd } = stream
  return { ...answerOf(body, depth + 1), ...(odd !== undefined && { odd: under('response', odd) }) }
}

function looksEncoded(text: string): boolean {
  return /^\s*[{[]/.test(text) || isStream(text)
}

/** Whether it is an error of the provider or of a proxy: there is no message. */
function isRefused(body: JsonObject): boolean {
  const status = [body.status_code, body.statusCode, body.status].find((code) => typeof code === 'number')
  if (typeof status === 'number' && status >= 400) return true
  return body.type === 'error' || Boolean(body.error && body.choices === undefined && body.output === undefined)
}

/** Keys around a message. A body with no others has no message that was missed. */
const around = setOf(`
  choices cost created created_at duration_ms finish_reason headers id latency latency_ms model object ok output
  provider service_tier status statusCode status_code stop_reason system_fingerprint timestamp type usage
`)

function holdsNothing(body: JsonObject): boolean {
  return Object.entries(body).every(([key, value]) => {
    if (value === null || value === '' || (Array.isArray(value) && value.length === 0)) return true
    return around.has(key) && key !== 'choices' && key !== 'output'
  })
}

function messageIn(body: JsonObject): JsonObject | undefined {
  return (
    choiceMessage(body.choices) ??
    spokenMessage(body) ??
    spokenMessage(objectOf(body.message)) ??
    spokenMessage(objectOf(objectOf(body.output)?.message)) ??
    (Array.isArray(body.output) ? itemsMessage(body.output) : undefined) ??
    generatedMessage(body.generations) ??
    candidateMessage(body.candidates) ??
    plainMessage(body)
  )
}

/** OpenAI's first choice: chat has a message (or a delta, in a stream that was put together), completions have a text. */
function choiceMessage(choices: unknown): JsonObject | undefined {
  const choice = objectOf(Array.isArray(choices) ? choices[0] : undefined)
  return objectOf(choice?.message) ?? assistant(objectOf(choice?.delta)) ?? textMessage(choice?.text)
}

function assistant(delta: JsonObject | undefined): JsonObject | undefined {
  return delta && { ...delta, role: 'assistant' }
}

/** A plain assistant message: an Anthropic response is one, Ollama and Bedrock wrap one. */
function spokenMessage(message: JsonObject | undefined): JsonObject | undefined {
  if (!message || (message.role !== undefined && message.role !== 'assistant')) return undefined
  const { content, tool_calls } = message
  if (typeof content !== 'string' && !Array.isArray(content) && !Array.isArray(tool_calls)) return undefined
  return { role: 'assistant', content, ...(itemsOf(tool_calls).length > 0 && { tool_calls }) }
}

/** The first of LangChain's generations (a list of lists) or Cohere's (a list). */
function generatedMessage(generations: unknown): JsonObject | undefined {
  let first = generations
  while (Array.isArray(first)) first = first[0]
  const generation = objectOf(first)
  const message = objectOf(generation?.message)
  const inner = objectOf(message?.kwargs) ?? objectOf(message?.data) ?? message
  return spokenMessage(inner && { ...inner, role: 'assistant' }) ?? textMessage(generation?.text)
}

/** Google's first candidate. A part is a text or a call. */
function candidateMessage(candidates: unknown): JsonObject | undefined {
  const parts = objectOf(objectOf(Array.isArray(candidates) ? candidates[0] : undefined)?.content)?.parts
  if (!Array.isArray(parts)) return undefined
  return together(
    parts.map((part) => {
      const { text, functionCall } = objectOf(part) ?? {}
      const call = objectOf(functionCall)
      if (call) return { id: call.id, name: call.name, arguments: call.args ?? {} }
      return typeof text === 'string' ? text : part
    }),
  )
}

/** The response as text, under the keys that libraries, proxies and older APIs use. */
function plainMessage(body: JsonObject): JsonObject | undefined {
  for (const key of ['output_text', 'output', 'completion', 'text', 'generated_text']) {
    const message = textMessage(body[key])
    if (message) return message
  }
  return undefined
}

/** Items of the Responses API. An item other than text, reasoning or a call of the agent's tools stays as it is. */
function itemsMessage(items: readonly unknown[]): JsonObject | undefined {
  if (items.length === 0 || !items.every((item) => stringOf(objectOf(item)?.type) !== undefined)) return undefined
  let known = false
  const parts = items.flatMap((value): unknown[] => {
    const item = objectOf(value) as JsonObject
    if (item.type === 'message' && Array.isArray(item.content)) {
      known = true
      return item.content.map((part) => stringOf(objectOf(part)?.text) ?? part)
    }
    if (item.type === 'function_call' || item.type === 'custom_tool_call') {
      known = true
      return [{ id: item.call_id ?? item.id, name: item.name, arguments: item.arguments ?? item.input ?? '' }]
    }
    if (item.type !== 'reasoning') return [value]
    known = true
    return Array.isArray(item.summary) && item.summary.length > 0
      ? [{ type: 'reasoning', text: joined(item.summary) }]
      : []
  })
  return known ? together(parts) : undefined
}

function joined(parts: readonly unknown[]): string {
  return parts.map((part) => stringOf(objectOf(part)?.text) ?? '').join('\n')
}

/** The texts, calls and other parts of one response as one chat message. */
function together(parts: readonly unknown[]): JsonObject {
  const calls = parts.filter(isCall)
  const rest = parts.filter((part) => !isCall(part))
  const content = rest.every((part) => typeof part === 'string')
    ? rest.join('')
    : rest.map((part) => (typeof part === 'string' ? { type: 'text', text: part } : part))
  const tool_calls = calls.map(({ id, ...call }) => ({ id, type: 'function', function: call }))
  return { role: 'assistant', content, ...(tool_calls.length > 0 && { tool_calls }) }
}

function isCall(part: unknown): part is JsonObject {
  const object = objectOf(part)
  return object !== undefined && object.type === undefined && 'arguments' in object && 'name' in object
}

function textMessage(text: unknown): JsonObject | undefined {
  return typeof text === 'string' && text !== '' ? said(text) : undefined
}

function said(text: string): JsonObject {
  return { role: 'assistant', content: text }
}
