/**
 * Inspect's evaluation logs: a JSON document with all `samples`, or a document for each, as they lie in an `.eval`
 * archive, whose samples come one by one.
 *
 * - A sample is a conversation: its `messages` are the history. The `model` event with the same response gives its usage,
 *   time and tools. Events whose response is not in the history (of a scorer, a sub-agent) are not counted.
 * - A request is in `input`, or in `input_refs`: ranges of a pool of messages. Where it does not begin like the request
 *   before, the context was compacted: what it begins with is the summary, which may hold messages of the history.
 * - Texts as `attachment://…` stand in `attachments`.
 * - What is said in the user's name after the first response, and is no input of the sample, comes from the solver.
 * - Messages are numbered 1, 2, … in their sample.
 */
import { defined } from '../../base/defined.ts'
import { itemsOf, type JsonObject, objectOf, stringOf } from '../../base/json.ts'
import { jsonText, wordOf } from '../../base/json-text.ts'
import { setOf } from '../../base/words.ts'
import type { Block, ProviderName, Usage } from '../../model/message.ts'
import type { Compaction } from '../../model/trace.ts'
import { documentReader } from '../frames.ts'
import { bad, type Outcome, type ReaderContext, type Shape, tell } from '../reader.ts'
import { callBlock, jsonBlock, opaque, textBlocks, thinkingBlocks, urlBlock } from '../wire/blocks.ts'
import { timeOf } from '../wire/bodies.ts'
import { OpenCalls } from '../wire/calls.ts'
import type { Draft } from '../wire/conversations.ts'
import { both, keys, kinds, listLike, listOf, oddIn, optional, orText, where } from '../wire/shape.ts'
import { spokenBy } from '../wire/spoken.ts'
import { usageBy } from '../wire/usage.ts'
import { usageKeys } from '../wire/usage-keys.ts'

export default documentReader({
  name: 'inspect',
  summary: "Inspect's evaluation logs and their samples",
  source: '`logs/*.eval` and `logs/*.json` of Inspect',
  shapes: [
    ['version', 'status', 'eval', 'plan', 'results', 'stats', 'samples', 'eval.task', 'samples.epoch'],
    ['id', 'epoch', 'input', 'target', 'messages', 'output', 'events', 'model_usage', 'attachments', 'scores'],
  ],
  recognise: (record) => isLog(record) || isSample(record),
  record: (record, { line }, context) => read(record, line, context),
})

const contentShape = orText(
  listOf(
    kinds('type', {
      text: keys({ text: 'string' }),
      reasoning: keys({ reasoning: 'string', redacted: 'boolean?' }),
      image: keys({ image: 'string' }),
      audio: keys({ audio: 'string' }),
      document: keys({ document: 'string' }),
      video: keys({ video: 'string' }),
    }),
  ),
)

const saidShape = keys({ content: contentShape })

const messageShape = kinds('role', {
  system: saidShape,
  user: saidShape,
  assistant: keys({
    content: contentShape,
    tool_calls: optional(listOf(keys({ id: 'string', function: 'string', arguments: 'object' }))),
  }),
  tool: keys({ content: contentShape, tool_call_id: 'string?', error: optional(keys({ message: 'string' })) }),
})

/** Since 2025 every message has an id, by which requests refer to it. */
const named = keys({ id: 'string' })
const namedShape = both(messageShape, named)

/** @param answer the message of a response */
function sampleShape(answer: Shape): Shape {
  const request = keys({
    input: 'list',
    input_refs: 'list?',
    tools: 'list',
    output: keys({
      choices: listOf(keys({ message: answer })),
      usage: optional(
        keys({
          input_tokens: 'any',
          output_tokens: 'any',
          total_tokens: 'number',
          input_tokens_cache_read: 'amount?',
          input_tokens_cache_write: 'amount?',
        }),
      ),
    }),
  })
  const referring = where(({ input }) => itemsOf(input).length === 0, keys({ input_refs: 'list' }))
  return keys({
    attachments: 'object?',
    events: optional(listOf(kinds('event', { model: both(request, referring) }))),
    events_data: optional(keys({ messages: 'list' })),
  })
}

const oldSample = sampleShape(saidShape)
const namedSample = sampleShape(named)

/** A log may consist of its head alone. */
const logShape = keys({
  samples: optional(listLike(keys({ messages: 'list', epoch: 'number', input: 'any', target: 'any' }))),
})

function isLog(record: JsonObject): boolean {
  const task = objectOf(record.eval)
  return task !== undefined && ('task' in task || 'model' in task) && ('samples' in record || 'plan' in record)
}

function isSample({ messages, epoch, input, target }: JsonObject): boolean {
  return Array.isArray(messages) && typeof epoch === 'number' && input !== undefined && target !== undefined
}

