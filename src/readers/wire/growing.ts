/**
 * Joins the lines of a request log into conversations. Such a log repeats the conversation on every line, each time a
 * little longer, while in a data set each line is a conversation of its own: a line continues an earlier one if its
 * messages begin with those of that line. Lines are compared with the newest few conversations only, so a file of any
 * length is read in the memory of a few lines.
 */
import { type JsonObject, objectOf } from '../../base/json.ts'
import type { Body, Reply } from './bodies.ts'

/** One message of a growing conversation, in the form of the newest line that has it. */
export interface Entry {
  value: unknown
  /** The line on which it first appeared. */
  readonly line: number
  /** On an assistant message: what was recorded about the response. */
  reply?: Reply
  /** What a message in the user's role is, if it is no prompt: a tool's answer, or a message of this origin. */
  readonly as?: 'tool' | 'injected' | 'queued'
  /** It is known only from a recorded response: no request has contained it yet. */
  unsent?: boolean
}

export interface Grown {
  readonly entries: Entry[]
  /** The body of the newest line. */
  body: Body
  /** The number of the first line. */
  readonly line: number
}

/** How many conversations may grow in parallel: several agents can share one proxy. */
export const held = 8

export class Growing {
  readonly #conversations: Grown[] = []
  readonly #done: (conversation: Grown, alone: boolean) => void
  #alone = true

  /** @param done called with each conversation when nothing can extend it; `alone`: it is the only one in the file */
  constructor(done: (conversation: Grown, alone: boolean) => void) {
    this.#done = done
  }

  /** @returns false if the record only repeats an earlier request */
  add(body: Body, line: number): boolean {
    for (let index = this.#conversations.length - 1; index >= 0; index--) {
      const conversation = this.#conversations[index] as Grown
      const outcome = extend(conversation, body, line)
      if (outcome === 'other') continue
      this.#conversations.splice(index, 1)
      this.#conversations.push(conversation)
      return outcome === 'longer'
    }
    const conversation: Grown = { entries: [], body, line }
    append(conversation, body, 0, line)
    this.#conversations.push(conversation)
    if (this.#conversations.length > held) {
      this.#alone = false
      this.#done(this.#conversations.shift() as Grown, false)
    }
    return true
  }

  end(): void {
    const rest = this.#conversations.sort((a, b) => a.line - b.line)
    for (const conversation of rest) this.#done(conversation, this.#alone && rest.length === 1)
  }
}

function extend(conversation: Grown, body: Body, line: number): 'longer' | 'same' | 'other' {
  const { entries, body: before } = conversation
  if (before.session !== null && body.session !== null && before.session !== body.session) return 'other'
  const places = placesOf(entries, body.messages)
  if (!places) return 'other'
  const known = places.reduce((count, place) => (place === -1 ? count : count + 1), 0)
  if (known === body.messages.length) {
    const repeated = repeats(conversation, body)
    if (repeated !== 'longer') return repeated
  }
  for (const [index, place] of places.entries()) {
    if (place === -1) continue
    const entry = entries[index] as Entry
    entry.value = body.messages[place]
    entry.unsent = false
  }
  append(conversation, body, known, line)
  // An id that changes from line to line is the request's.
  conversation.body = before.id === body.id ? body : { ...body, id: null }
  return 'longer'
}

/**
 * The body has no new message: `same` if the request was sent again, `longer` if this time its response is recorded,
 * `other` if it is a finished conversation or has another response.
 */
function repeats({ entries, body: before }: Grown, body: Body): 'longer' | 'same' | 'other' {
  const last = entries.at(-1)
  if (!last || (before.id !== null && body.id !== null && before.id !== body.id)) return 'other'
  const { message } = body.reply
  if (last.unsent) return !message || sameMessage(last.value, message) ? 'same' : 'other'
  if (isAnswer(last.value)) return 'other'
  return message ? 'longer' : 'same'
}

/**
 * For each entry the index of its message in the body; null if a message that was sent before is missing. A response may
 * come back changed in the next request (without its reasoning, with new ids) and is still the same message. If the next
 * request does not contain the response at all, its index is -1; it stays part of the conversation.
 */
function placesOf(entries: readonly Entry[], messages: readonly unknown[]): number[] | null {
  const places: number[] = []
  let next = 0
  for (const entry of entries) {
    const message = messages[next]
    if (next < messages.length && (sameMessage(entry.value, message) || (entry.unsent && isAnswer(message)))) {
      places.push(next++)
    } else if (entry.unsent) places.push(-1)
    else return null
  }
  return places
}

function append(conversation: Grown, body: Body, from: number, line: number): void {
  const { entries, body: before } = conversation
  for (let index = from; index < body.messages.length; index++) {
    const value = body.messages[index]
    // The first new message, if an assistant's, is the response to the request before.
    const answers = index === from && from > 0 && !before.reply.message && isAnswer(value)
    entries.push(answers ? { value, line, reply: before.reply } : { value, line })
  }
  const { message } = body.reply
  if (message) entries.push({ value: message, line, reply: body.reply, unsent: true })
}

function isAnswer(message: unknown): boolean {
  const role = objectOf(message)?.role
  return role === 'assistant' || role === 'model'
}

/** The keys that decide whether two messages are the same: others (times, ids, cache marks) may change between lines. */
const said = [
  'role',
  'content',
  'tool_calls',
  'function_call',
  'tool_call_id',
  'name',
  // Of OpenAI's Responses API.
  'items',
  'call_id',
  'output',
  // Of Google's API.
  'parts',
] as const

/** Whether both were sent as the same message. */
export function sameMessage(a: unknown, b: unknown): boolean {
  const first = objectOf(a)
  const second = objectOf(b)
  if (!first || !second) return a === b
  return said.every((key) => sameValue(textAsBlocks(key, first[key]), textAsBlocks(key, second[key])))
}

/** A text with a cache mark is written as a list of one block: it equals the plain text. */
function textAsBlocks(key: string, value: unknown): unknown {
  if (key !== 'content' || !Array.isArray(value) || value.length !== 1) return value
  const block = objectOf(value[0])
  return block?.type === 'text' && typeof block.text === 'string' ? block.text : value
}

/**
 * Compares with an explicit stack, as values may nest deeper than the call stack allows. Members that are null count as
 * absent: some loggers write every key.
 */
function sameValue(a: unknown, b: unknown): boolean {
  const left: (readonly [unknown, unknown])[] = [[a, b]]
  for (let pair = left.pop(); pair; pair = left.pop()) {
    const [one, other] = pair
    if (one === other || (isAbsent(one) && isAbsent(other))) continue
    const isList = Array.isArray(one)
    if (!isValues(one) || !isValues(other) || isList !== Array.isArray(other)) return false
    const keys = isList ? Object.keys(one) : countedKeys(one)
    if (keys.length !== (isList ? Object.keys(other) : countedKeys(other)).length) return false
    for (const key of keys) {
      if (!Object.hasOwn(other, key)) return false
      left.push([one[key], other[key]])
    }
  }
  return true
}

function isAbsent(value: unknown): boolean {
  return value === null || value === undefined
}

/** Whether it is an object or an array. */
function isValues(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null
}

function countedKeys(object: JsonObject): string[] {
  return Object.keys(object).filter((key) => !isAbsent(object[key]) && key !== 'cache_control')
}
