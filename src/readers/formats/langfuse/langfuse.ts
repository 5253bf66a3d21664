/**
 * Traces as Langfuse exports them: `{trace, observations}` of its page, a trace or observations of its public API, and tables of
 * observations. Read from langfuse/langfuse@6275144614 (ingestion, its processor of OpenTelemetry's spans, and the traces of
 * frameworks among its tests) on 2026-11-23.
 *
 * - An observation of type `GENERATION` is one request with its response; those of a trace whose requests grow are one
 *   conversation. An export has them in any order, so they are put in the order of their times.
 * - `input` and `output` are what the framework handed over, as JSON or as its text. What is missing there often stands in the
 *   attributes of the span, which Langfuse keeps in `metadata`.
 * - Two instrumentations at work record a request as one generation inside another, which counts once.
 * - The counts do not overlap: `input` is without what was read from the cache or written to it. Only where input and output
 *   are the whole `total`, the others are parts of them.
 */

import { defined } from '../../../base/defined.ts'
import { itemsOf, type JsonObject, objectOf, stringOf } from '../../../base/json.ts'
import { wordOf } from '../../../base/json-text.ts'
import { setOf } from '../../../base/words.ts'
import { defineReader, type LeftOut, type Reading, type Shape, unknown } from '../../reader.ts'
import { answerOf } from '../../wire/answers.ts'
import { type Body, type Reply, timeOf } from '../../wire/bodies.ts'
import { chat, chatShape } from '../../wire/chat.ts'
import { type Lack, readIncomplete } from '../../wire/conversations.ts'
import { type Attributes, inputOf, parsed, partsOf, textOf, toolsOf } from '../../wire/gen-ai.ts'
import { both, keys, listOf, oddIn, optional, under, where } from '../../wire/shape.ts'
import { usageOf } from '../../wire/usage.ts'
import { promptIn, type Said, saidIn, together } from './said.ts'
import { langfuseUsage } from './usage.ts'

/** Counts that a program makes up itself may have any name, but where it counts the output it counts the input. */
const countsShape: Shape = where(
  ({ input, output }) => input !== undefined || output !== undefined,
  keys({ input: 'number', output: 'amount?', total: 'number?' }),
)

const observationShape = both(
  keys({ id: 'string', type: 'string', traceId: 'string', startTime: 'string', parentObservationId: 'string?' }),
  where(
    isGeneration,
    keys({
      usageDetails: optional(countsShape),
      metadata: optional((metadata) => (objectOf(parsed(metadata)) ? null : '')),
    }),
  ),
)

const lists = ['observations', 'data'] as const

const recordShape: Shape = (record) => {
  const object = objectOf(record) ?? {}
  if (isObservation(object)) return observationShape(object)
  const name = lists.find((key) => Array.isArray(object[key]))
  return name === undefined ? null : keys({ [name]: listOf(observationShape) })(object)
}

export default defineReader({
  name: 'langfuse',
  summary: 'Langfuse traces',
  source: 'exports and the public API of Langfuse, of any framework that it takes traces from',
  shapes: [
    ['trace', 'observations', 'observations.type', 'observations.traceId', 'observations.usageDetails'],
    ['id', 'traceId', 'type', 'startTime', 'parentObservationId', 'usageDetails', 'input', 'output', 'modelParameters'],
  ],
  shape: recordShape,
  recognise: (record) => (observationsIn(objectOf(record) ?? {}).some(isObservation) ? 1 : 0),
  read(context): Reading {
    const dialect = { ...chat, shape: chatShape }
    const bodiesOf = (record: unknown, lack: Lack) => new Export(record, lack).bodies()
    const reading = readIncomplete(context, dialect, bodiesOf, recordShape)
    /** Observations that are records themselves: which of them belong together shows when all are known. */
    const rows: { value: JsonObject; line: number }[] = []
    return {
      record(value, line) {
        const record = objectOf(value)
        if (!record || !isObservation(record))
          return listIn(record ?? {}) ? reading.record(value, line) : misfit(record)
        rows.push({ value: record, line })
        return 'used'
      },
      end() {
        const [first] = rows
        const outcome = first && reading.record({ observations: rows.map(({ value }) => value) }, first.line)
        if (first && typeof outcome === 'object') context.notUsed({ ...outcome, line: first.line })
        reading.end()
      },
    }
  },
})