function read(record: JsonObject, line: number, context: ReaderContext): Outcome {
  if (isSample(record)) {
    write(record, undefined, line, context)
    return 'used'
  }
  if (!isLog(record)) return bad
  tell(context, oddIn(logShape, record), line)
  const model = stringOf(objectOf(record.eval)?.model)
  for (const [index, value] of itemsOf(record.samples).entries()) {
    const sample = objectOf(value)
    if (sample && isSample(sample)) write(sample, model, index + 1, context)
    else context.finding({ ...bad, line: index + 1 })
  }
  return 'used'
}

type Find = (key: string, line: number) => void

/**
 * @param known the model of the log, where it is known
 * @param place the line of what no message has
 */
function write(sample: JsonObject, known: string | undefined, place: number, context: ReaderContext): void {
  const find: Find = (key, line) => context.finding({ code: 'bad-shape', key, line })
  const messages = itemsOf(sample.messages).map(objectOf)
  const isNamed = messages.some((message) => typeof message?.id === 'string')
  const attachments = new Attachments(sample.attachments)
  const { requests, odd } = requestsOf(
    sample,
    new Set(messages.map((message) => keyOf(message, attachments))),
    attachments,
  )
  const model = [...requests.values()][0]?.model ?? known
  const provider = spokenBy(known ?? model)
  const conversation = `${wordOf(sample.id)}/epoch:${sample.epoch}`
  const writer = context.open({ conversation, provider })
  writer.describe({ model })
  const mapping = new Mapping(attachments, provider, find)
  const system: Draft[] = []
  const places = new Map<string, number>()
  let tools: readonly unknown[] | undefined
  let isAnswered = false
  let held: readonly string[] | null = null
  for (const [index, record] of messages.entries()) {
    const line = index + 1
    const message = record && mapping.message(record, line)
    if (!record || !message) {
      context.finding({ ...bad, line })
      continue
    }
    const key = (isNamed ? namedShape : messageShape)(record)
    if (key !== null) find(key, line)
    if (message.role === 'system' && writer.length === 0) {
      system.push(message)
      continue
    }
    const id = stringOf(record.id) ?? ''
    const request = message.role === 'assistant' ? requests.get(keyOf(record, attachments)) : undefined
    if (message.role === 'user' && isAnswered && record.source !== 'input') message.origin = 'injected'
    if (message.role === 'assistant') isAnswered = true
    if (request) {
      tools ??= request.tools
      if (isNamed && !request.input.every(idOf)) find('events[].input[].id', line)
      const compaction = compactionIn(request.input, held, places, writer.length, line, mapping)
      if (compaction) writer.compaction(compaction)
      held = request.input.map(idOf)
      const { usage, time, model } = request
      Object.assign(message, defined({ usage, time, model }))
    }
    places.set(id, writer.length)
    writer.message(message)
  }
  writer.preamble({ system, ...(tools ? { tools } : {}), complete: requests.size > 0 })
  writer.close()
  const lost = (isNamed ? namedSample : oldSample)(sample) ?? odd ?? attachments.odd
  if (lost !== null) find(lost, place)
}

interface ModelRequest {
  /** Without the system messages in front. */
  readonly input: readonly JsonObject[]
  readonly tools: readonly unknown[]
  readonly usage: Usage | undefined
  readonly time: number | undefined
  readonly model: string | undefined
}

/** The id of a message; before 2025, when there was none, its words. */
function keyOf(message: JsonObject | undefined, attachments: Attachments): string {
  return stringOf(message?.id) ?? jsonText(attachments.resolved(message?.content) ?? null)
}

/** The requests, by the key of the message that answered them; and the key of a reference that leads nowhere. */
function requestsOf(sample: JsonObject, keys: ReadonlySet<string>, attachments: Attachments) {
  const requests = new Map<string, ModelRequest>()
  let odd: string | null = null
  const pool = itemsOf(objectOf(sample.events_data)?.messages)
  for (const value of itemsOf(sample.events)) {
    const event = objectOf(value)
    if (event?.event !== 'model') continue
    const output = objectOf(event.output)
    const answer = objectOf(objectOf(itemsOf(output?.choices)[0])?.message)
    const key = keyOf(answer, attachments)
    if (!answer || !keys.has(key)) continue
    const recorded = Array.isArray(event.input_refs) ? referred(event.input_refs, pool) : itemsOf(event.input)
    if (recorded.includes(undefined)) odd = 'events[].input_refs'
    const input = recorded.map(objectOf).filter((message) => message !== undefined)
    const first = input.findIndex(({ role }) => role !== 'system')
    requests.set(key, {
      input: first === -1 ? [] : input.slice(first),
      tools: itemsOf(event.tools),
      usage: usageBy(usageKeys.inspect, output?.usage),
      time: timeOf(event.completed) ?? timeOf(event.timestamp),
      model: stringOf(output?.model) ?? stringOf(event.model),
    })
  }
  return { requests, odd }
}

