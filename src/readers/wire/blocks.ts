/**
 * Turns message content in the form of the providers' APIs into canonical blocks. Every field may have any JSON type, and
 * no part is dropped: a part of an unknown type becomes a text block with its JSON.
 */
import { itemsOf, type JsonObject, objectOf, stringOf } from '../../base/json.ts'
import { jsonText } from '../../base/json-text.ts'
import type { Block, Wire } from '../../model/message.ts'
import type { Shape } from '../reader.ts'
import { type Expected, keys, kinds, listOf, optional, orText, someOf, spoken } from './shape.ts'

/** Anthropic's `content`: a string or blocks. A `tool_result` becomes its content: the caller makes it a tool message. */
export function anthropicBlocks(content: unknown): Block[] {
  return blocksOf(content, anthropicBlock)
}

/** OpenAI's content of Responses items (`input_text`, `output_text`, …): a string, or parts. */
export function responsesBlocks(content: unknown): Block[] {
  return blocksOf(content, responsesBlock)
}

/** The block for a part, or the nested content to convert in its place. */
type Convert = (part: JsonObject) => Block | { readonly content: unknown }

function blocksOf(content: unknown, convert: Convert): Block[] {
  const blocks: Block[] = []
  // An explicit stack: content may be nested deeper than the call stack allows.
  const left = partsOf(content)
  while (left.length > 0) {
    const part = left.pop()
    const object = objectOf(part)
    if (!object) {
      blocks.push(typeof part === 'string' ? { type: 'text', text: part } : jsonBlock(part))
      continue
    }
    const found = convert(object)
    if ('type' in found) blocks.push(found)
    else for (const inner of partsOf(found.content)) left.push(inner)
  }
  return blocks
}

/** The parts of the content, last first. */
function partsOf(content: unknown): unknown[] {
  return itemsOf(content).toReversed()
}

const textShape = keys({ text: 'string' })
const base64Shape = keys({ media_type: 'string', data: 'string' })

const thoughtShape = keys({ thinking: 'string', signature: 'string?' })
const hiddenShape = keys({ signature: 'string' })

/** The parts of a content, except calls and their results, which programs keep in forms of their own. */
export const anthropicParts = {
  text: textShape,
  thinking: (part: unknown) => (objectOf(part)?.thinking === '' ? hiddenShape : thoughtShape)(part),
  redacted_thinking: keys({ data: 'string' }),
  image: keys({ source: kinds('type', { base64: base64Shape }) }),
  document: keys({
    source: kinds('type', {
      base64: base64Shape,
      text: keys({ data: 'string' }),
      content: keys({ content: orText(listOf(kinds('type', { text: textShape }))) }),
    }),
  }),
  tool_reference: keys({ tool_name: 'string' }),
  // Null where the compaction failed.
  compaction: keys({ content: 'string|null' }),
}

/**
 * @param input of a call
 * @param results the content of a result
 */
function contentShape(input: Expected, results: Expected): Shape {
  const parts = {
    ...anthropicParts,
    tool_use: keys({ id: 'string', name: 'string', input }),
    tool_result: keys({ tool_use_id: 'string', content: results, is_error: 'boolean?' }),
  }
  return orText(listOf(kinds('type', parts)))
}

const resultShape = orText(listOf(kinds('type', anthropicParts)))

/** What Anthropic's `content` must hold. A result without content is an empty one, and arguments that were cut off are text. */
export const anthropicShape: Shape = contentShape('object|string', optional(spoken(resultShape)))

/** The same for programs that keep calls as they were run, and always record the content of a result, even if it is empty. */
export const anthropicShapeWithResults: Shape = contentShape('object', resultShape)

function anthropicBlock(part: JsonObject): ReturnType<Convert> {
  switch (part.type) {
    case 'text':
      return textBlock(part, part.text)
    case 'thinking':
      // Without the text, the signature holds the whole reasoning in a form that only the provider can read.
      if (part.thinking === '' && typeof part.signature === 'string')
        return { ...opaque(part.signature), ...asRecorded(part) }
      if (typeof part.thinking !== 'string') return jsonBlock(part)
      return { type: 'thinking', text: part.thinking, ...asRecorded(part) }
    case 'redacted_thinking':
      return { ...opaque(part.data), ...asRecorded(part) }
    case 'tool_use':
      return callBlock(part.id, part.name, part.input ?? {})
    case 'tool_result':
      return { content: part.content }
    case 'image':
    case 'document':
      return anthropicMedia(part.type, part)
    // Tools that the provider runs itself (`server_tool_use`, `mcp_tool_use`) have their result in the same message, so
    // they are no calls: no tool message answers them.
    default:
      return jsonBlock(part)
  }
}