const types = setOf('SPAN EVENT GENERATION AGENT TOOL CHAIN RETRIEVER EVALUATOR EMBEDDING GUARDRAIL')

function isObservation(record: JsonObject): boolean {
  return types.has(record.type) && typeof record.traceId === 'string' && 'startTime' in record
}

function listIn(record: JsonObject): readonly unknown[] | undefined {
  return lists.map((key) => record[key]).find((value) => Array.isArray(value)) as readonly unknown[] | undefined
}

/** Why a record is neither an observation nor holds any. */
function misfit(record: JsonObject | undefined): LeftOut {
  if (record?.trace !== undefined) return { code: 'bad-shape', key: 'observations' }
  return oddIn(observationShape, record) ?? unknown(record?.type)
}

function observationsIn(record: JsonObject): readonly JsonObject[] {
  if (isObservation(record)) return [record]
  return itemsOf(listIn(record))
    .map(objectOf)
    .filter((value) => value !== undefined)
}

const withoutContent: LeftOut = { code: 'no-content' }
const withoutInput: LeftOut = { code: 'bad-shape', key: 'observations[].input' }
const withoutOutput: LeftOut = { code: 'bad-shape', key: 'observations[].output' }

interface Request {
  body: Body
  /** Its response is recorded, or there was none. */
  readonly isWhole: boolean
}

/** What was said so far below one parent: some frameworks record of a request only what is new in it. */
interface Spoken {
  readonly messages: readonly JsonObject[]
  /** The request whose response is the last of the messages. */
  readonly last?: Request
}

/** The requests of one export. */
class Export {
  readonly #observations: readonly JsonObject[]
  readonly #byId: ReadonlyMap<unknown, JsonObject>
  readonly #session: string | undefined
  readonly #lack: Lack
  readonly #spoken = new Map<string, Spoken>()

  constructor(record: unknown, lack: Lack) {
    const object = objectOf(record) ?? {}
    const timed = observationsIn(object).map((value) => ({ value, at: timeOf(value.startTime) ?? 0 }))
    this.#observations = timed.toSorted((a, b) => a.at - b.at).map(({ value }) => value)
    this.#byId = new Map(this.#observations.map((each) => [each.id, each]))
    this.#session = stringOf((objectOf(object.trace) ?? object).sessionId)
    this.#lack = lack
  }

