/**
 * Messages of Vercel's AI SDK as canonical ones: those of its user interface (version 4 and since 5), and those for models.
 *
 * - A message of the assistant may be several responses: a step begins with `step-start`, or with text behind a result. Call
 *   and result stand in one part; the results become messages of their own.
 * - `data-*` and `source-*` parts are for the screen, and what is said of approvals is for the program.
 */

import { itemsOf, type JsonObject, objectOf, stringOf } from '../../base/json.ts'
import { wordOf } from '../../base/json-text.ts'
import type { Block, Message, Preamble, ProviderName } from '../../model/message.ts'
import type { ReaderContext } from '../reader.ts'
import { callBlock, jsonBlock, textBlocks, thinkingBlocks, urlBlock } from './blocks.ts'
import { timeOf } from './bodies.ts'
import { Session, textIn } from './session.ts'
import { usageOf } from './usage.ts'

export const partType = /^(?:data-.*|dynamic-tool|file|reasoning|source|source-.*|step-start|text|tool-.+)$/

export class Chat {
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
    else if (message.role === 'tool') for (const part of parts.filter(isSent)) this.#result(part, mark)
    else this.#session.prompt(parts.flatMap(partBlocks), mark)
    return true
  }

  write(context: ReaderContext, conversation: string | null): void {
    this.#session.write(context, { conversation, model: this.#model, preamble: this.preamble })
  }

  /** The system messages in front of all others. */
  get preamble(): Preamble {
    return { system: this.#system, complete: false }
  }

  /** How many messages there are behind these. */
  get length(): number {
    return this.#session.length
  }

  /** The messages from `from` on, as this provider's API takes them. */
  messagesFor(provider: ProviderName, from: number): readonly Message[] {
    return this.#session.messagesFor(provider, from)
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
    const usage = steps.length === 1 ? usageOf(objectOf(message.metadata)?.usage ?? message.usage) : undefined
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
      isError: failed || (isTyped && wordOf(value.type).startsWith('error')),
    })
  }
}

/** Approvals of calls are asked and given between program and user. */
const isSent = ({ type }: JsonObject): boolean => type !== 'tool-approval-request' && type !== 'tool-approval-response'

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

export const roles: readonly unknown[] = ['system', 'user', 'assistant', 'tool']

export function partBlocks(part: JsonObject): Block[] {
  const type = stringOf(part.type) ?? ''
  if (type === 'text') return textBlocks(part.text)
  if (type === 'reasoning') return thinkingBlocks(part.text ?? part.reasoning)
  if (type === 'image') return [urlBlock('image', stringOf(part.image))]
  if (type === 'file') return [fileBlock(part)]
  if (!isSent(part) || type === 'tool-result' || type === 'step-start' || /^(?:data|source)(?:-|$)/.test(type))
    return []
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
