/** POST /v1/messages of Anthropic, as its SDK 1.12 declares it (MessageCreateParams). */
import { wordOf } from '../../base/json-text.ts'
import type { Message } from '../../model/message.ts'
import { objectOf as inputOf, anthropic as recorded } from '../anthropic.ts'
import type { Json } from '../provider.ts'
import { callables } from '../tool-spec.ts'
import {
  type Api,
  type JsonObject,
  joined,
  type LeftOut,
  objectOf,
  pick,
  plainId,
  resultsFirst,
  type Turn,
} from './api.ts'

/**
 * The fields of each kind of content block besides its type. Marks for the cache are left out: where they belong depends on
 * the requests before, and more than four are refused.
 */
const fields: Readonly<Record<string, readonly string[]>> = {
  text: ['text', 'citations'],
  thinking: ['thinking', 'signature'],
  redacted_thinking: ['data'],
  image: ['source'],
  document: ['source', 'title', 'context', 'citations'],
  search_result: ['source', 'title', 'content', 'citations'],
  tool_reference: ['tool_name'],
  tool_use: ['id', 'name', 'input', 'caller'],
  tool_result: ['tool_use_id', 'content', 'is_error'],
  server_tool_use: ['id', 'name', 'input', 'caller'],
  web_search_tool_result: ['tool_use_id', 'content', 'caller'],
  web_fetch_tool_result: ['tool_use_id', 'content', 'caller'],
  code_execution_tool_result: ['tool_use_id', 'content'],
  bash_code_execution_tool_result: ['tool_use_id', 'content'],
  text_editor_code_execution_tool_result: ['tool_use_id', 'content'],
  tool_search_tool_result: ['tool_use_id', 'content'],
  container_upload: ['file_id'],
}
/** What the API runs itself. Of others, such as the advisor of a beta, it takes neither calls nor results. */
const serverTools = [
  'web_search',
  'web_fetch',
  'code_execution',
  'bash_code_execution',
  'text_editor_code_execution',
  'tool_search_tool_regex',
  'tool_search_tool_bm25',
]
const imageTypes = ['image/jpeg', 'image/png', 'image/gif', 'image/webp']

export const anthropicApi: Api = {
  settings: ['model', 'max_tokens'],
  body({ model, maxTokens, system, tools, messages }, left) {
    const head = system.flatMap((message) => partsOf(message, left))
    const given = tools?.flatMap((tool) => toolOf(tool, left)) ?? []
    const turns = resultsFirst(messages).map((message) => turnOf(message, left))
    return {
      ...(model === null ? {} : { model }),
      max_tokens: maxTokens,
      ...(head.length > 0 ? { system: head } : {}),
      ...(given.length > 0 ? { tools: given } : {}),
      messages: joined(withoutHalves(turns)).map(({ role, parts }) => ({ role, content: parts })),
    }
  },
}

function turnOf(message: Message, left: LeftOut): Turn {
  const { role } = recorded.message(message) as { role: string }
  return { role, parts: partsOf(message, left) }
}

/** The API refuses a call of what it runs itself without the result, and a result without the call. */
function withoutHalves(turns: readonly Turn[]): Turn[] {
  const blocks = turns.flatMap(({ parts }) => parts as readonly JsonObject[])
  const made = new Set(blocks.flatMap(({ type, id }) => (type === 'server_tool_use' ? [id] : [])))
  const answered = new Set(blocks.flatMap(({ type, tool_use_id: id }) => (isServerResult(type) ? [id] : [])))
  const isWhole = ({ type, id, tool_use_id }: JsonObject): boolean =>
    type === 'server_tool_use' ? answered.has(id) : !isServerResult(type) || made.has(tool_use_id)
  return turns.map(({ role, parts }) => ({ role, parts: (parts as readonly JsonObject[]).filter(isWhole) }))
}

const isServerResult = (type: unknown): boolean => /._tool_result$/.test(wordOf(type))