  bodies(): readonly Body[] {
    const { spare, counted } = this.#nested()
    const requests = this.#observations.flatMap((each) => {
      if (each.type === 'TOOL') this.#answer(each)
      if (!isGeneration(each) || spare.has(each)) return []
      return this.#requestOf(each, counted.get(each) ?? each) ?? []
    })
    this.#tellLost(requests)
    return requests.map(({ body }) => body)
  }

  /**
   * `spare`: the generations that repeat others. What several are inside of is what they add up to. Of one inside another, the
   * inner one is nearer to the request; where it has only a text, it has at least the counts (`counted`).
   */
  #nested() {
    const inside = new Map<JsonObject, JsonObject[]>()
    for (const each of this.#observations.filter(isGeneration)) {
      const outer = this.#generationAround(each)
      if (outer) inside.set(outer, [...(inside.get(outer) ?? []), each])
    }
    const spare = new Set<JsonObject>()
    const counted = new Map<JsonObject, JsonObject>()
    for (const [outer, [first, ...others]] of inside) {
      const isText = first && others.length === 0 && !messagesIn(first) && messagesIn(outer)
      if (isText) counted.set(outer, first)
      spare.add(isText ? first : outer)
    }
    return { spare, counted }
  }

  #generationAround(observation: JsonObject): JsonObject | undefined {
    const seen = new Set<unknown>([observation.id])
    let at = this.#byId.get(observation.parentObservationId)
    while (at && !isGeneration(at) && !seen.has(at.id)) {
      seen.add(at.id)
      at = this.#byId.get(at.parentObservationId)
    }
    return at && isGeneration(at) && !seen.has(at.id) ? at : undefined
  }

  #answer(tool: JsonObject): void {
    if (tool.output === undefined || tool.output === null) return
    const key = parentOf(tool)
    const name = stringOf(tool.name)
    const answer = { role: 'tool', content: textOf(tool.output), ...(name !== undefined && { name }) }
    this.#spoken.set(key, { messages: [...(this.#spoken.get(key)?.messages ?? []), answer] })
  }

  #requestOf(generation: JsonObject, counted: JsonObject): Request | undefined {
    const key = parentOf(generation)
    const spoken = this.#spoken.get(key) ?? { messages: [] }
    const said = messagesIn(generation)
    const written = said?.messages ?? promptIn(generation.input)
    const reply = replyOf(generation, counted)
    if (written.length === 0 && reply.message && spoken.last) {
      // The Claude Agent SDK gives each part of a response as one of its own.
      const whole = joined(spoken.last.body.reply, reply)
      spoken.last.body = { ...spoken.last.body, reply: whole }
      this.#spoken.set(key, { ...spoken, messages: [...spoken.messages.slice(0, -1), whole.message as JsonObject] })
      return undefined
    }
    const messages = reply.message || written.length > 0 ? wholeOf(written, spoken.messages) : []
    if (messages.length === 0) {
      if (reply.message) this.#lack(withoutInput)
      else if (reply.usage) this.#lack(withoutContent)
      return undefined
    }
    const system = hasSystem(messages) ? undefined : systemOf(generation, said)
    const body: Body = {
      messages: system === undefined ? messages : [{ role: 'system', content: system }, ...messages],
      system: undefined,
      tools: toolsIn(generation, said),
      model: modelOf(generation) ?? null,
      session: this.#session ?? stringOf(generation.traceId) ?? null,
      id: null,
      bare: false,
      reply,
    }
    const isWhole = Boolean(reply.message) || !generation.endTime || generation.level === 'ERROR'
    const request: Request = { body, isWhole }
    this.#spoken.set(key, reply.message ? { messages: [...messages, reply.message], last: request } : { messages })
    return request
  }

  /** A response that was not recorded is lost only where no later request has it. */
  #tellLost(requests: readonly Request[]): void {
    const isLost = requests.some(({ body, isWhole }, index) => {
      const next = body.messages.length
      const isNext = (later: Request) => objectOf(later.body.messages[next])?.role === 'assistant'
      return !isWhole && !requests.slice(index + 1).some(isNext)
    })
    if (isLost) this.#lack(withoutOutput)
  }
}

function parentOf({ traceId, parentObservationId }: JsonObject): string {
  return `${wordOf(traceId)}/${wordOf(parentObservationId)}`
}

/** A request whose messages are not recorded, or only the latest calls or what tools gave, goes on behind what was said before. */
function wholeOf(written: readonly JsonObject[], spoken: readonly JsonObject[]): readonly JsonObject[] {
  const [first] = written
  if (!first) return spoken
  const called = callIdsOf(first)
  if (called !== '')
    return [
      ...spoken.slice(
        0,
        Math.max(
          0,
          spoken.findLastIndex((said) => callIdsOf(said) === called),
        ),
      ),
      ...written,
    ]
  if (first.role !== 'tool') return written
  // What tools gave stands in observations of their own, too.
  return [...spoken.slice(0, spoken.findLastIndex(({ role }) => role !== 'tool') + 1), ...written]
}

