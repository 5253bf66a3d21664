/**
 * Chat Completions messages as canonical ones. Many programs write this wire form with additions of their own, which are
 * read too: LLaMA-Factory's `value` parts, DeepSeek's and OpenRouter's reasoning, LiteLLM's thinking blocks, the
 * deprecated functions.
 */

import { itemsOf, type JsonObject, objectOf, stringOf } from '../../base/json.ts'
import type { Block, Message } from '../../model/message.ts'
import type { Shape, TranscriptWriter } from '../reader.ts'
import {
  anthropicBlocks,
  anthropicShape,
  callBlock,
  jsonBlock,
  reasoningDetails,
  thinkingBlocks,
  urlBlock,
} from './blocks.ts'
import { timeOf } from './bodies.ts'
import { OpenCalls } from './calls.ts'
import type { Dialect, Draft, Finder, Mapping, Opening } from './conversations.ts'
import type { Entry } from './growing.ts'
import { both, keys, kinds, listOf, oneOrList, optional, orNull, orText, someOf, spoken } from './shape.ts'
import { usageOf, usageShape } from './usage.ts'

const roles = new Map<unknown, Message['role']>([
  ['system', 'system'],
  ['developer', 'system'],
  ['user', 'user'],
  ['assistant', 'assistant'],
  ['tool', 'tool'],
  ['function', 'tool'],
])

const thoughtShape = someOf({ thinking: 'string', text: 'string', value: 'string' })

const contentShape = orText(
  oneOrList(
    kinds('type', {
      text: someOf({ text: 'string', value: 'string' }),
      refusal: keys({ refusal: 'string' }),
      thinking: thoughtShape,
      reasoning: thoughtShape,
      image_url: keys({ image_url: orText(keys({ url: 'string' })) }),
      input_audio: keys({ input_audio: keys({ format: 'string', data: 'string' }) }),
      file: keys({ file: someOf({ file_data: 'string', file_id: 'string' }) }),
    }),
  ),
)

// Some programs write the arguments as an object instead of JSON text.
const functionShape = keys({ name: 'string', arguments: 'string|object' })

const callShape = someOf({ function: functionShape, custom: keys({ name: 'string', input: 'string' }) })

/** An entry of OpenRouter's `reasoning_details`. */
const detailShape = kinds('type', {
  'reasoning.encrypted': keys({ data: 'string' }),
  'reasoning.summary': keys({ summary: 'string' }),
  'reasoning.text': someOf({ text: 'string', signature: 'string' }),
})

const saidShape = keys({ content: contentShape })
// A tool may return nothing.
const resultShape = keys({ content: orNull(contentShape) })

/** What a message must hold. A response may be only calls, or only reasoning. */
export const chatShape: Shape = kinds('role', {
  system: saidShape,
  developer: saidShape,
  user: saidShape,
  tool: resultShape,
  function: resultShape,
  assistant: both(
    keys({ usage: optional(usageShape) }),
    someOf({
      content: spoken(contentShape),
      tool_calls: listOf(both(keys({ id: 'string?' }), callShape)),
      function_call: functionShape,
      reasoning_content: 'text?',
      reasoning: 'string',
      thinking_blocks: anthropicShape,
      reasoning_details: listOf(detailShape),
      refusal: 'string',
      audio: 'object',
    }),
  ),
})

export const chat: Dialect = {
  provider: 'openai',
  completeAlone: true,
  begin: (opening, writer, finding) => new ChatMapping(opening, writer, finding),
}

/** The leading system messages become the preamble. */
export class ChatMapping implements Mapping {
  readonly #opening: Opening
  readonly #writer: TranscriptWriter
  readonly #finding: Finder
  readonly #calls = new OpenCalls()
  /** The leading system messages; null after the first other message: later ones are messages like any other. */
  #system: Message[] | null = []

  constructor(opening: Opening, writer: TranscriptWriter, finding: Finder) {
    this.#opening = opening
    this.#writer = writer
    this.#finding = finding
  }

