/**
 * Messages of Vercel's AI SDK, as applications keep them: the messages of its user interface (version 4 and since 5), and
 * those that it sends to models. A chat is a document with `messages`, an array, or a message a line.
 *
 * - A message of the assistant may be several responses: a step begins with `step-start`, or with text behind a result. Call
 *   and result stand in one part; the results become messages of their own.
 * - `data-*` and `source-*` parts are for the screen.
 * - Usage is recorded only where the application adds it as `metadata.usage`; it is read of messages of one response.
 */
import type { Block, Message, Usage } from '../../model/message.ts'
import { bad, defineReader, type Outcome, type ReaderContext, type Reading, type Shape } from '../reader.ts'
import {
  callBlock,
  itemsOf,
  type JsonObject,
  jsonBlock,
  objectOf,
  stringOf,
  textBlocks,
  thinkingBlocks,
  urlBlock,
} from '../wire/blocks.ts'
import { sessionOf, timeOf } from '../wire/bodies.ts'
import { Session, textIn } from '../wire/session.ts'
import { both, keys, kinds, listOf, oddIn, optional, orText, someOf } from '../wire/shape.ts'
import { tokens, usageOf, usageShape } from '../wire/usage.ts'

const partType = /^(?:data-.*|dynamic-tool|file|reasoning|source|source-.*|step-start|text|tool-.+)$/

export default defineReader({
  name: 'ai-sdk',
  summary: "messages of Vercel's AI SDK: those of chats and those for models",
  source: 'databases and logs of applications',
  shapes: [
    ['id', 'role', 'parts', 'parts.type', 'parts.text'],
    ['id', 'role', 'content', 'toolInvocations', 'createdAt'],
    ['id', 'messages', 'messages.parts', 'messages.role'],
    ['role', 'content.type', 'content.toolCallId', 'content.toolName'],
  ],
  recognise(record) {
    const object = objectOf(record)
    if (!object) return 0
    if (Array.isArray(object.messages)) return object.messages.some((message) => isOwn(objectOf(message))) ? 0.95 : 0
    return isOwn(object) ? 0.9 : 0
  },
  read: (context) => new Chats(context),
})

const text = keys({ text: 'string' })

const fileShape = both(
  someOf({ mediaType: 'string', mimeType: 'string', contentType: 'string' }),
  someOf({ url: 'string', data: 'string' }),
)

const madeShape = keys({ toolCallId: 'string', input: 'object|string' })

/** A call with its result, by the state of the call. */
const callShape = kinds('state', {
  'input-available': madeShape,
  'output-available': both(madeShape, keys({ output: 'any|null' })),
  // Input that fits no tool is not kept.
  'output-error': keys({ toolCallId: 'string', input: 'object|string?', errorText: 'string' }),
})

/** The same of version 4. */
const invokedShape = both(
  keys({ toolCallId: 'string', toolName: 'string', args: 'object' }),
  kinds('state', { result: keys({ result: 'any|null' }) }),
)

const resultShape = kinds('type', {
  text: keys({ value: 'string' }),
  json: keys({ value: 'any|null' }),
  'error-text': keys({ value: 'string' }),
  'error-json': keys({ value: 'any|null' }),
  content: keys({ value: 'list' }),
})

const partShapes: Readonly<Record<string, Shape>> = {
  text,
  reasoning: someOf({ text: 'string', reasoning: 'string' }),
  image: keys({ image: 'string' }),
  file: fileShape,
  'tool-call': both(
    keys({ toolCallId: 'string', toolName: 'string' }),
    someOf({ input: 'object|string', args: 'object|string' }),
  ),
  'tool-result': both(keys({ toolCallId: 'string', toolName: 'string' }), (part) =>
    'result' in (part as JsonObject) ? null : keys({ output: resultShape })(part),
  ),
  'dynamic-tool': both(keys({ toolName: 'string' }), callShape),
  'tool-invocation': keys({ toolInvocation: invokedShape }),
}

const partShape: Shape = (value) => {
  const type = objectOf(value)?.type
  if (typeof type !== 'string') return objectOf(value) ? 'type' : ''
  return (partShapes[type] ?? (type.startsWith('tool-') ? callShape : keys({})))(value)
}

const countedShape = keys({ usage: optional(usageShape) })

const messageShape = both(
  countedShape,
  keys({
    metadata: optional(countedShape),
    parts: optional(listOf(partShape)),
    toolInvocations: optional(listOf(invokedShape)),
    experimental_attachments: optional(listOf(fileShape)),
  }),
  // Version 4 has the text of its parts in `content`.
  (message) => ((message as JsonObject).parts ? null : keys({ content: orText(listOf(orText(partShape))) })(message)),
)