/** The ids of the calls that a message makes; '' without calls. */
function callIdsOf({ tool_calls }: JsonObject): string {
  return itemsOf(tool_calls)
    .map((call) => wordOf(objectOf(call)?.id))
    .join(' ')
}

function joined(first: Reply, second: Reply): Reply {
  const usage = first.usage && { ...first.usage, output: first.usage.output + (second.usage?.output ?? 0) }
  const messages = [first.message, second.message].filter((message) => message !== undefined)
  return { ...first, ...second, message: together(messages), ...(usage && { usage }) }
}

function isGeneration({ type }: JsonObject): boolean {
  return type === 'GENERATION'
}

function attributesOf({ metadata }: JsonObject): Attributes {
  const { attributes } = objectOf(parsed(metadata)) ?? {}
  return new Map(Object.entries(objectOf(parsed(attributes)) ?? {}))
}

function messagesIn(generation: JsonObject): Said | undefined {
  return saidIn(generation.input) ?? saidIn(inputOf(attributesOf(generation), []))
}

function hasSystem(messages: readonly JsonObject[]): boolean {
  return messages[0]?.role === 'system' || messages[0]?.role === 'developer'
}

/** Instructions stand beside the messages, in an attribute, or in the response, where OpenAI's API repeats them. */
function systemOf(generation: JsonObject, said: Said | undefined): unknown {
  const all = attributesOf(generation)
  const parts = partsOf(parsed(all.get('gen_ai.system_instructions')))
  const places = [said?.system, parts.length > 0 ? parts : undefined, objectOf(parsed(generation.output))?.instructions]
  const found = places.find((system) => typeof system === 'string' || Array.isArray(system))
  return found === '' ? undefined : found
}

function toolsIn(generation: JsonObject, said: Said | undefined): readonly unknown[] | undefined {
  const all = attributesOf(generation)
  const pydantic = objectOf(parsed(all.get('model_request_parameters')))
  const asked = [...itemsOf(pydantic?.function_tools), ...itemsOf(pydantic?.output_tools)]
  const named = Object.values(objectOf(generation.toolDefinitions) ?? {}).map(parsed)
  return [said?.tools, toolsOf(all), asked, named].find((tools) => tools && tools.length > 0)
}

function modelOf({ model, providedModelName }: JsonObject): string | undefined {
  return stringOf(model) ?? stringOf(providedModelName)
}

/** @param counted the observation that has the counts of the same request */
function replyOf(generation: JsonObject, counted: JsonObject): Reply {
  const output = parsed(generation.output)
  const body = objectOf(output)
  const { message, unread } = messageIn(output)
  const usage = usageOf(body?.usage) ?? usageOf(body?.usage_metadata) ?? langfuseUsage(counted)
  const model = modelOf(generation)
  const time = timeOf(generation.endTime) ?? timeOf(generation.startTime)
  const odd = message ? chatShape(message) : null
  return {
    ...(!message && unread && { unread }),
    ...(odd !== null && { odd: under('observations[].output', odd) }),
    ...defined({ message, usage, model, time }),
  }
}

/** The response: a message, several that are one, or the body that a provider's API gave. */
function messageIn(output: unknown): { readonly message?: JsonObject; readonly unread?: boolean } {
  if (output === undefined || output === null || output === '') return {}
  if (typeof output === 'string') return { message: { role: 'assistant', content: output } }
  const body = objectOf(output) ?? {}
  const choice = objectOf(itemsOf(body.choices)[0])
  const candidate = objectOf(itemsOf(body.candidates)[0])
  const inside = choice?.message ?? candidate?.content ?? (Array.isArray(body.output) ? body.output : undefined)
  const parts = objectOf(body.content)?.parts
  const said = saidIn(inside ?? (parts === undefined ? output : body.content))
  if (said) return { message: together(said.messages) }
  const { message, unread } = answerOf(output)
  return { ...(message && { message }), ...(unread && { unread }) }
}
