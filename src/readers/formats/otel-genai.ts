/**
 * Spans of requests to models, by OpenTelemetry's conventions for generative AI and those before and beside them.
 *
 * - A span of a model's call is one request with its response; spans of a conversation whose requests grow are one
 *   transcript. Spans of agents and tools repeat what those have.
 * - Messages stand in `gen_ai.input.messages` and `gen_ai.output.messages`, as JSON or structured; before, in events of the
 *   span, or one attribute a field (`gen_ai.prompt.0.content`; OpenInference's `llm.input_messages.0.message.content`).
 * - Most instrumentations record no messages unless they are told to: such requests are reported, with how to tell them.
 * - The conventions count cached tokens as part of the input.
 * - Vercel's AI SDK has names of its own (`ai.prompt.messages`, `ai.response.text`), and counts the cache under those alone.
 */

import { defined } from '../../base/defined.ts'
import { itemsOf, type JsonObject, objectOf, stringOf } from '../../base/json.ts'
import { wordOf } from '../../base/json-text.ts'
import { defineReader, type LeftOut, type Shape } from '../reader.ts'
import { type Body, timeOf } from '../wire/bodies.ts'
import { chat, chatShape } from '../wire/chat.ts'
import { type Lack, readIncomplete } from '../wire/conversations.ts'
import {
  type Attributes,
  countsIn,
  inputOf,
  outputOf,
  parsed,
  partsOf,
  type SpanEvent,
  toolsOf,
  usageIn,
} from '../wire/gen-ai.ts'
import { both, keys, listOf, optional, orText, someOf } from '../wire/shape.ts'
import { isCounted, lackIn } from '../wire/usage.ts'
import { usageKeys } from '../wire/usage-keys.ts'

/** A value of OTLP, or one as JSON has it. */
const valueShape: Shape = (value) => (objectOf(value) ? wrappedShape(value) : value === undefined ? '' : null)

const wrappedShape = someOf({
  stringValue: 'string',
  intValue: 'string|number',
  doubleValue: 'string|number',
  boolValue: 'boolean',
  bytesValue: 'string',
  // An empty list may be left out.
  arrayValue: keys({ values: optional(listOf(valueShape)) }),
  kvlistValue: keys({ values: optional((values) => pairsShape(values)) }),
})

const pairsShape = listOf(keys({ key: 'string', value: valueShape }))

const attributesShape: Shape = (attributes) =>
  Array.isArray(attributes) ? pairsShape(attributes) : objectOf(attributes) ? null : ''

const messagesShape = listOf(keys({}))
const outputShape = optional(orText(messagesShape))
// any-agent's answer may be an object.
const anySaidShape = optional((said) => (objectOf(said) ? null : orText(messagesShape)(said)))

/** What a request to a model must hold. What tools returned may be any value. */
const saidShape = keys({
  'gen_ai.input.messages': optional(messagesShape),
  'gen_ai.output.messages': outputShape,
  'ai.prompt.messages': optional(messagesShape),
  'gen_ai.output': anySaidShape,
})

const requestShape: Shape = (span) => {
  const { attributes, all } = attributesOfSpan(span as JsonObject)
  if (!isRequest(attributes)) return null
  const counts = countsIn(all)
  const said = Object.fromEntries([...all].map(([key, value]) => [key, parsed(value)]))
  return (
    saidShape(said) ??
    (isCounted(usageKeys.span, counts) && lackIn(usageKeys.span, counts) !== null ? 'gen_ai.usage' : null)
  )
}

const spanShape = both(
  keys({
    attributes: attributesShape,
    events: optional(listOf(keys({ name: 'string', attributes: optional(attributesShape) }))),
    context: optional(keys({ trace_id: 'string|number' })),
  }),
  // The requests of a trace are in the order of their times.
  (span) => (timeIn(objectOf(span) ?? {}, 'start') === undefined ? 'start_time' : null),
  requestShape,
)

const spansShape = keys({ spans: listOf(spanShape) })

const recordShape: Shape = (record) => {
  const { resourceSpans, spans } = record as JsonObject
  if (resourceSpans !== undefined) return exportShape(record)
  return (spans === undefined ? spanShape : spansShape)(record)
}