class Chats implements Reading {
  readonly #context: ReaderContext
  /** Chats whose messages have a line each, by the chat's id. */
  readonly #sessions = new Map<string | null, Chat>()

  constructor(context: ReaderContext) {
    this.#context = context
  }

  record(value: unknown, line: number): Outcome {
    const record = objectOf(value)
    if (!record) return bad
    if (Array.isArray(record.messages)) {
      const chat = new Chat()
      for (const [index, message] of record.messages.entries()) {
        const found = chat.add(objectOf(message), index + 1) ? oddIn(messageShape, message) : bad
        if (found) this.#context.finding({ ...found, line: index + 1 })
      }
      chat.write(this.#context, chatOf(record) ?? stringOf(record.id) ?? null)
      return 'used'
    }
    const id = chatOf(record)
    const chat = this.#sessions.get(id) ?? new Chat()
    this.#sessions.set(id, chat)
    if (!chat.add(record, line)) return bad
    const odd = oddIn(messageShape, record)
    if (odd) this.#context.finding({ ...odd, line })
    return 'used'
  }

  end(): void {
    for (const [id, chat] of this.#sessions) chat.write(this.#context, id)
    this.#sessions.clear()
  }
}

function chatOf(record: JsonObject): string | null {
  return textIn(record, 'chatId', 'conversationId', 'threadId') ?? sessionOf(record)
}

class Chat {
  readonly #session = new Session()
  #system: Message[] = []
  #model: string | undefined

  /** @returns false if it is no message */
  add(message: JsonObject | undefined, line: number): boolean {
    const parts = message && partsOf(message)
    if (!message || !parts) return false
    const mark = { line, time: timeOf(message.createdAt ?? objectOf(message.metadata)?.createdAt) }
    this.#model ??= textIn(objectOf(message.metadata), 'model', 'modelId') ?? textIn(message, 'model')
    if (message.role === 'system') {
      const blocks = parts.flatMap(partBlocks)
      if (this.#session.length > 0) this.#session.instruct(blocks, mark)
      else this.#system.push({ role: 'system', line, blocks })
    } else if (message.role === 'assistant') this.#responses(message, parts, mark)
    else if (message.role === 'tool') for (const part of parts) this.#result(part, mark)
    else this.#session.prompt(parts.flatMap(partBlocks), mark)
    return true
  }

  write(context: ReaderContext, conversation: string | null): void {
    const preamble = { system: this.#system, complete: false }
    this.#session.write(context, { conversation, model: this.#model, preamble })
  }

  #responses(
    message: JsonObject,
    parts: readonly JsonObject[],
    mark: { line: number; time: number | undefined },
  ): void {
    const steps: JsonObject[][] = [[]]
    for (const part of parts) {
      const step = steps.at(-1) as JsonObject[]
      const isLater = step.some(hasResult) && (part.type === 'text' || part.type === 'reasoning')
      if (step.length > 0 && (part.type === 'step-start' || isLater)) steps.push([part])
      else step.push(part)
    }
    const usage = steps.length === 1 ? usageIn(objectOf(message.metadata)?.usage ?? message.usage) : undefined
    for (const step of steps) {
      this.#session.response(step.flatMap(partBlocks), { ...mark, usage })
      for (const part of step) if (hasResult(part)) this.#result(part, mark)
    }
  }

  #result(part: JsonObject, mark: { line: number; time: number | undefined }): void {
    const { toolCallId, toolName, type, state, output, result, errorText, isError } = part
    const name = stringOf(toolName) ?? (stringOf(type) ?? '').replace(/^tool-(?!result$)/, '')
    const value = objectOf(output)
    const isTyped = value !== undefined && /^(?:content|(?:error-)?(?:json|text))$/.test(stringOf(value.type) ?? '')
    const given = isTyped ? value.value : (output ?? result ?? errorText)
    const failed = state === 'output-error' || state === 'output-denied' || isError === true
    this.#session.result(resultBlocks(given), {
      ...mark,
      id: stringOf(toolCallId) ?? '',
      ...(name !== '' && name !== 'tool-result' && { name }),
      isError: failed || (isTyped && String(value.type).startsWith('error')),
    })
  }
}

function hasResult({ type, state, toolName, result, output }: JsonObject): boolean {
  if (typeof state === 'string') return state === 'result' || state.startsWith('output-')
  return type === 'tool-result' || (toolName !== undefined && (result !== undefined || output !== undefined))
}

