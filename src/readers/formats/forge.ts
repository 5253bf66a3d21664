/**
 * Forge's conversations: the output of `/dump` (which includes the conversations of sub-agents), a single conversation,
 * and rows of its `conversations` table, where the context is JSON text in an older, nested form.
 *
 * - A message is an enum with one key (`text`, `tool`, `image`), with the usage of its request beside it. Usage that forge
 *   only approximated (`approx`) is left out.
 * - Attachments, piped input and todo lists are user messages after the prompt, marked droppable: they start no exchange.
 *   Nor do images right after a user message.
 * - A compaction overwrites the conversation, so the messages it summarised are lost. Its summary becomes a recorded
 *   compaction, not a message of the history; the messages in front of it were kept by forge.
 * - System messages and tools are recorded (old files lack the tools). Messages name their model, but not the provider.
 *   The messages of a document are numbered 1, 2, …; those of a row have the row's line.
 */

import { itemsOf, type JsonObject, objectOf, stringOf } from '../../base/json.ts'
import { parsedJson } from '../../base/json-text.ts'
import type { Block, Message, Usage } from '../../model/message.ts'
import { documentReader } from '../frames.ts'
import {
  bad,
  type LeftOut,
  type Outcome,
  type ReaderContext,
  type Shape,
  type TranscriptWriter,
  tell,
} from '../reader.ts'
import { callBlock, jsonBlock, reasoningDetails, textBlocks, urlBlock } from '../wire/blocks.ts'
import { OpenCalls } from '../wire/calls.ts'
import type { Draft } from '../wire/conversations.ts'
import { keys, listOf, oddIn, optional, someOf } from '../wire/shape.ts'
import { spokenBy } from '../wire/spoken.ts'
import { usageOf } from '../wire/usage.ts'

const imageShape = keys({ url: 'string', mime_type: 'string' })

const plainParts = {
  text: 'string',
  aI: keys({ value: 'string' }),
  image: imageShape,
  markdown: 'string',
  fileDiff: keys({ path: 'string' }),
} as const

const plainShape = someOf(plainParts)

/** The model saw the first value of a pair, so only that is checked. */
const pairShape: Shape = (pair) => plainShape(Array.isArray(pair) ? pair[0] : pair)

const partShape = someOf({ ...plainParts, pair: pairShape })

const valueShape: Shape = (value) => (value === 'empty' ? null : partShape(value))

const countShape = someOf({ actual: 'any', approx: 'any', Actual: 'any', Approx: 'any' })

const usageShape = keys({ prompt_tokens: countShape, completion_tokens: countShape, cached_tokens: countShape })

const messageShape = someOf({
  text: keys({
    role: 'string',
    content: 'string',
    droppable: 'boolean?',
    model: 'string?',
    // Arguments that were not JSON are recorded as text.
    tool_calls: optional(listOf(keys({ name: 'string', call_id: 'string?', arguments: 'object|string' }))),
    reasoning_details: optional(listOf(someOf({ text: 'text?', data: 'string', signature: 'string' }))),
  }),
  tool: keys({ call_id: 'string?', output: keys({ is_error: 'boolean', values: listOf(valueShape) }) }),
  image: imageShape,
})

const entryShape = keys({ usage: optional(usageShape) })

const contextShape = keys({
  tools: optional(listOf(keys({ name: 'string', description: 'string', input_schema: 'object' }))),
  usage: optional(usageShape),
})

const dumpShape = keys({ related_conversations: 'list' })