  /** @returns the message, unless it is none or part of the preamble */
  add({ value, line, reply, as }: Entry): Message | undefined {
    const record = objectOf(value)
    const role = as === 'tool' ? 'tool' : roles.get(record?.role)
    if (!record || !role) {
      this.#finding(line)
      return undefined
    }
    const message: Draft = {
      role,
      line,
      blocks: this.#blocks(role, record),
      wire: { provider: 'openai', value: record },
    }
    if (role === 'tool') this.#answer(message, record)
    if (as === 'injected' || as === 'queued') message.origin = as
    const time = reply?.time ?? timeOf(record.timestamp)
    const model = reply?.model ?? stringOf(record.model)
    const usage = reply?.usage ?? usageOf(record.usage)
    if (time !== undefined) message.time = time
    if (model !== undefined) message.model = model
    if (usage) message.usage = usage
    if (this.#system && role === 'system') {
      this.#system.push(message)
      return undefined
    }
    this.#preamble()
    this.#writer.message(message)
    return message
  }

  end(): void {
    this.#preamble()
  }

  #blocks(role: Message['role'], record: JsonObject): Block[] {
    const blocks = contentBlocks(record.content)
    if (role === 'user') this.#calls.endStep()
    if (role !== 'assistant') return blocks
    return this.#calls.make([...reasoningOf(record), ...blocks, ...callBlocks(record)])
  }

  #answer(message: Draft, record: JsonObject): void {
    const { callId, toolName } = this.#calls.answer(stringOf(record.tool_call_id) ?? '', stringOf(record.name))
    if (callId !== undefined) message.callId = callId
    if (toolName !== undefined) message.toolName = toolName
  }

  #preamble(): void {
    if (!this.#system) return
    const { system, tools, complete } = this.#opening
    const beside: Message[] =
      this.#system.length === 0 && typeof system === 'string'
        ? [{ role: 'system', line: 1, blocks: contentBlocks(system) }]
        : []
    this.#writer.preamble({ system: [...beside, ...this.#system], ...(tools ? { tools } : {}), complete })
    this.#system = null
  }
}

export function contentBlocks(content: unknown): Block[] {
  return itemsOf(content).map(partBlock)
}

function partBlock(part: unknown): Block {
  if (typeof part === 'string') return { type: 'text', text: part }
  const object = objectOf(part)
  if (!object) return jsonBlock(part)
  switch (object.type) {
    case 'thinking':
    case 'reasoning':
      return thinking(object.thinking ?? object.text ?? object.value) ?? jsonBlock(part)
    case 'image_url':
      return urlBlock('image', objectOf(object.image_url)?.url ?? object.image_url)
    case 'input_audio':
      return audioBlock(objectOf(object.input_audio))
    case 'file':
      return urlBlock('document', objectOf(object.file)?.file_data)
    default: {
      const text = object.text ?? object.value ?? object.refusal
      return typeof text === 'string' ? { type: 'text', text } : jsonBlock(part)
    }
  }
}

function audioBlock(audio: JsonObject | undefined): Block {
  return urlBlock('document', `data:audio/${stringOf(audio?.format) ?? ''};base64,${stringOf(audio?.data) ?? ''}`)
}

/** OpenAI's own form has no field for reasoning: every program that records it uses another. */
function reasoningOf({ reasoning_content, reasoning, reasoning_details, thinking_blocks }: JsonObject): Block[] {
  // The blocks have the same text once more, and what is encrypted of it.
  if (Array.isArray(thinking_blocks) && thinking_blocks.length > 0) return anthropicBlocks(thinking_blocks)
  const plain = [thinkingBlocks(reasoning_content), thinkingBlocks(reasoning)].find((blocks) => blocks.length > 0) ?? []
  return [...plain, ...reasoningDetails(reasoning_details, plain.length > 0)]
}

function thinking(text: unknown): Block | null {
  return typeof text === 'string' && text !== '' ? { type: 'thinking', text } : null
}

function callBlocks(record: JsonObject): Block[] {
  const blocks: Block[] = []
  for (const value of itemsOf(record.tool_calls)) {
    const call = objectOf(value)
    const what = objectOf(call?.function) ?? objectOf(call?.custom)
    blocks.push(call && what ? callBlock(call.id, what.name, what.arguments ?? what.input ?? '') : jsonBlock(value))
  }
  for (const value of itemsOf(record.function_call)) {
    const call = objectOf(value)
    blocks.push(call ? callBlock('', call.name, call.arguments ?? '') : jsonBlock(value))
  }
  return blocks
}
