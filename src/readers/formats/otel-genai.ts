/**
 * Spans of requests to models, by OpenTelemetry's conventions for generative AI and those before and beside them.
 *
 * - A span of a model's call is one request with its response; spans of a conversation whose requests grow are one
 *   transcript. Spans of agents and tools repeat what those have.
 * - Messages stand in `gen_ai.input.messages` and `gen_ai.output.messages`, as JSON or structured; before, in events of the
 *   span, or one attribute a field (`gen_ai.prompt.0.content`; OpenInference's `llm.input_messages.0.message.content`).
 * - Most instrumentations record no messages unless they are told to: such requests are reported, with how to tell them.
 * - The conventions count cached tokens as part of the input.
 */
import { jsonText } from '../../base/json-text.ts'
import type { Usage } from '../../model/message.ts'
import { defineReader, type LeftOut, type Shape } from '../reader.ts'
import { itemsOf, type JsonObject, objectOf, stringOf } from '../wire/blocks.ts'
import { type Body, timeOf } from '../wire/bodies.ts'
import { chat, chatShape } from '../wire/chat.ts'
import { readConversations } from '../wire/conversations.ts'
import { both, keys, listOf, oddIn, optional, orText, someOf } from '../wire/shape.ts'
import { usageOf, usageShape } from '../wire/usage.ts'

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

const attributesShape: Shape = (attributes) => (Array.isArray(attributes) ? pairsShape : keys({}))(attributes)

const messagesShape = listOf(keys({}))
const outputShape = optional(orText(messagesShape))
// any-agent's answer may be an object.
const anySaidShape = optional((said) => (objectOf(said) ? null : orText(messagesShape)(said)))

/** What a request to a model must hold. What tools returned may be any value. */
const saidShape = keys({
  'gen_ai.input.messages': optional(messagesShape),
  'gen_ai.output.messages': outputShape,
  'gen_ai.output': anySaidShape,
})

const requestShape: Shape = (span) => {
  const { attributes, all } = attributesOfSpan(span as JsonObject)
  if (!isRequest(attributes)) return null
  const { prompt_tokens, completion_tokens, ...others } = countsIn(all)
  const isCounted = prompt_tokens !== undefined || completion_tokens !== undefined
  const counts = { prompt_tokens, completion_tokens, ...others }
  const said = Object.fromEntries([...all].map(([key, value]) => [key, parsed(value)]))
  return saidShape(said) ?? (isCounted && usageShape(counts) !== null ? 'gen_ai.usage' : null)
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
  source: 'OTLP as JSON, of OpenTelemetry, OpenLLMetry, OpenInference and any-agent',
  shapes: [
    ['resourceSpans', 'resourceSpans.resource', 'resourceSpans.scopeSpans'],
    ['spans', 'spans.name', 'spans.attributes', 'spans.context', 'spans.start_time'],
    ['name', 'context', 'attributes', 'start_time', 'end_time', 'attributes.gen_ai.operation.name'],
  ],
  recognise: (record) => (spansOf(objectOf(record) ?? {}).some(isOfModels) ? 1 : 0),
  shape: recordShape,
  read(context) {
    const lacks: LeftOut[] = []
    const lack: Lack = (found) => lacks.push(found)
    const bodiesIn = (record: unknown) => bodiesOf(record, lack)
    const reading = readConversations(context, { ...chat, shape: chatShape, bodiesOf: bodiesIn })
    return {
      record(value, line) {
        lacks.length = 0
        const outcome = reading.record(value, line)
        const found = lacks.find((each) => each === withoutInput) ?? lacks[0]
        if (!found) return outcome
        // A record that is left out is not checked against its shape elsewhere, so it is checked here.
        if (outcome === 'no-context') return oddIn(recordShape, value) ?? found
        context.finding({ ...found, line })
        return outcome
      },
      end: () => reading.end(),
    }
  },
})

type Attributes = ReadonlyMap<string, unknown>

/** Called for each request without messages, with why it is left out. */
type Lack = (found: LeftOut) => void

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
  return [...attributesOf(span.attributes).keys()].some((key) => /^(?:gen_ai\.|llm\.|openinference\.)/.test(key))
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