function resultBlocks(value: unknown): Block[] {
  if (!Array.isArray(value)) return textBlocks(value)
  return value.flatMap((part) => {
    const object = objectOf(part)
    return object && partType.test(stringOf(object.type) ?? '') ? partBlocks(object) : [jsonBlock(part)]
  })
}

/**
 * The parts of a message; undefined if it is none. Version 4 keeps calls in `toolInvocations`, and text and files beside the
 * parts too.
 */
function partsOf(message: JsonObject): JsonObject[] | undefined {
  const { role, content, parts, toolInvocations } = message
  if (!roles.includes(role)) return undefined
  if (Array.isArray(parts)) return parts.map((part) => unwrapped(objectOf(part) ?? { type: 'text', text: part }))
  const files = itemsOf(message.experimental_attachments).map((file) => ({ type: 'file', ...objectOf(file) }))
  const calls = itemsOf(toolInvocations).map((call) => ({ type: 'dynamic-tool', ...objectOf(call) }))
  if (typeof content === 'string') {
    const text = content === '' ? [] : [{ type: 'text', text: content }]
    // The model wrote its text after it had the results, so the text stands behind them.
    return [...calls, ...text, ...files]
  }
  if (!Array.isArray(content)) return undefined
  return [...content.map((part) => objectOf(part) ?? { type: 'text', text: part }), ...calls]
}

function unwrapped(part: JsonObject): JsonObject {
  const call = objectOf(part.toolInvocation)
  return call ? { type: 'dynamic-tool', ...call } : part
}

const roles: readonly unknown[] = ['system', 'user', 'assistant', 'tool']

function partBlocks(part: JsonObject): Block[] {
  const type = stringOf(part.type) ?? ''
  if (type === 'text') return textBlocks(part.text)
  if (type === 'reasoning') return thinkingBlocks(part.text ?? part.reasoning)
  if (type === 'image') return [urlBlock('image', stringOf(part.image))]
  if (type === 'file') return [fileBlock(part)]
  if (type === 'tool-result' || type === 'step-start' || /^(?:data|source)(?:-|$)/.test(type)) return []
  if (type === 'tool-call' || type === 'dynamic-tool' || type.startsWith('tool-')) {
    const name = stringOf(part.toolName) ?? type.replace(/^tool-/, '')
    return [callBlock(part.toolCallId, name, part.input ?? part.args ?? {})]
  }
  return [jsonBlock(part)]
}

function fileBlock({ mediaType, mimeType, contentType, url, data }: JsonObject): Block {
  const type = stringOf(mediaType ?? mimeType ?? contentType) ?? ''
  const given = stringOf(url ?? data) ?? ''
  const isUrl = /^[a-z]+:/.test(given)
  const block = urlBlock(
    type.startsWith('image/') ? 'image' : 'document',
    isUrl ? given : `data:${type};base64,${given}`,
  )
  return { ...block, mediaType: type } as Block
}

/** The SDK's own counts: cached tokens are part of the input. */
function usageIn(value: unknown): Usage | undefined {
  const counts = objectOf(value)
  const input = tokens(counts?.inputTokens)
  if (!input)
    return usageOf({ ...counts, prompt_tokens: counts?.promptTokens, completion_tokens: counts?.completionTokens })
  const cacheRead = tokens(counts?.cachedInputTokens) ?? 0
  return { input, cacheRead, cacheWrite: 0, cacheWrite1h: 0, output: tokens(counts?.outputTokens) ?? 0 }
}

/** Whether it has marks of this SDK. A message that is sent to models has such marks only where it has calls. */
function isOwn(message: JsonObject | undefined): boolean {
  if (!message || !roles.includes(message.role)) return false
  const { parts, content, toolInvocations } = message
  if (Array.isArray(parts)) return parts.length > 0 && parts.every((part) => isPart(objectOf(part)))
  if (Array.isArray(toolInvocations)) return toolInvocations.some((call) => 'toolCallId' in (objectOf(call) ?? {}))
  if (!Array.isArray(content)) return false
  return content.some((part) => {
    const { type, toolCallId } = objectOf(part) ?? {}
    return (type === 'tool-call' || type === 'tool-result') && typeof toolCallId === 'string'
  })
}

function isPart(part: JsonObject | undefined): boolean {
  const type = stringOf(part?.type)
  if (!part || type === undefined || !partType.test(type)) return false
  return type !== 'text' || typeof part.text === 'string'
}