const scopesShape = listOf(spansShape)

const exportShape = keys({
  resourceSpans: listOf(someOf({ scopeSpans: scopesShape, instrumentationLibrarySpans: scopesShape })),
})

export default defineReader({
  name: 'otel-genai',
  summary: 'OpenTelemetry spans of requests to models',
  source:
    'OTLP as JSON, of OpenTelemetry, OpenLLMetry, OpenInference, the AI SDK and any-agent; agent-traces.db of Copilot in VS Code',
  places: ['~/.config/Code', '~/Library/Application Support/Code', '$APPDATA/Code', '~/.vscode-server/data'].map(
    (code) => ({ directories: [`${code}/User/globalStorage/github.copilot-chat`], files: 'agent-traces.db' }),
  ),
  shapes: [
    ['resourceSpans', 'resourceSpans.resource', 'resourceSpans.scopeSpans'],
    ['spans', 'spans.name', 'spans.attributes', 'spans.context', 'spans.start_time'],
    ['name', 'context', 'attributes', 'start_time', 'end_time', 'attributes.gen_ai.operation.name'],
  ],
  recognise: (record) => (spansOf(objectOf(record) ?? {}).some(isOfModels) ? 1 : 0),
  shape: recordShape,
  read: (context) => readIncomplete(context, { ...chat, shape: chatShape }, bodiesOf, recordShape, withoutInput),
})

const withoutContent: LeftOut = { code: 'no-content' }
/** The finding for a request whose response was captured, but not its messages. */
const withoutInput: LeftOut = { code: 'bad-shape', key: 'gen_ai.input.messages' }

function bodiesOf(record: unknown, lack: Lack): readonly Body[] | null {
  const object = objectOf(record)
  if (!object) return null
  const spans = spansOf(object)
  if (spans.length === 0 && !('resourceSpans' in object)) return null
  const timed = spans.map((span) => ({ span, at: timeIn(span, 'start') ?? 0 }))
  const traces = new Map<string, JsonObject[]>()
  return timed.toSorted((a, b) => a.at - b.at).flatMap(({ span }) => bodyOf(span, traces, lack) ?? [])
}

function spansOf(record: JsonObject): readonly JsonObject[] {
  const scopes = itemsOf(record.resourceSpans).flatMap((value) => {
    const { scopeSpans, instrumentationLibrarySpans } = objectOf(value) ?? {}
    return itemsOf(scopeSpans ?? instrumentationLibrarySpans)
  })
  const lists = scopes.length > 0 ? scopes.map((scope) => objectOf(scope)?.spans) : [record.spans]
  const spans = lists.flatMap((list) => (Array.isArray(list) ? list : []))
  const all = spans.length === 0 && typeof record.name === 'string' && record.attributes ? [record] : spans
  return all.map(objectOf).filter((span) => span !== undefined)
}

function isOfModels(span: JsonObject): boolean {
  return [...attributesOf(span.attributes).keys()].some((key) =>
    /^(?:gen_ai\.|llm\.|openinference\.|ai\.(?:prompt|response|usage)\.)/.test(key),
  )
}

/** OTLP's list of keys and values, or an object. */
function attributesOf(recorded: unknown): Attributes {
  if (!Array.isArray(recorded)) return new Map(Object.entries(objectOf(recorded) ?? {}))
  const pairs = recorded.map(objectOf).filter((each) => typeof each?.key === 'string')
  return new Map(pairs.map((each) => [each?.key as string, plainValue(each?.value)]))
}

/** A value of OTLP as JSON would have it. */
function plainValue(recorded: unknown): unknown {
  const value = objectOf(recorded)
  if (!value) return recorded
  if ('intValue' in value) return Number(value.intValue)
  if ('arrayValue' in value) return itemsOf(objectOf(value.arrayValue)?.values).map(plainValue)
  if ('kvlistValue' in value) return Object.fromEntries(attributesOf(objectOf(value.kvlistValue)?.values))
  return value.stringValue ?? value.doubleValue ?? value.boolValue ?? value.bytesValue
}

/** Operations that send messages to a model. */
const requests = new Set<unknown>(['chat', 'generate_content', 'text_completion'])