function asRecorded(value: JsonObject): { readonly wire: Wire } {
  return { wire: { provider: 'anthropic', value } }
}

function anthropicMedia(type: 'image' | 'document', part: JsonObject): ReturnType<Convert> {
  const source = objectOf(part.source)
  if (source?.type === 'text' && typeof source.data === 'string') return { type: 'text', text: source.data }
  if (source?.type === 'content') return { content: source.content }
  return mediaBlock(type, source?.media_type, source?.type === 'base64' ? source.data : undefined)
}

/** What the parts of OpenAI's Responses items must hold. */
export const responsesPartsShape: Shape = listOf(
  kinds('type', {
    input_text: textShape,
    output_text: textShape,
    summary_text: textShape,
    reasoning_text: textShape,
    text: textShape,
    refusal: keys({ refusal: 'string' }),
    encrypted_content: keys({ encrypted_content: 'string' }),
    input_image: someOf({ image_url: 'string', file_id: 'string' }),
    input_file: someOf({ file_data: 'string', file_id: 'string', file_url: 'string' }),
  }),
)

/** What their content must hold. */
export const responsesShape: Shape = orText(responsesPartsShape)

function responsesBlock(part: JsonObject): Block {
  switch (part.type) {
    case 'input_text':
    case 'output_text':
    case 'summary_text':
    case 'reasoning_text':
    case 'text':
      return textBlock(part, part.text)
    case 'refusal':
      return textBlock(part, part.refusal)
    case 'encrypted_content':
      return opaque(part.encrypted_content)
    case 'input_image':
      return urlBlock('image', part.image_url)
    case 'input_file':
      return urlBlock('document', part.file_data)
    default:
      return jsonBlock(part)
  }
}

/** A text as blocks: one, or none for a missing or empty text. */
export function textBlocks(text: unknown): Extract<Block, { type: 'text' }>[] {
  if (text === undefined || text === null || text === '') return []
  return [typeof text === 'string' ? { type: 'text', text } : jsonBlock(text)]
}

/** Reasoning as blocks: one, or none for missing or empty reasoning. */
export function thinkingBlocks(thought: unknown): Block[] {
  return textBlocks(thought).map((block) => (thought === block.text ? { type: 'thinking', text: thought } : block))
}

/**
 * OpenRouter's `reasoning_details`. An entry with only a signature gives no block.
 * @param said whether the same text is also in a field of its own, and need not be added again
 */
export function reasoningDetails(details: unknown, said: boolean): Block[] {
  return itemsOf(details).flatMap((detail): Block[] => {
    const { data, text, summary } = objectOf(detail) ?? { text: detail }
    if (typeof data === 'string') return [opaque(data)]
    const thought = [data, text, summary].find((value) => value !== undefined && value !== null && value !== '')
    return said && typeof thought === 'string' ? [] : thinkingBlocks(thought)
  })
}

/** A block for a URL: with its decoded size for `data:image/png;base64,…`, with size 0 for any other. */
export function urlBlock(type: 'image' | 'document', url: unknown): Block {
  if (typeof url !== 'string' || !url.startsWith('data:')) return mediaBlock(type, '', undefined)
  const comma = url.indexOf(',')
  const head = url.slice('data:'.length, Math.max(comma, 0)).split(';')
  return mediaBlock(type, head[0], comma !== -1 && head.at(-1) === 'base64' ? url.slice(comma + 1) : undefined)
}

export function callBlock(id: unknown, name: unknown, input: unknown): Block {
  return { type: 'call', id: stringOf(id) ?? '', name: stringOf(name) ?? '', input }
}

export function opaque(data: unknown): Extract<Block, { type: 'opaque' }> {
  return { type: 'opaque', bytes: typeof data === 'string' ? data.length : 0 }
}

/** The JSON of a value as a text block, for values that have no block type of their own. */
export function jsonBlock(value: unknown): Extract<Block, { type: 'text' }> {
  return { type: 'text', text: jsonText(value) }
}

function textBlock(part: JsonObject, text: unknown): Block {
  return typeof text === 'string' ? { type: 'text', text } : jsonBlock(part)
}

function mediaBlock(type: 'image' | 'document', mediaType: unknown, data: unknown): Block {
  const block = { type, mediaType: stringOf(mediaType) ?? '' }
  return typeof data === 'string' ? { ...block, bytes: base64Bytes(data), data } : { ...block, bytes: 0 }
}

/** The decoded size of base64 text, without decoding it. */
function base64Bytes(data: string): number {
  const padding = data.endsWith('==') ? 2 : data.endsWith('=') ? 1 : 0
  return Math.max(0, Math.floor(((data.length - padding) * 3) / 4))
}
