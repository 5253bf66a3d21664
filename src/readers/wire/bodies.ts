/**
 * Finds the request that a record of a log, export or data set holds: a body with `messages`, bare or wrapped, with or
 * without its response. OpenAI's and Anthropic's bodies have the same shape; their messages are left to the dialects.
 */

import { defined } from '../../base/defined.ts'
import { type JsonObject, objectOf, stringOf } from '../../base/json.ts'
import { parsedJson } from '../../base/json-text.ts'
import type { Usage } from '../../model/message.ts'
import { answerOf } from './answers.ts'
import { anthropicShape } from './blocks.ts'
import { keys, listLike, optional, someOf, spoken, under, where } from './shape.ts'
import { atTier, usageOf, usageShape } from './usage.ts'

export interface Body {
  readonly messages: readonly unknown[]
  /** The system prompt beside the messages, as recorded. */
  readonly system: unknown
  readonly tools: readonly unknown[] | undefined
  readonly model: string | null
  /** Id of the conversation: requests with different ones belong to different conversations. */
  readonly session: string | null
  /** An id that may be the conversation's or only the request's. */
  readonly id: string | null
  /** It is only a list of messages or the export of a session, so the rest of what was sent may be missing. */
  readonly bare: boolean
  /** The path of a key that has another type than it must, and was not read. */
  readonly odd?: string | undefined
  readonly reply: Reply
}

/** What is known of the response to one request. */
export interface Reply {
  readonly message?: JsonObject
  /** There was a response, in an unknown form. */
  readonly unread?: boolean
  /** As in `Body`. */
  readonly odd?: string
  readonly id?: string
  readonly model?: string
  readonly usage?: Usage
  readonly time?: number
}

/** The request body in a record, or null if it has none. An array is taken for a list of messages. */
export function bodyOf(record: unknown): Body | null {
  if (Array.isArray(record)) {
    const nothing = { system: undefined, tools: undefined, model: null, session: null, id: null, reply: {} }
    return { messages: record, bare: true, ...nothing }
  }
  const outer = objectOf(record)
  if (!outer) return null
  const inner = requestIn(outer, (body) => messagesOf(body) !== undefined)
  if (!inner) return null
  return {
    messages: messagesOf(inner) ?? [],
    bare: inner.system_prompt !== undefined,
    system: systemOf(inner),
    tools: arrayOf(inner.tools) ?? arrayOf(inner.functions) ?? arrayOf(objectOf(outer.kwargs)?.tools),
    model: stringOf(inner.model) ?? stringOf(outer.model) ?? stringOf(outer.modelId) ?? null,
    session: sessionOf(outer) ?? sessionOf(inner),
    id: nameOf(outer.id) ?? nameOf(outer.custom_id) ?? nameOf(inner.id),
    odd: oddKeyOf(inner),
    reply: recordedReply(outer).reply,
  }
}

/** The id of the conversation that a record belongs to. */
export function sessionOf(record: JsonObject): string | null {
  return (
    nameOf(record.conversation_id) ?? nameOf(record.session_id) ?? nameOf(record.thread_id) ?? nameOf(record.sessionId)
  )
}

/**
 * Milliseconds since the epoch, or undefined if no agent can have run then (year 1 from an unset clock, or year 275760):
 * such a time would expire every cache. A time without a zone is taken as UTC: with the machine's own zone, the output
 * would differ from machine to machine.
 */
export function timeOf(value: unknown): number | undefined {
  const time = typeof value === 'string' ? timeIn(value) : secondsOrMore(value)
  return time !== undefined && time > 0 && time < latest ? time : undefined
}

/** The year 2100. */
const latest = 4_102_444_800_000

function secondsOrMore(value: unknown): number | undefined {
  if (typeof value !== 'number') return undefined
  return value < lateSeconds ? value * 1000 : value
}

function timeIn(text: string): number | undefined {
  const usual = usualTime(text)
  if (usual !== undefined) return usual
  return isoTime.test(text) ? Date.parse(zone.test(text) ? text : `${text}Z`) : undefined
}

/** As seconds this is the year 5138, as milliseconds 1973: a smaller number must be seconds. */
const lateSeconds = 1e11
const isoTime = /^\d{4}-\d\d-\d\d[T ]\d\d:\d\d/
const zone = /(?:Z|[+-]\d\d:?\d\d)$/i