interface SpanEvent {
  readonly name: string
  readonly attributes: Attributes
}

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
  const trace = String(span.traceId ?? objectOf(span.context)?.trace_id)
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
    stringOf(all.get('llm.model_name'))
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
    reply: {
      ...(message && { message }),
      ...(usage && { usage }),
      ...(model !== undefined && { model }),
      ...(time !== undefined && { time }),
    },
  }
}

function inputOf(all: Attributes, events: readonly SpanEvent[]): JsonObject[] {
  const whole = parsed(all.get('gen_ai.input.messages'))
  if (Array.isArray(whole)) return whole.flatMap(messagesOf)
  const fields = [...fieldsOf(all, 'gen_ai.prompt'), ...fieldsOf(all, 'llm.input_messages')]
  if (fields.length > 0) return fields.flatMap(messagesOf)
  return events.flatMap(({ name, attributes }): JsonObject[] => {
    const role = /^gen_ai\.(system|user|assistant|tool)\.message$/.exec(name)?.[1]
    if (role === undefined) return []
    return messagesOf({ role, ...Object.fromEntries([...attributes].map(([key, value]) => [key, parsed(value)])) })
  })
}

function outputOf(all: Attributes, events: readonly SpanEvent[]): JsonObject | undefined {
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
function messagesOf(value: unknown): JsonObject[] {
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

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : jsonText(value ?? null)
}

/** Parts in OpenAI's form. */
function partsOf(parts: unknown): unknown[] {
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

function callOf(call: JsonObject): JsonObject {
  const made = objectOf(call.function) ?? call
  const input = typeof made.arguments === 'string' ? made.arguments : jsonText(made.arguments ?? {})
  return { id: call.id ?? '', type: 'function', function: { name: made.name, arguments: input } }
}

function toolsOf(all: Attributes): readonly unknown[] | undefined {
  const whole = parsed(all.get('gen_ai.tool.definitions'))
  if (Array.isArray(whole)) return whole
  const inference = fieldsOf(all, 'llm.tools').map(
    (each) => parsed(objectOf(objectOf(each)?.tool)?.json_schema) ?? each,
  )
  const fields = [...inference, ...fieldsOf(all, 'llm.request.functions')]
  return fields.length > 0 ? fields : undefined
}

function countsIn(all: Attributes) {
  const first = (...names: readonly string[]) => names.map((name) => all.get(name)).find((value) => value !== undefined)
  return {
    prompt_tokens: first('gen_ai.usage.input_tokens', 'gen_ai.usage.prompt_tokens', 'llm.token_count.prompt'),
    completion_tokens: first(
      'gen_ai.usage.output_tokens',
      'gen_ai.usage.completion_tokens',
      'llm.token_count.completion',
    ),
    prompt_tokens_details: {
      cached_tokens: first(
        'gen_ai.usage.cache_read.input_tokens',
        'gen_ai.usage.cache_read_input_tokens',
        'llm.token_count.prompt_details.cache_read',
      ),
    },
    cache_creation_input_tokens: first(
      'gen_ai.usage.cache_creation.input_tokens',
      'gen_ai.usage.cache_creation_input_tokens',
      'llm.token_count.prompt_details.cache_write',
    ),
  }
}

function usageIn(all: Attributes): Usage | undefined {
  const usage = usageOf(countsIn(all))
  if (!usage || usage.cacheRead + usage.cacheWrite <= usage.input) return usage
  // Some programs count cached tokens as Anthropic does, beside the input.
  return { ...usage, input: usage.input + usage.cacheRead + usage.cacheWrite }
}

/** Milliseconds; nanoseconds are recorded, as text or a number, or a time in words. */
function timeIn(span: JsonObject, which: 'start' | 'end'): number | undefined {
  const nanoseconds = span[`${which}TimeUnixNano`] ?? span[`${which}_time_unix_nano`] ?? span[`${which}_time`]
  const count = Number(nanoseconds)
  return count > 1e17 ? timeOf(Math.floor(count / 1e6)) : timeOf(nanoseconds)
}

/** The value of JSON text; anything else as it is. */
function parsed(value: unknown): unknown {
  if (typeof value !== 'string' || !/^\s*[[{]/.test(value)) return value
  try {
    return JSON.parse(value)
  } catch {
    return value
  }
}
