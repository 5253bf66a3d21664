/**
 * Puts together a response that was recorded as a stream: server-sent events as text, or a list of their data. The result
 * is the body that the same API sends without streaming.
 */

import { itemsOf, type JsonObject, objectOf, stringOf } from '../../base/json.ts'
import type { Shape } from '../reader.ts'
import { keys, kinds, listOf, optional, under } from './shape.ts'

/** Whether a text is server-sent events. */
export function isStream(text: string): boolean {
  return /^\s*(?:event|data|id|retry):/.test(text)
}

export interface Streamed {
  readonly body: JsonObject | undefined
  /** The path of a key that an event must have and has not. */
  readonly odd?: string | undefined
}

/** @returns undefined if it is not a stream of a known API */
export function streamed(recorded: string | readonly unknown[]): Streamed | undefined {
  const events = typeof recorded === 'string' ? eventsIn(recorded) : recorded.map(eventOf)
  const known = events.filter((event) => event !== undefined)
  if (known.length === 0 || (typeof recorded !== 'string' && known.length < events.length)) return undefined
  if (known.some((event) => event.type === 'message_start'))
    return { body: anthropicBody(known), odd: oddOf(known, eventShape) }
  const completed = known.findLast(({ type }) => type === 'response.completed' || type === 'response.incomplete')
  if (completed) return { body: objectOf(completed.response) }
  return known.some(isChunk) ? { body: chatBody(known), odd: oddOf(known, chunkShape) } : undefined
}

function oddOf(events: readonly JsonObject[], shape: Shape): string | undefined {
  for (const event of events) {
    const key = shape(event)
    if (key !== null) return under('[]', key)
  }
  return undefined
}

/** The events of Anthropic's API. */
const eventShape = kinds('type', {
  message_start: keys({ message: 'object' }),
  content_block_start: keys({ index: 'number', content_block: 'object' }),
  content_block_delta: keys({
    index: 'number',
    delta: kinds('type', {
      text_delta: keys({ text: 'string' }),
      thinking_delta: keys({ thinking: 'string' }),
      signature_delta: keys({ signature: 'string' }),
      input_json_delta: keys({ partial_json: 'string' }),
    }),
  }),
  message_delta: keys({ usage: keys({ output_tokens: 'any' }) }),
})

/** OpenAI's chunks. */
const chunkShape = keys({
  choices: listOf(
    keys({
      delta: keys({
        content: 'string?',
        tool_calls: optional(listOf(keys({ function: optional(keys({ name: 'string?', arguments: 'string?' })) }))),
      }),
    }),
  ),
})

function eventsIn(text: string): (JsonObject | undefined)[] {
  return text
    .split('\n')
    .filter((line) => line.startsWith('data:'))
    .map((line) => eventOf(line.slice('data:'.length).trim()))
}

function eventOf(value: unknown): JsonObject | undefined {
  if (typeof value !== 'string') return objectOf(value)
  try {
    return objectOf(JSON.parse(value))
  } catch {
    return undefined
  }
}

function isChunk(event: JsonObject): boolean {
  const choice = Array.isArray(event.choices) ? objectOf(event.choices[0]) : undefined
  return objectOf(choice?.delta) !== undefined || event.object === 'chat.completion.chunk'
}

/** OpenAI's chunks: texts and arguments are appended; of all other keys the last value counts. */
function chatBody(chunks: readonly JsonObject[]): JsonObject {
  const texts: Record<string, string> = {}
  const calls = new Map<unknown, { id: unknown; name: string; arguments: string }>()
  /** Entries among the calls that are no objects; they are kept as they are. */
  const others: unknown[] = []
  let whole: JsonObject = {}
  for (const { choices, ...rest } of chunks) {
    whole = { ...whole, ...present(rest) }
    const choice = objectOf(Array.isArray(choices) ? choices[0] : undefined)
    const delta = objectOf(choice?.delta) ?? {}
    for (const key of ['content', 'reasoning_content', 'reasoning', 'refusal']) {
      if (typeof delta[key] === 'string') texts[key] = (texts[key] ?? '') + delta[key]
    }
    for (const value of itemsOf(delta.tool_calls)) {
      const piece = objectOf(value)
      if (!piece) {
        others.push(value)
        continue
      }
      const { index, id, function: part } = piece
      const call = calls.get(index) ?? { id: undefined, name: '', arguments: '' }
      calls.set(index, call)
      call.id ??= id
      call.name += stringOf(objectOf(part)?.name) ?? ''
      call.arguments += stringOf(objectOf(part)?.arguments) ?? ''
    }
  }
  const made = [...calls.values()].map(({ id, ...call }) => ({ id, type: 'function', function: call }))
  const tool_calls = [...made, ...others]
  const message = { role: 'assistant', ...texts, ...(tool_calls.length > 0 && { tool_calls }) }
  return { ...whole, choices: [{ message }] }
}

function present(object: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(object).filter(([, value]) => value !== null))
}

/** Anthropic's events: blocks start and grow; the usage at the end replaces the usage at the start. */
function anthropicBody(events: readonly JsonObject[]): JsonObject {
  const blocks = new Map<unknown, Record<string, unknown>>()
  let body: JsonObject = {}
  for (const event of events) {
    if (event.type === 'message_start') body = objectOf(event.message) ?? {}
    else if (event.type === 'message_delta')
      body = { ...body, usage: { ...objectOf(body.usage), ...present(objectOf(event.usage) ?? {}) } }
    else if (event.type === 'content_block_start') blocks.set(event.index, { ...objectOf(event.content_block) })
    else if (event.type === 'content_block_delta') grow(blocks.get(event.index) ?? {}, objectOf(event.delta) ?? {})
  }
  const content = [...blocks.values()].map(({ json, ...block }) =>
    json === undefined ? block : withInput(block, json),
  )
  return { ...body, role: 'assistant', content }
}

function grow(block: Record<string, unknown>, delta: JsonObject): void {
  for (const [from, to] of [
    ['text', 'text'],
    ['thinking', 'thinking'],
    ['signature', 'signature'],
    ['partial_json', 'json'],
    ['content', 'content'],
  ] as const) {
    if (typeof delta[from] === 'string') block[to] = (stringOf(block[to]) ?? '') + delta[from]
  }
}

/** Arguments that are cut off stay text. */
function withInput(block: JsonObject, json: unknown): JsonObject {
  try {
    return { ...block, input: JSON.parse(json as string) }
  } catch {
    return json === '' ? block : { ...block, input: json }
  }
}
