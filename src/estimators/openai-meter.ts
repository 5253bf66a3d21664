/**
 * Counts an OpenAI request by the rules of its tokenizers and chat format. The overheads are those of OpenAI's cookbook
 * ("How to count tokens with tiktoken") and of github.com/hmarr/openai-chat-tokens (MIT), whose recorded API responses are
 * in the tests. The count is exact for the kinds of messages in those responses; parallel calls and reasoning models are
 * counted by the same rules.
 */
import { jsonText } from '../base/json-text.ts'
import { familyOf } from '../model/families.ts'
import type { Block, Message, Preamble } from '../model/message.ts'
import { type EncodingName, loadEncoding } from './bpe/counter.ts'
import type { Meter } from './estimator.ts'
import { type Detail, mediaRule, mediaTokens } from './media.ts'
import { declarations } from './tool-specs.ts'

/** Tokens around the parts of a request. */
const overhead = {
  /** Its head and its role, which is always one token. */
  message: 3 + 1,
  /** The response begins with a message's head. */
  reply: 3,
  name: 1,
  call: 3,
  /** A message of the deprecated role `function`, which has its name in place of the role. */
  functionRole: -2,
  tools: 9,
  /** The declarations go into the system message if there is one, which saves a head. */
  toolsInSystem: -4,
} as const

export function encodingOf(model: string | null): { readonly encoding: EncodingName; readonly known: boolean } {
  const { family, known } = familyOf(model ?? '')
  return family === 'cl100k'
    ? { encoding: 'cl100k_base', known }
    : { encoding: 'o200k_base', known: known && family === 'o200k' }
}

/** Units are whole tokens. The tables of the tokenizer are loaded with the first text. */
export function openaiMeter(model: string | null, encoding: EncodingName): Meter {
  const rule = mediaRule('o200k', model)
  const count = (text: string): number => (text === '' ? 0 : loadEncoding(encoding).count(text))

  const blockTokens = (block: Block, detail: Detail | undefined): number => {
    switch (block.type) {
      case 'text':
        return count(block.text)
      case 'call': {
        const text = typeof block.input === 'string' ? block.input : jsonText(block.input ?? {})
        return overhead.call + count(block.name) + count(text)
      }
      case 'image':
      case 'document':
        return mediaTokens(rule, block, detail)
      default:
        return 0 // Reasoning is not sent back.
    }
  }

  const messageTokens = (message: Message): number => {
    const { role, name, details } = sentAs(message)
    let tokens: number = overhead.message
    if (role === 'function') tokens += overhead.functionRole
    if (name !== '') tokens += overhead.name + count(name)
    let image = 0
    for (const block of message.blocks)
      tokens += blockTokens(block, block.type === 'image' ? details[image++] : undefined)
    return tokens
  }

  const preambleTokens = ({ system, tools }: Preamble): number => {
    let tokens: number = overhead.reply
    for (const message of system) tokens += messageTokens(message)
    if (!tools || tools.length === 0) return tokens
    tokens += overhead.tools + count(declarations(tools))
    const first = system[0]
    if (!first) return tokens
    // With tools the first system message ends in a line feed, which may merge with its last token.
    const last = first.blocks.findLast((block) => block.type === 'text')
    const text = last?.type === 'text' ? last.text : ''
    return tokens + overhead.toolsInSystem + count(`${text}\n`) - count(text)
  }

  return { message: messageTokens, preamble: preambleTokens, joins: () => () => 0 }
}

interface Sent {
  readonly role: string
  readonly name: string
  /** The detail of each image, in order. */
  readonly details: readonly Detail[]
}

/** What the canonical message lacks, from the message as recorded. */
function sentAs(message: Message): Sent {
  const wire =
    message.wire?.provider === 'openai' ? (message.wire.value as Partial<Record<string, unknown>>) : undefined
  const content = wire?.content
  return {
    role: wire?.role === 'function' ? 'function' : message.role,
    name: typeof wire?.name === 'string' ? wire.name : '',
    details: Array.isArray(content) ? content.filter(isPicture).map(detailOf) : [],
  }
}

function isPicture(part: unknown): part is { readonly image_url?: unknown; readonly detail?: unknown } {
  const type = (part as { readonly type?: unknown } | null)?.type
  return type === 'image_url' || type === 'input_image'
}

function detailOf(part: { readonly image_url?: unknown; readonly detail?: unknown }): Detail {
  const detail = part.detail ?? (part.image_url as { readonly detail?: unknown } | null | undefined)?.detail
  return detail === 'low' || detail === 'high' || detail === 'original' ? detail : 'auto'
}
