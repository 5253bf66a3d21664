/**
 * What the attributes of a span say of a request to a model, in OpenAI's form: by OpenTelemetry's conventions for generative
 * AI, and by those before and beside them. Platforms that take such spans in keep the attributes, or messages of their form.
 */

import { itemsOf, type JsonObject, objectOf, stringOf } from '../../base/json.ts'
import { jsonText } from '../../base/json-text.ts'
import type { Usage } from '../../model/message.ts'
import { atTier, usageBy } from './usage.ts'
import { usageKeys } from './usage-keys.ts'

export type Attributes = ReadonlyMap<string, unknown>

export interface SpanEvent {
  readonly name: string
  readonly attributes: Attributes
}

export function inputOf(all: Attributes, events: readonly SpanEvent[]): JsonObject[] {
  const whole = parsed(all.get('gen_ai.input.messages'))
  if (Array.isArray(whole)) return whole.flatMap(messagesOf)
  const ofSdk = parsed(all.get('ai.prompt.messages'))
  if (Array.isArray(ofSdk)) return ofSdk.map(inParts).flatMap(messagesOf)
  const fields = [...fieldsOf(all, 'gen_ai.prompt'), ...fieldsOf(all, 'llm.input_messages')]
  if (fields.length > 0) return fields.flatMap(messagesOf)
  return events.flatMap(({ name, attributes }): JsonObject[] => {
    const role = /^gen_ai\.(system|user|assistant|tool)\.message$/.exec(name)?.[1]
    if (role === undefined) return []
    return messagesOf({ role, ...Object.fromEntries([...attributes].map(([key, value]) => [key, parsed(value)])) })
  })
}

/** A message of the AI SDK's as the conventions have it. */
function inParts(value: unknown): unknown {
  const { role, content } = objectOf(value) ?? {}
  if (!Array.isArray(content)) return value
  const parts = content.map(objectOf).map((part) => {
    const { type, text, toolCallId: id, toolName: name, input, args, output, result } = part ?? {}
    if (type === 'tool-call') return { type: 'tool_call', id, name, arguments: input ?? args }
    if (type === 'tool-result')
      return { type: 'tool_call_response', id, response: objectOf(output)?.value ?? output ?? result }
    return type === 'reasoning' ? { type, content: text } : part
  })
  return { role, parts }
}

/** What the AI SDK says of a response. */
function ofSdk(all: Attributes): unknown {
  const [text, reasoning] = ['ai.response.text', 'ai.response.reasoning'].map((key) => stringOf(all.get(key)))
  const calls = itemsOf(parsed(all.get('ai.response.toolCalls'))).map((call) => ({
    type: 'tool-call',
    ...objectOf(call),
  }))
  const said = [
    ...(reasoning ? [{ type: 'reasoning', text: reasoning }] : []),
    ...(text ? [{ type: 'text', text }] : []),
    ...calls,
  ]
  return said.length > 0 ? inParts({ role: 'assistant', content: said }) : undefined
}

export function outputOf(all: Attributes, events: readonly SpanEvent[]): JsonObject | undefined {
  const answer = all.get('gen_ai.output')
  const whole = parsed(all.get('gen_ai.output.messages') ?? answer)
  // any-agent's answer may be an object.
  if (objectOf(whole) && objectOf(parsed(answer))) return { role: 'assistant', content: textOf(answer) }
  if (typeof whole === 'string' && whole !== '') return { role: 'assistant', content: whole }
  const choice = events.find(({ name }) => name === 'gen_ai.choice')?.attributes
  const [first] = [
    ...itemsOf(whole),
    ...fieldsOf(all, 'gen_ai.completion'),
    ...fieldsOf(all, 'llm.output_messages'),
    ...(choice ? [parsed(choice.get('message')) ?? Object.fromEntries(choice)] : []),
    ofSdk(all),
  ]
  // any-agent lists the calls themselves.
  const calls = itemsOf(whole)
    .map(objectOf)
    .filter((call) => call?.['tool.name'] !== undefined)
  if (calls.length > 0) {
    return {
      role: 'assistant',
      content: null,
      tool_calls: calls.map((call) => callOf({ name: call?.['tool.name'], arguments: call?.['tool.args'] })),
    }
  }
  const message = first === undefined ? undefined : messagesOf(first)[0]
  return message && { ...message, role: 'assistant' }
}

/** Messages with one attribute a field, in order. */
function fieldsOf(all: Attributes, prefix: string): unknown[] {
  const root: Record<string, unknown> = Object.create(null)
  for (const [key, value] of all) {
    if (!key.startsWith(`${prefix}.`)) continue
    const path = key.slice(prefix.length + 1).split('.')
    let at = root
    for (const name of path.slice(0, -1)) {
      const inner = objectOf(at[name]) ?? Object.create(null)
      at[name] = inner
      at = inner as Record<string, unknown>
    }
    at[path.at(-1) as string] = value
  }
  return listed(root)
}