export default documentReader({
  name: 'forge',
  program: 'forge',
  summary: 'Forge dumps and stored conversations',
  source: '*-dump.json of /dump and `forge conversation dump`, ~/.forge/.forge.db',
  places: [{ directories: ['~/.forge'], files: '.forge.db' }],
  shapes: [
    ['conversation', 'conversation.id', 'conversation.context', 'conversation.metrics'],
    ['title', 'context', 'metrics'],
  ],
  recognise(record) {
    const conversation = objectOf(record.conversation) ?? record
    if (typeof (conversation.id ?? conversation.conversation_id) !== 'string') return 0
    const messages = contextOf(conversation)?.messages
    if (Array.isArray(messages)) return messages.length === 0 || messages.some((entry) => messageIn(entry))
    // A conversation without messages yet.
    return conversation.context === null && 'metrics' in conversation
  },
  shape: (value) => (objectOf((value as JsonObject).conversation) ? dumpShape(value) : null),
  record(record, { line }, context) {
    const conversation = objectOf(record.conversation) ?? record
    const outcome = write(context, conversation, line, null)
    const related = Array.isArray(record.related_conversations) ? record.related_conversations : []
    for (const each of related) {
      const other = write(context, objectOf(each), line, idOf(conversation))
      if (typeof other === 'object') context.finding({ ...other, line })
    }
    return outcome
  },
})

const frame = 'Use the following summary frames as the authoritative reference'

function write(
  readers: ReaderContext,
  conversation: JsonObject | undefined,
  line: number,
  parent: string | null,
): Outcome {
  const id = idOf(conversation)
  const context = conversation && contextOf(conversation)
  // A conversation without messages has no context.
  if (!Array.isArray(context?.messages)) return id === null || conversation?.context !== null ? bad : 'no-context'
  const entries: unknown[] = context.messages
  const row = typeof conversation?.context === 'string'
  const model = entries.map((entry) => stringOf(objectOf(messageIn(entry)?.text)?.model)).find(Boolean)
  const writer = readers.open({ conversation: id, provider: spokenBy(model) })
  writer.describe({ parent, model })
  const mapping = new Context(writer)
  for (const [index, entry] of entries.entries()) {
    const at = row ? line : index + 1
    tell(readers, mapping.add(entry, at), at)
  }
  mapping.end(context)
  writer.close()
  tell(readers, oddIn(contextShape, context), line)
  return 'used'
}

/** Collects the messages of one context. They are written at the end, when the preamble is complete. */
class Context {
  readonly #writer: TranscriptWriter
  readonly #calls = new OpenCalls()
  readonly #system: Message[] = []
  readonly #messages: Draft[] = []

  constructor(writer: TranscriptWriter) {
    this.#writer = writer
  }

  /** @returns what is wrong with the entry; null if nothing is */
  add(entry: unknown, line: number): LeftOut | null {
    const message = messageIn(entry)
    const isKnown = message !== undefined && this.#message(message, entry, line)
    return isKnown ? (oddIn(messageShape, message) ?? oddIn(entryShape, entry)) : bad
  }

  end({ tools, usage }: JsonObject): void {
    // Older files have no usage on the messages, only that of the newest response on the context.
    const response = this.#messages.findLast(({ role }) => role === 'assistant')
    const newest = usageIn(usage)
    if (response && newest && !this.#messages.some((message) => message.usage)) response.usage = newest
    this.#writer.preamble({
      system: this.#system,
      ...(Array.isArray(tools) && { tools }),
      complete: Array.isArray(tools),
    })
    for (const message of this.#messages) this.#writer.message(message)
  }