function partsOf(message: Message, left: LeftOut): Json[] {
  const { content } = recorded.message(message) as { content: Json }
  const parts = typeof content === 'string' ? [{ type: 'text', text: content }] : Array.isArray(content) ? content : []
  return parts.flatMap((part) => partOf(part, left))
}

function partOf(part: Json, left: LeftOut): Json[] {
  const block = objectOf(part)
  const type = wordOf(block?.type)
  const names = Object.hasOwn(fields, type) ? fields[type] : undefined
  if (!block || !names) return []
  const kept = { type, ...pick(block, names) } as Record<string, Json>
  switch (type) {
    case 'text':
      return typeof kept.text === 'string' && kept.text.trim() !== '' ? [withSentCitations(kept)] : []
    case 'thinking':
      // The signature is what the API checks: without it the thought cannot be sent back.
      return typeof kept.signature === 'string' && kept.signature !== ''
        ? [{ ...kept, thinking: kept.thinking ?? '' }]
        : []
    case 'server_tool_use':
      return serverTools.includes(wordOf(kept.name)) ? [kept] : []
    case 'tool_use':
      return [{ ...kept, id: plainId(wordOf(kept.id)), input: inputOf(kept.input) }]
    case 'tool_result':
      return [resultOf(kept, left)]
    case 'image':
    case 'document':
      return sourceOf(type, kept, left)
    default:
      return [kept]
  }
}

/** An answer says in which file a citation stands, and a request may not. */
function withSentCitations(text: Record<string, Json>): Json {
  const { citations } = text
  if (!Array.isArray(citations)) return text
  const sent = citations.map((citation) => {
    const { file_id: _, ...rest } = objectOf(citation) ?? {}
    return rest
  })
  return { ...text, citations: sent }
}

function resultOf(result: Record<string, Json>, left: LeftOut): Json {
  const { content, is_error, ...rest } = result
  const parts = typeof content === 'string' ? [{ type: 'text', text: content }] : Array.isArray(content) ? content : []
  // The API takes no result within a result.
  const kept = parts.flatMap((part) => (objectOf(part)?.type === 'tool_result' ? [] : partOf(part, left)))
  const answer = { ...rest, tool_use_id: plainId(wordOf(rest.tool_use_id)) }
  // The API refuses an error without content.
  return kept.length === 0 ? answer : { ...answer, content: kept, ...(is_error === true ? { is_error } : {}) }
}

function sourceOf(type: string, block: Record<string, Json>, left: LeftOut): Json[] {
  const source = objectOf(block.source)
  const known = type === 'image' ? imageTypes : ['application/pdf']
  const isSent = source !== undefined && (source.type !== 'base64' || isWhole(source, known))
  if (isSent) return [block]
  left.media++
  return [{ type: 'text', text: `[${type}]` }]
}

function isWhole({ data, media_type }: JsonObject, known: readonly string[]): boolean {
  return typeof data === 'string' && data !== '' && known.includes(wordOf(media_type))
}

/** The fields of a tool of the user's own: programs write others beside them for themselves. */
const toolFields = [
  'type',
  'name',
  'description',
  'strict',
  'allowed_callers',
  'defer_loading',
  'eager_input_streaming',
  'input_examples',
]

/** Tools of which the API knows only when a header asks for a beta. */
const isBeta = (type: string): boolean => /^(?:advisor|computer)_\d|_20241022$/.test(type)

/** Anthropic's own tools have a type and no schema; a function of any provider becomes a tool with a schema. */
function toolOf(tool: Json, left: LeftOut): Json[] {
  const own = objectOf(tool)
  const schema = objectOf(own?.input_schema)
  if (own && schema) return [{ ...pick(own, toolFields), input_schema: { type: 'object', ...schema } }]
  if (own && typeof own.type === 'string' && /_20\d{6}$/.test(own.type) && !isBeta(own.type)) {
    const { cache_control: _, ...rest } = own
    return [rest]
  }
  const specs = callables(tool)
  if (specs.length === 0) left.tools++
  return specs.map(({ name, description, parameters }) => ({
    name,
    ...(description === '' ? {} : { description }),
    input_schema: { type: 'object', ...parameters },
  }))
}
