/**
 * A log of requests repeats the conversation on every line, each time a little longer: such lines are one conversation,
 * that of the last line. Lines of a data set stand for themselves. What tells them apart is whether the messages of one
 * line begin with those of a line before it. Only the newest few conversations are held to be compared with, so a file
 * of any length is read in the memory of a few lines.
 */
import { type JsonObject, objectOf } from './blocks.ts'
import type { Body, Reply } from './bodies.ts'

/** One message of a growing conversation, as the newest line that has it spells it. */
export interface Entry {
  value: unknown
  /** Where it first appeared. */
  readonly line: number
  /** On an assistant message: what is known of the response that it was. */
  reply?: Reply
  /** It is known from a recorded response only: no request has carried it yet. */
  unsent?: boolean
}

export interface Grown {
  readonly entries: Entry[]
  /** Of the newest line. */
  body: Body
  /** Of the first. */
  readonly line: number
}

/** How many conversations may grow side by side: agents that run in parallel through one proxy. */
export const held = 8

export class Growing {
  readonly #conversations: Grown[] = []
  readonly #done: (conversation: Grown, alone: boolean) => void
  #alone = true

  /** @param done is told of each conversation once nothing can extend it, and whether it is the only one of the file */
  constructor(done: (conversation: Grown, alone: boolean) => void) {
    this.#done = done
  }

  /** @returns false when the record only repeats a request that is known already */
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
  // A name that changes from line to line is the request's.
  conversation.body = before.id === body.id ? body : { ...body, id: null }
  return 'longer'
}

/** The same messages once more: a request sent again, unless they are a finished conversation or another answer came. */
function repeats({ entries, body: before }: Grown, body: Body): 'longer' | 'same' | 'other' {
  const last = entries.at(-1)
  if (!last || (before.id !== null && body.id !== null && before.id !== body.id)) return 'other'
  const { message } = body.reply
  if (last.unsent) return !message || sameMessage(last.value, message) ? 'same' : 'other'
  if (objectOf(last.value)?.role === 'assistant') return 'other'
  return message ? 'longer' : 'same'
}

/**
 * Which message of the body each entry is, or null when one that was sent before is missing. An answer that the next
 * request carries in other words (without its reasoning, its ids made anew) is still that answer; one that it does not
 * carry at all (-1) was said all the same.
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
    // The first thing that is new is the answer to the request before, and what is known of it is its reply.
    const answers = index === from && from > 0 && !before.reply.message && isAnswer(value)
    entries.push(answers ? { value, line, reply: before.reply } : { value, line })
  }
  const { message } = body.reply
  if (message) entries.push({ value: message, line, reply: body.reply, unsent: true })
}

function isAnswer(message: unknown): boolean {
  return objectOf(message)?.role === 'assistant'
}

/** What of a message is said to the model; the rest (times, ids, weights, cache marks) may differ from line to line. */
const said = ['role', 'content', 'tool_calls', 'function_call', 'tool_call_id', 'name'] as const

function sameMessage(a: unknown, b: unknown): boolean {
  const first = objectOf(a)
  const second = objectOf(b)
  if (!first || !second) return a === b
  return said.every((key) => sameValue(textAsBlocks(key, first[key]), textAsBlocks(key, second[key])))
}

/** A text is written as one block where a cache mark is put on it. */
function textAsBlocks(key: string, value: unknown): unknown {
  if (key !== 'content' || !Array.isArray(value) || value.length !== 1) return value
  const block = objectOf(value[0])
  return block?.type === 'text' && typeof block.text === 'string' ? block.text : value
}

/**
 * With a stack of its own: values may nest deeper than calls can. Members that are null count as absent: some loggers
 * write every key.
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

/** An object or an array. */
function isValues(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null
}

function countedKeys(object: JsonObject): string[] {
  return Object.keys(object).filter((key) => !isAbsent(object[key]) && key !== 'cache_control')
}