/** The day of the last time that was parsed, and its beginning. */
let day = ''
let midnight = Number.NaN

/** Parses `2026-01-31T12:34:56.789Z`, the form on nearly every line, ten times as fast as Date.parse. */
function usualTime(text: string): number | undefined {
  if (text.length !== 24 || text[10] !== 'T' || text[13] !== ':' || text[16] !== ':' || text[19] !== '.')
    return undefined
  const hour = twoDigits(text, 11)
  const minute = twoDigits(text, 14)
  const second = twoDigits(text, 17)
  const thousandths = twoDigits(text, 20) * 10 + (twoDigits(text, 21) % 10)
  if (!(text[23] === 'Z' && hour < 24 && minute < 60 && second < 60 && thousandths < 1000)) return undefined
  if (!text.startsWith(day) || day === '') {
    day = text.slice(0, 10)
    midnight = isoTime.test(text) ? Date.parse(`${day}T00:00Z`) : Number.NaN
  }
  const time = midnight + ((hour * 60 + minute) * 60 + second) * 1000 + thousandths
  return Number.isNaN(time) ? undefined : time
}

/** NaN if they are not two digits. */
function twoDigits(text: string, at: number): number {
  const tens = text.charCodeAt(at) - zero
  const ones = text.charCodeAt(at + 1) - zero
  return tens >= 0 && tens < 10 && ones >= 0 && ones < 10 ? tens * 10 + ones : Number.NaN
}

const zero = 0x30

/**
 * The record itself is the body, or it is in a `{request, response}` pair, a batch line, a proxy's `kwargs`, or a line of
 * Bedrock's invocation log.
 */
export function requestIn(outer: JsonObject, isBody: (body: JsonObject) => boolean): JsonObject | undefined {
  if (isBody(outer)) return outer
  const request = parsedObject(outer.request)
  const places = [request?.body, outer.body, objectOf(outer.kwargs), objectOf(outer.input)?.inputBodyJson]
  for (const inner of [request, ...places.map(parsedObject)]) if (inner && isBody(inner)) return inner
  return undefined
}

/** A request with a system prompt at most. Without messages nothing tells which API it is for. */
export function isEmptyRequest(record: unknown): boolean {
  const isEmpty = (body: JsonObject): boolean => {
    const { messages, contents, input, conversations } = body
    const lists = [messages, contents, input, conversations]
    return (
      lists.some((list) => Array.isArray(list) && list.length === 0) && keysOfRequest.test(Object.keys(body).join(' '))
    )
  }
  return requestIn(objectOf(record) ?? {}, isEmpty) !== undefined
}

const keysOfRequest =
  /^(?:messages|conversations)$|\b(?:model|system|system_prompt|instructions|systemInstruction|system_instruction|tools)\b/

/** `traj` is tau-bench's key, `messages_full` that of a proxy whose `messages` holds a count. */
function messagesOf(body: JsonObject): readonly unknown[] | undefined {
  for (const messages of [body.messages, body.messages_full, body.traj]) if (Array.isArray(messages)) return messages
  return undefined
}

const systemKeys = ['system', 'system_prompt', 'system_prompt_full'] as const

function systemOf(body: JsonObject): unknown {
  return systemKeys.map((key) => body[key]).find(isSystem)
}

function isSystem(system: unknown): boolean {
  return typeof system === 'string' || Array.isArray(system)
}

/** Definitions of tools, in the form of any API. */
export const definitionsShape = listLike(
  someOf({ function: keys({ name: 'string' }), input_schema: 'object', parameters: 'object', inputSchema: 'object' }),
)

const messageKeys = { messages: 'any?', messages_full: 'any?', traj: 'any?' } as const

const toolsShape = keys({ ...messageKeys, tools: optional(definitionsShape), functions: 'any?' })

/** Only a request has a limit; in other records a text beside the messages may be anything. */
const systemShape = where(
  ({ max_tokens }) => typeof max_tokens === 'number',
  keys({
    ...messageKeys,
    system: optional(spoken(anthropicShape)),
    content: 'any?',
    response: 'any?',
    output: 'any?',
    completion: 'any?',
  }),
)