/** The messages of half-open ranges of the pool, or of single places; undefined where the pool is shorter. */
function referred(refs: readonly unknown[], pool: readonly unknown[]): unknown[] {
  return refs.flatMap((ref) => {
    if (typeof ref === 'number') return [pool[ref]]
    const [from, to] = itemsOf(ref)
    if (typeof from !== 'number' || typeof to !== 'number') return [undefined]
    return to > pool.length ? [...pool.slice(from), undefined] : pool.slice(from, to)
  })
}

function idOf(message: JsonObject): string {
  return stringOf(message.id) ?? ''
}

/**
 * What a request shows of a compaction: it does not begin like the one before it. The messages at its end that end the
 * history, too, were kept.
 */
function compactionIn(
  input: readonly JsonObject[],
  held: readonly string[] | null,
  places: ReadonlyMap<string, number>,
  at: number,
  line: number,
  mapping: Mapping,
): Compaction | null {
  if (!held || input.length === 0 || input.some((message) => idOf(message) === '')) return null
  if (held.every((id, index) => input[index] && idOf(input[index]) === id)) return null
  let kept = 0
  while (kept < input.length && places.get(idOf(input[input.length - 1 - kept] as JsonObject)) === at - 1 - kept) kept++
  const summary = input.slice(0, input.length - kept).flatMap((message) => mapping.summary(message, line) ?? [])
  return { at, keptFrom: at - kept, summary, line }
}

const roles = setOf('system user assistant tool')

class Mapping {
  readonly #attachments: Attachments
  readonly #provider: ProviderName
  readonly #find: Find
  readonly #calls = new OpenCalls()
  #afterResult = false

  constructor(attachments: Attachments, provider: ProviderName, find: Find) {
    this.#attachments = attachments
    this.#provider = provider
    this.#find = find
  }

  message(record: JsonObject, line: number): Draft | undefined {
    if (!roles.has(record.role)) return undefined
    const role = record.role as Draft['role']
    const draft: Draft = { role, line, blocks: this.#content(record.content) }
    const isResult = role === 'tool'
    if (role === 'user') this.#calls.endStep()
    if (role === 'assistant') draft.blocks = this.#calls.make([...draft.blocks, ...this.#callsIn(record)])
    if (isResult) {
      const error = objectOf(record.error)
      if (error) draft.isError = true
      if (error && draft.blocks.length === 0) draft.blocks = textBlocks(error.message)
      Object.assign(draft, this.#calls.answer(stringOf(record.tool_call_id) ?? '', stringOf(record.function)))
      // OpenAI's API takes one message per result, the others one message with all of them.
      if (this.#afterResult && this.#provider !== 'openai') draft.continues = true
    }
    this.#afterResult = isResult
    return draft
  }

  /** A message in front of what a compaction kept. It stands alone: its calls were answered elsewhere. */
  summary(record: JsonObject, line: number): Draft | undefined {
    const key = roles.has(record.role) ? messageShape(record) : 'role'
    if (key !== null) this.#find(`events[].input[].${key}`, line)
    if (!roles.has(record.role)) return undefined
    return {
      role: record.role as Draft['role'],
      line,
      blocks: [...this.#content(record.content), ...this.#callsIn(record)],
    }
  }

  #callsIn({ tool_calls }: JsonObject): Block[] {
    return itemsOf(tool_calls).map((value) => {
      const call = objectOf(value)
      if (!call) return jsonBlock(value)
      const input = objectOf(call.arguments)
      const entries = Object.entries(input ?? {}).map(([key, each]) => [key, this.#resolved(each)])
      return callBlock(call.id, call.function, input ? Object.fromEntries(entries) : this.#resolved(call.arguments))
    })
  }

  #content(recorded: unknown): Block[] {
    const content = this.#resolved(recorded)
    if (!Array.isArray(content)) return textBlocks(content)
    return content.flatMap((value): Block[] => {
      const part = objectOf(value)
      switch (part?.type) {
        case 'text':
          return textBlocks(this.#resolved(part.text))
        case 'reasoning':
          return part.redacted === true
            ? [opaque(this.#resolved(part.reasoning))]
            : thinkingBlocks(this.#resolved(part.reasoning))
        case 'image':
          return [urlBlock('image', this.#resolved(part.image))]
        case 'audio':
        case 'document':
        case 'video':
          return [urlBlock('document', this.#resolved(part[part.type]))]
        default:
          return part ? [jsonBlock(part)] : textBlocks(this.#resolved(value))
      }
    })
  }

  #resolved(value: unknown): unknown {
    return this.#attachments.resolved(value)
  }
}

class Attachments {
  readonly #texts: JsonObject
  /** The key of a reference that leads nowhere; null while there is none. */
  odd: string | null = null

  constructor(recorded: unknown) {
    this.#texts = objectOf(recorded) ?? {}
  }

  resolved(value: unknown): unknown {
    if (typeof value !== 'string' || !value.startsWith(attachment)) return value
    const hash = value.slice(attachment.length)
    const text = Object.hasOwn(this.#texts, hash) ? this.#texts[hash] : undefined
    if (typeof text !== 'string') this.odd = 'attachments'
    return text ?? value
  }
}

const attachment = 'attachment://'