const notOfModels = new Set<unknown>(['create_agent', 'embeddings', 'invoke_agent', 'invoke_workflow', 'retrieval'])

function attributesOfSpan(span: JsonObject) {
  const attributes = attributesOf(span.attributes)
  const events = itemsOf(span.events).map((value): SpanEvent => {
    const event = objectOf(value)
    return { name: stringOf(event?.name) ?? '', attributes: attributesOf(event?.attributes) }
  })
  // The newest conventions put the messages on an event of the span, under the same names.
  const details = events.find(({ name }) => name === 'gen_ai.client.inference.operation.details')
  const all: Attributes = new Map([...(details?.attributes ?? []), ...attributes])
  return { attributes, events, all }
}

function isOfTool(attributes: Attributes): boolean {
  return attributes.has('gen_ai.tool.name') || attributes.get('gen_ai.operation.name') === 'execute_tool'
}

function isRequest(attributes: Attributes): boolean {
  const kind = attributes.get('openinference.span.kind')
  if (isOfTool(attributes) || notOfModels.has(attributes.get('gen_ai.operation.name'))) return false
  // The AI SDK's spans of a whole run, which repeat what those of its requests have.
  if (/^ai\.\w+(?: |$)/.test(stringOf(attributes.get('operation.name')) ?? '')) return false
  return kind === undefined || kind === 'LLM'
}

function isSurelyRequest(attributes: Attributes): boolean {
  return attributes.get('openinference.span.kind') === 'LLM' || requests.has(attributes.get('gen_ai.operation.name'))
}

/**
 * @param traces what each trace has said so far: any-agent records the messages of its first request only
 */
function bodyOf(span: JsonObject, traces: Map<string, JsonObject[]>, lack: Lack): Body | undefined {
  const { attributes, events, all } = attributesOfSpan(span)
  const trace = wordOf(span.traceId ?? objectOf(span.context)?.trace_id)
  if (isOfTool(attributes) && attributes.has('gen_ai.output')) {
    const answer = { content: attributes.get('gen_ai.output'), name: attributes.get('gen_ai.tool.name') }
    traces.get(trace)?.push({ role: 'tool', ...answer })
  }
  if (!isRequest(attributes)) return undefined
  const system = partsOf(parsed(all.get('gen_ai.system_instructions')))
  const recorded = [...(system.length > 0 ? [{ role: 'system', content: system }] : []), ...inputOf(all, events)]
  const message = outputOf(all, events)
  const input = recorded.length > 0 ? recorded : message ? (traces.get(trace) ?? []) : []
  if (input.length === 0) {
    if (message) lack(withoutInput)
    else if (isSurelyRequest(attributes)) lack(withoutContent)
    return undefined
  }
  traces.set(trace, message ? [...input, message] : [...input])
  const usage = usageIn(all)
  const isAnyAgent = attributes.get('gen_ai.operation.name') === 'call_llm'
  const time = timeIn(span, 'end')
  const model =
    stringOf(all.get('gen_ai.response.model')) ??
    stringOf(all.get('gen_ai.request.model')) ??
    stringOf(all.get('llm.model_name')) ??
    stringOf(all.get('ai.model.id'))
  return {
    messages: input,
    system: undefined,
    tools: toolsOf(all),
    model: model ?? null,
    session: stringOf(all.get('gen_ai.conversation.id')) ?? stringOf(all.get('session.id')) ?? null,
    id: null,
    bare: false,
    // any-agent does not repeat a response in a later request, so a response that is missing here is lost.
    odd: isAnyAgent && !message && usage && usage.output > 0 ? 'gen_ai.output' : undefined,
    reply: defined({ message, usage, model, time }),
  }
}

/** Milliseconds; nanoseconds are recorded, as text or a number, or a time in words. */
function timeIn(span: JsonObject, which: 'start' | 'end'): number | undefined {
  const nanoseconds = span[`${which}TimeUnixNano`] ?? span[`${which}_time_unix_nano`] ?? span[`${which}_time`]
  const count = Number(nanoseconds)
  return count > 1e17 ? timeOf(Math.floor(count / 1e6)) : timeOf(nanoseconds)
}