/** The key whose value in the request has no form that is read; undefined if there is none. */
function oddKeyOf(body: JsonObject): string | undefined {
  const isThere = (key: string): boolean => body[key] !== undefined && body[key] !== null
  const tools = ['tools', 'functions'].filter(isThere)
  const odd = tools.find((key) => arrayOf(body[key]) === undefined) ?? (tools.length === 0 && toolsShape(body))
  if (odd) return odd
  const key = systemKeys.find((key) => isSystem(body[key])) ?? systemKeys.find(isThere)
  if (key === undefined) return systemShape(body) ?? undefined
  const part = anthropicShape(body[key])
  return part === null ? undefined : under(key, part)
}

/**
 * The response is beside the request, or its members are mixed with the request's, as some libraries log it. `body` is the
 * response as the API gave it.
 */
export function recordedReply(outer: JsonObject): { readonly reply: Reply; readonly body?: JsonObject | undefined } {
  const inPlace = Array.isArray(outer.choices) ? { choices: outer.choices } : outer.completion
  const recorded = outer.response ?? objectOf(outer.output)?.outputBodyJson ?? inPlace
  const { message, body, unread, odd: oddPart } = answerOf(recorded)
  const id = stringOf(body?.id)
  const model = stringOf(body?.model)
  const counts = body?.usage ?? outer.usage
  const counted = atTier(usageOf(counts), (Array.isArray(outer.choices) ? outer : body)?.service_tier)
  // A stream of Anthropic's that was cut off: its first event counts the output so far.
  const usage =
    counted && body?.type === 'message' && body.stop_reason === null ? { ...counted, partial: true as const } : counted
  const odd =
    oddPart ??
    oddBodyOf(body ?? {}) ??
    oddCountsOf(counts, body) ??
    oddLogOf(outer) ??
    (recorded === undefined ? renamedIn(outer) : undefined)
  const time = timeOf(outer.timestamp ?? outer.created_at ?? body?.created ?? body?.created_at)
  return { reply: defined({ message, unread: unread || undefined, odd, id, model, usage, time }), body }
}

/** The missing key of a response that names its kind: such a response always has a key for what was said. */
function oddBodyOf({ object, choices, output }: JsonObject): string | undefined {
  if (object === 'chat.completion' && !Array.isArray(choices)) return 'choices'
  return object === 'response' && (output === undefined || output === null) ? 'output' : undefined
}

/** The key that a response should stand under, where one is recorded under an unknown name. */
function renamedIn({ request, ...others }: JsonObject): string | undefined {
  return Object.values(others).some((value) => isResponse(objectOf(value) ?? {})) ? 'response' : undefined
}

/** Whether it is the body of an API's response, or the recording of one. */
function isResponse({ choices, candidates, usage, content, output, body, outputBodyJson }: JsonObject): boolean {
  if (Array.isArray(choices) || Array.isArray(candidates) || outputBodyJson !== undefined) return true
  return objectOf(body) !== undefined || (objectOf(usage) !== undefined && (content ?? output) !== undefined)
}

const isFilled = (value: unknown): boolean => typeof value === 'object' && value !== null

/** A failed request has no output in Bedrock's log. */
function oddLogOf({ input, output }: JsonObject): string | undefined {
  const isLog = objectOf(input)?.inputBodyJson !== undefined
  if (!isLog || output === undefined || output === null) return undefined
  const { outputBodyJson, ...others } = objectOf(output) ?? { outputBodyJson: null }
  if (outputBodyJson === null) return 'output'
  return outputBodyJson === undefined && Object.values(others).some(isFilled) ? 'output.outputBodyJson' : undefined
}

const countedShape = keys({ usage: optional(usageShape) })

/** @param body where the counts stand, if they stand nowhere else */
function oddCountsOf(counts: unknown, body: JsonObject | undefined): string | undefined {
  return countedShape(counts === undefined ? (body ?? {}) : { usage: counts }) ?? undefined
}

function nameOf(value: unknown): string | null {
  return typeof value === 'string' ? value : typeof value === 'number' ? String(value) : null
}

function arrayOf(value: unknown): readonly unknown[] | undefined {
  const array = typeof value === 'string' && value.startsWith('[') ? parsedJson(value) : value
  return Array.isArray(array) ? array : undefined
}

/** HTTP recorders store a body as text. */
export function parsedObject(value: unknown): JsonObject | undefined {
  return objectOf(typeof value === 'string' && value.startsWith('{') ? parsedJson(value) : value)
}