  /** @returns whether it is of a known kind */
  #message(message: JsonObject, entry: unknown, line: number): boolean {
    const text = objectOf(message.text)
    const tool = objectOf(message.tool)
    const image = objectOf(message.image)
    if (text) return this.#text(text, usageIn(objectOf(entry)?.usage), line)
    if (tool) this.#result(tool, line)
    else if (image)
      this.#user({ role: 'user', line, blocks: [imageBlock(image)] }, this.#messages.at(-1)?.role === 'user')
    return true
  }

  /** @returns whether its role is known */
  #text(text: JsonObject, usage: Usage | undefined, line: number): boolean {
    const blocks = textBlocks(text.content)
    const role = stringOf(text.role)?.toLowerCase()
    if (role === 'user') {
      if (blocks.some((block) => block.type === 'text' && block.text.startsWith(frame))) this.#compacted(blocks, line)
      else this.#user({ role, line, blocks }, text.droppable === true)
    } else if (role === 'assistant') {
      const message: Draft = {
        role,
        line,
        blocks: this.#calls.make([
          ...reasoningDetails(text.reasoning_details, false),
          ...blocks,
          ...callsOf(text.tool_calls),
        ]),
      }
      if (usage) message.usage = usage
      if (typeof text.model === 'string') message.model = text.model
      this.#messages.push(message)
    } else if (role === 'system') {
      if (this.#messages.length === 0) this.#system.push({ role, line, blocks })
      else this.#messages.push({ role, line, blocks })
    } else return false
    return true
  }

  #user(message: Draft, attached: boolean): void {
    if (attached) message.origin = 'injected'
    this.#calls.endStep()
    this.#messages.push(message)
  }

  #compacted(blocks: Block[], line: number): void {
    const at = this.#messages.length
    const summary: Message = { role: 'user', line, blocks, origin: 'injected' }
    this.#writer.compaction({ at, keptFrom: 0, summary: [summary], line })
  }

  #result(tool: JsonObject, line: number): void {
    const output = objectOf(tool.output)
    const values: unknown[] = Array.isArray(output?.values) ? output.values : []
    const message: Draft = {
      role: 'tool',
      line,
      blocks: values.flatMap(valueBlocks),
      ...this.#calls.answer(stringOf(tool.call_id) ?? '', stringOf(tool.name)),
    }
    if (output?.is_error === true) message.isError = true
    this.#messages.push(message)
  }
}

function idOf(conversation: JsonObject | undefined): string | null {
  return stringOf(conversation?.id) ?? stringOf(conversation?.conversation_id) ?? null
}

/** A conversation's context. In a row of the table it is JSON text. */
function contextOf({ context }: JsonObject): JsonObject | undefined {
  return objectOf(typeof context === 'string' ? parsedJson(context) : context)
}

/** The message enum of an entry: under `message` in the table, the entry itself in a dump. */
function messageIn(entry: unknown): JsonObject | undefined {
  const object = objectOf(entry)
  const message = objectOf(object?.message) ?? object
  return message && [message.text, message.tool, message.image].some(objectOf) ? message : undefined
}

/** Each count is an enum, `{"actual": 10}` or `{"approx": 10}`, capitalised in older files. */
function usageIn(value: unknown): Usage | undefined {
  const usage = objectOf(value)
  return usageOf({
    prompt_tokens: actual(usage?.prompt_tokens),
    prompt_tokens_details: { cached_tokens: actual(usage?.cached_tokens) },
    completion_tokens: actual(usage?.completion_tokens),
  })
}

function actual(count: unknown): unknown {
  const object = objectOf(count)
  return object ? (object.actual ?? object.Actual) : count
}

function callsOf(calls: unknown): Block[] {
  return itemsOf(calls).map((value) => {
    const call = objectOf(value)
    return call ? callBlock(call.call_id, call.name, call.arguments ?? {}) : jsonBlock(value)
  })
}

/** The part of a result that the model saw. Old files also hold a form for the screen: the second of a pair. */
function valueBlocks(value: unknown): Block[] {
  if (value === 'empty') return []
  const { text, markdown, aI, image, fileDiff, pair } = objectOf(value) ?? {}
  if (Array.isArray(pair)) return pair.slice(0, 1).flatMap((first) => (isPair(first) ? [] : valueBlocks(first)))
  if (objectOf(image)) return [imageBlock(objectOf(image) as JsonObject)]
  if (objectOf(fileDiff)) return textBlocks(`[File diff: ${stringOf(objectOf(fileDiff)?.path) ?? ''}]`)
  return textBlocks(text ?? markdown ?? objectOf(aI)?.value ?? value)
}

/** Forge never writes a pair inside a pair, and a hostile file could nest them without end. */
function isPair(value: unknown): boolean {
  return objectOf(value)?.pair !== undefined
}

function imageBlock({ url, mime_type }: JsonObject): Block {
  const block = urlBlock('image', url)
  return block.type === 'image' && block.mediaType === '' ? { ...block, mediaType: stringOf(mime_type) ?? '' } : block
}