/** The members of an object whose keys are numbers, in their order. */
function listed(value: unknown): unknown[] {
  if (Array.isArray(value)) return value
  return Object.entries(objectOf(value) ?? {})
    .toSorted(([a], [b]) => Number(a) - Number(b))
    .map(([, each]) => objectOf(objectOf(each)?.message) ?? each)
}

/** A message of any convention in OpenAI's form. Answers of tools that share a message are messages of their own. */
export function messagesOf(value: unknown): JsonObject[] {
  const record = objectOf(value)
  if (!record) return []
  if (!Array.isArray(record.parts)) {
    const calls = listed(record.tool_calls).map((call) =>
      callOf(objectOf(objectOf(call)?.tool_call) ?? objectOf(call) ?? {}),
    )
    const contents = listed(record.contents).map(
      (each) => parsed(objectOf(objectOf(each)?.message_content)?.text) ?? each,
    )
    const { role, content = contents.length > 0 ? contents : undefined, tool_call_id = record.id, name } = record
    return [
      {
        role,
        content,
        ...(calls.length > 0 && { tool_calls: calls }),
        ...(role === 'tool' && { tool_call_id }),
        ...(typeof name === 'string' && { name }),
      },
    ]
  }
  const parts = record.parts.map((part): JsonObject => objectOf(part) ?? { type: 'text', content: part })
  const answers = parts.filter(({ type }) => type === 'tool_call_response')
  const calls = parts.filter(({ type }) => type === 'tool_call').map(callOf)
  const rest = partsOf(parts.filter(({ type }) => type !== 'tool_call_response' && type !== 'tool_call'))
  const said = rest.length > 0 || calls.length > 0
  return [
    ...(said ? [{ role: record.role, content: rest, ...(calls.length > 0 && { tool_calls: calls }) }] : []),
    ...answers.map(({ id, response, result }) => ({
      role: 'tool',
      tool_call_id: id,
      content: textOf(response ?? result),
    })),
  ]
}

export function textOf(value: unknown): string {
  return typeof value === 'string' ? value : jsonText(value ?? null)
}

/** Parts in OpenAI's form. */
export function partsOf(parts: unknown): unknown[] {
  return itemsOf(parts).map((value) => {
    const part = objectOf(value)
    if (part?.type === 'text') return { type: 'text', text: part.content ?? part.text }
    if (part?.type === 'reasoning') return { type: 'reasoning', text: part.content }
    if (part?.type === 'uri') return { type: 'image_url', image_url: { url: part.uri } }
    if (part?.type !== 'blob') return value
    return {
      type: 'image_url',
      image_url: { url: `data:${stringOf(part.mime_type) ?? ''};base64,${stringOf(part.content) ?? ''}` },
    }
  })
}

export function callOf(call: JsonObject): JsonObject {
  const made = objectOf(call.function) ?? call
  const input = typeof made.arguments === 'string' ? made.arguments : jsonText(made.arguments ?? {})
  return { id: call.id ?? '', type: 'function', function: { name: made.name, arguments: input } }
}

export function toolsOf(all: Attributes): readonly unknown[] | undefined {
  const whole = parsed(all.get('gen_ai.tool.definitions'))
  if (Array.isArray(whole)) return whole
  const inference = fieldsOf(all, 'llm.tools').map(
    (each) => parsed(objectOf(objectOf(each)?.tool)?.json_schema) ?? each,
  )
  const fields = [...inference, ...fieldsOf(all, 'llm.request.functions')]
  return fields.length > 0 ? fields : undefined
}

/** The counts of a span. */
export function countsIn(all: Attributes): JsonObject {
  const own = [...all].filter(([key]) =>
    /^(?:gen_ai\.usage|ai\.usage|llm\.(?:token_count|cost|usage)|opencode\.llm\.cost)\.|_aiu$/.test(key),
  )
  return Object.fromEntries(own.map(([key, value]) => [key, parsed(value)]))
}

/** The tier that answered, by the names of the OpenTelemetry conventions of 2025 and of 2024. */
function tierIn(all: Attributes): unknown {
  return all.get('openai.response.service_tier') ?? all.get('gen_ai.openai.response.service_tier')
}

export function usageIn(all: Attributes): Usage | undefined {
  return atTier(usageBy(usageKeys.span, countsIn(all)), tierIn(all))
}

/** The value of JSON text; anything else as it is. */
export function parsed(value: unknown): unknown {
  if (typeof value !== 'string' || !/^\s*[[{]/.test(value)) return value
  try {
    return JSON.parse(value)
  } catch {
    return value
  }
}
