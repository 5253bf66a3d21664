/**
 * OpenAI's Responses API: requests, alone or with their responses, in logs and recordings; and lists of bare items, as
 * agents keep them, an item a line or in one array.
 *
 * - Items that the model wrote one after another are one response: in a request that is what the client sends back.
 * - A request with `previous_response_id` or a `conversation` holds only what is new: it continues the response of that
 *   name, or if the file does not have it, a history of which nothing is known.
 * - A body holds everything that was sent. A list of items lacks the instructions and the tools.
 */

import { type JsonObject, objectOf, stringOf } from '../../base/json.ts'
import { wordsIn } from '../../base/words.ts'
import {
  defineReader,
  type Outcome,
  type ReaderContext,
  type Reading,
  type Shape,
  type TranscriptWriter,
  tell,
  unknown,
} from '../reader.ts'
import { type Body, definitionsShape, recordedReply, requestIn, sessionOf } from '../wire/bodies.ts'
import { readConversations } from '../wire/conversations.ts'
import { ItemsMapping, lostHead } from '../wire/items.ts'
import { isItem, isMessage, itemShape, responseBlocks } from '../wire/responses.ts'
import { keys, listOf, oddIn, optional, prose } from '../wire/shape.ts'

export default defineReader({
  name: 'openai-responses',
  summary: "OpenAI's Responses API: requests, responses and lists of items as JSON or JSONL",
  source: 'API logs and proxies, agents that speak the Responses API',
  shapes: [
    ['model', 'input', 'instructions', 'input.type', 'input.role', 'tools', 'previous_response_id'],
    ['request.input', 'request.model', 'response.output', 'response.usage'],
    ['type', 'role', 'content', 'call_id', 'arguments', 'output'],
  ],
  recognise(record) {
    const object = objectOf(record)
    if (!object) return 0
    if (requestIn(object, isRequest)) return 0.95
    // Codex's oldest rollouts are bare items behind a head. With these points they cannot outweigh the head, because only
    // so many records vote. OpenCode keeps parts in files of their own, and some of their kinds have the names of items.
    return typeof object.type === 'string' && isItem(object) && !('messageID' in object) ? 0.61 : 0
  },
  read: (context) => new Responses(context),
})

/** How many responses a later request may refer to. */
const remembered = 64

const requestShape = keys({
  input: 'any?',
  instructions: optional(prose),
  tools: optional(definitionsShape),
  previous_response_id: 'string?',
  conversation: 'string|object?',
})

const writtenShape = listOf(itemShape)

/** What an item must hold, or those of one response. */
const messageShape: Shape = (value) => {
  if (value === lostHead) return null
  const items = objectOf(value)?.items
  return items === undefined ? itemShape(value) : writtenShape(items)
}

class Responses implements Reading {
  readonly #context: ReaderContext
  readonly #requests: Reading
  /** What was said up to each response, by the response's id and by its conversation's. */
  readonly #said = new Map<string, readonly unknown[]>()
  /** How many requests continue one that is not in the file. */
  #lost = 0
  #items: { readonly writer: TranscriptWriter; readonly mapping: ItemsMapping } | null = null

  constructor(context: ReaderContext) {
    this.#context = context
    this.#requests = readConversations(context, {
      provider: 'openai',
      completeAlone: true,
      shape: messageShape,
      bodyOf: (record) => this.#body(record),
      begin: (opening, writer) => new ItemsMapping(opening, writer),
    })
  }

  record(value: unknown, line: number): Outcome {
    const item = objectOf(value)
    if (item && !requestIn(item, isRequest)) {
      if (isItem(item) || isMessage(item)) return this.#item(item, line)
      if (typeof item.type === 'string') return unknown(item.type)
    }
    const before = this.#lost
    const outcome = this.#requests.record(value, line)
    if (this.#lost > before) this.#context.finding({ code: 'missing-head', line })
    return outcome
  }

  end(): void {
    this.#requests.end()
    this.#items?.mapping.end()
    this.#items?.writer.close()
    this.#items = null
  }

  #item(item: JsonObject, line: number): Outcome {
    const writer = this.#items?.writer ?? this.#context.open({ conversation: null, provider: 'openai' })
    this.#items ??= { writer, mapping: new ItemsMapping({ complete: false }, writer) }
    this.#items.mapping.add({ value: item, line })
    tell(this.#context, oddIn(itemShape, item), line)
    return 'used'
  }

  #body(record: unknown): Body | null {
    const outer = objectOf(record)
    const request = outer && requestIn(outer, isRequest)
    if (!outer || !request) return null
    const { reply, body } = recordedReply(outer)
    const output = body?.output ?? outer.output
    const message = Array.isArray(output) && output.length > 0 ? { role: 'assistant', items: output } : reply.message
    const conversation = stringOf(request.conversation) ?? stringOf(objectOf(request.conversation)?.id)
    const names = [stringOf(request.previous_response_id), conversation && `conversation ${conversation}`]
    const before = this.#before(names.find((name) => name !== undefined && name !== ''))
    const messages = [...before, ...grouped(request.input)]
    for (const name of [reply.id, names[1]]) {
      if (name !== undefined && message) this.#remember(name, [...messages, message])
    }
    return {
      messages,
      system: request.instructions,
      tools: Array.isArray(request.tools) ? request.tools : undefined,
      model: stringOf(request.model) ?? null,
      session: sessionOf(outer) ?? sessionOf(request) ?? conversation ?? null,
      id: null,
      bare: false,
      odd: requestShape(request) ?? undefined,
      reply: { ...reply, ...(message && { message }) },
    }
  }

  #before(name: string | undefined): readonly unknown[] {
    if (name === undefined) return []
    const said = this.#said.get(name)
    // The first request of a conversation continues nothing.
    if (said || name.startsWith('conversation ')) return said ?? []
    this.#lost++
    return [lostHead]
  }

  #remember(name: string, said: readonly unknown[]): void {
    this.#said.delete(name)
    this.#said.set(name, said)
    const [oldest] = this.#said.keys()
    if (this.#said.size > remembered && oldest !== undefined) this.#said.delete(oldest)
  }
}

/** The input as messages: the items of one response together, every other item by itself. */
function grouped(input: unknown): unknown[] {
  if (typeof input === 'string') return [{ role: 'user', content: input }]
  const messages: unknown[] = []
  let response: unknown[] | undefined
  for (const value of Array.isArray(input) ? input : []) {
    const item = objectOf(value)
    const isWritten = item !== undefined && responseBlocks(item) !== undefined
    if (!isWritten) {
      response = undefined
      messages.push(value)
      continue
    }
    if (!response) {
      response = []
      messages.push({ role: 'assistant', items: response })
    }
    response.push(value)
  }
  return messages
}

/** Keys that only requests of this API have: embeddings have a model and an input, too. */
const ownKeys = wordsIn(`
  conversation include instructions max_output_tokens max_tool_calls previous_response_id reasoning store text
  truncation
`)

function isRequest(body: JsonObject): boolean {
  const { input } = body
  const hasModel = typeof body.model === 'string'
  const hasOwnKey = ownKeys.some((key) => Object.hasOwn(body, key))
  if (Array.isArray(input)) {
    return input.some((value) => {
      const item = objectOf(value)
      return item !== undefined && (isItem(item) || (isMessage(item) && (hasModel || hasOwnKey)))
    })
  }
  return typeof input === 'string' && hasModel && hasOwnKey
}
