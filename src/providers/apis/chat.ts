/** POST /v1/chat/completions of OpenAI, as its SDK 6.49 declares it (ChatCompletionCreateParams). */
import { jsonText, parsedJson, wordOf } from '../../base/json-text.ts'
import type { Message } from '../../model/message.ts'
import { objectOf as inputOf } from '../anthropic.ts'
import { openai as recorded } from '../openai.ts'
import type { Json } from '../provider.ts'
import { callables } from '../tool-spec.ts'
import {
  type Api,
  type JsonObject,
  type LeftOut,
  objectOf,
  pick,
  plainId,
  type RequestParts,
  resultsFirst,
} from './api.ts'

/** The kinds of content that each role may have. */
const contents: Readonly<Record<string, readonly string[]>> = {
  system: ['text'],
  developer: ['text'],
  user: ['text', 'image_url', 'input_audio', 'file'],
  assistant: ['text', 'refusal'],
  tool: ['text'],
}

export const chatApi: Api = { settings: ['model'], body: (parts, left) => chatBody(parts, left) }

/** @param isSaid whether a message is sent at all */
export function chatBody(
  { model, system, tools, messages }: RequestParts,
  left: LeftOut,
  isSaid = (_: JsonObject): boolean => true,
): Record<string, Json> {
  const given = tools?.flatMap((tool) => toolOf(tool, left)) ?? []
  const list = [...system, ...resultsFirst(messages)].flatMap((message) => wireOf(message, left))
  return {
    ...(model === null ? {} : { model }),
    messages: oneAnswerEach(list.filter(isSaid)),
    ...(given.length > 0 ? { tools: given } : {}),
  }
}

function wireOf(message: Message, left: LeftOut): Record<string, Json>[] {
  const { wire: _, ...plain } = message
  const asRecorded = objectOf(recorded.message(message)) ?? {}
  // Other programs have other names for roles; `function` and its calls are what tools were called once.
  const isOurs =
    Object.hasOwn(contents, wordOf(asRecorded.role)) &&
    asRecorded.function_call == null &&
    !isWordedElsewhere(asRecorded.content)
  const value = isOurs ? asRecorded : (recorded.message(plain) as JsonObject)
  const content = contentOf(wordOf(value.role), value.content, left)
  if (message.role === 'tool')
    return [{ role: 'tool', tool_call_id: plainId(message.callId ?? wordOf(value.tool_call_id ?? '')), content }]
  const kept = { role: value.role, content, ...pick(value, ['name']) }
  // What the model said is one text, in however many parts it was recorded.
  return message.role === 'assistant'
    ? answerOf(message, value, { ...kept, content: textsOf(content).join('\n') })
    : [kept]
}

/** Other programs have other names for where the text of a part stands. */
function isWordedElsewhere(content: Json): boolean {
  return (
    Array.isArray(content) && content.map(objectOf).some((part) => part?.type === 'text' && part.text === undefined)
  )
}

/** An answer needs content or calls: one with only thoughts is nothing that this API knows. */
function answerOf(message: Message, value: JsonObject, kept: Record<string, Json>): Record<string, Json>[] {
  const ids = message.blocks.flatMap((block) => (block.type === 'call' ? [block.id] : []))
  const calls = Array.isArray(value.tool_calls) ? value.tool_calls.flatMap((call, at) => callOf(call, ids[at])) : []
  const answer = {
    ...kept,
    ...pick(value, ['refusal']),
    ...(calls.length > 0 ? { tool_calls: calls } : {}),
  }
  if (kept.content !== '') return [answer]
  return calls.length > 0 ? [{ ...answer, content: null }] : 'refusal' in answer ? [answer] : []
}

function callOf(value: Json, id: string | undefined): Json[] {
  const call = objectOf(value)
  const custom = objectOf(call?.custom)
  const ownId = plainId(id ?? wordOf(call?.id ?? ''))
  if (custom) return [{ id: ownId, type: 'custom', custom: pick(custom, ['name', 'input']) }]
  const what = objectOf(call?.function)
  if (!what) return []
  return [{ id: ownId, type: 'function', function: { name: what.name, arguments: argumentsOf(what.arguments ?? {}) } }]
}

/** Many servers read the arguments and refuse what is no object: the text of a custom tool of another API, or what broke off. */
function argumentsOf(recorded: Json): string {
  if (recorded === '') return '{}'
  const isObject = objectOf(typeof recorded === 'string' ? parsedJson(recorded) : recorded) !== undefined
  return isObject && typeof recorded === 'string' ? recorded : jsonText(inputOf(recorded))
}

function contentText(content: Json): string {
  return typeof content === 'string' ? content : jsonText(content ?? '')
}

function contentOf(role: string, content: Json, left: LeftOut): string | Json[] {
  if (content === null || content === undefined) return ''
  if (!Array.isArray(content)) return contentText(content)
  const parts = content.flatMap((part) => partOf(role, part, left))
  return parts.length === 0 ? '' : parts
}

function partOf(role: string, value: Json, left: LeftOut): Json[] {
  if (typeof value === 'string') return [{ type: 'text', text: value }]
  const part = objectOf(value)
  const type = wordOf(part?.type)
  if (!part || !Object.hasOwn(part, type)) return []
  const isWhole = type !== 'image_url' || !/;base64,$/.test(wordOf(objectOf(part.image_url)?.url))
  if (contents[role]?.includes(type) && isWhole) return [pick(part, ['type', type])]
  if (!['image_url', 'input_audio', 'file'].includes(type)) return []
  left.media++
  return [{ type: 'text', text: `[${type.replace(/^input_|_url$/g, '')}]` }]
}

/**
 * A response that was recorded in parts becomes one message again: results must follow the message that has all their calls.
 */
function oneAnswerEach(messages: readonly Record<string, Json>[]): Json[] {
  const whole: Record<string, Json>[] = []
  for (const message of messages) {
    const last = whole.at(-1)
    if (message.role !== 'assistant' || last?.role !== 'assistant') whole.push(message)
    else {
      const calls = [...((last.tool_calls as Json[]) ?? []), ...((message.tool_calls as Json[]) ?? [])]
      const texts = [last.content, message.content].flatMap((content) => textsOf(content))
      whole[whole.length - 1] = {
        ...last,
        ...message,
        content: texts.length === 0 ? null : texts.join('\n'),
        ...(calls.length > 0 ? { tool_calls: calls } : {}),
      }
    }
  }
  return whole
}

function textsOf(content: Json): string[] {
  if (typeof content === 'string') return [content]
  return Array.isArray(content)
    ? content.map((part) => wordOf(objectOf(part)?.text ?? objectOf(part)?.refusal ?? ''))
    : []
}

/** The fields of each kind of tool: programs write others beside them for themselves. */
const toolFields: Readonly<Record<string, readonly string[]>> = {
  function: ['name', 'description', 'parameters', 'strict'],
  custom: ['name', 'description', 'format'],
}

/** Tools of OpenAI stay; a function of any provider becomes one of this form. */
function toolOf(tool: Json, left: LeftOut): Json[] {
  const own = objectOf(tool)
  const type = wordOf(own?.type)
  const names = Object.hasOwn(toolFields, type) ? toolFields[type] : undefined
  const spec = names && objectOf(own?.[type])
  if (spec && names) return [{ type, [type]: pick(spec, names) }]
  if (own && type === 'custom')
    return [{ type, custom: pick({ ...own, format: nestedFormat(own.format) }, names ?? []) }]
  const specs = callables(tool)
  if (specs.length === 0) left.tools++
  return specs.map(({ name, description, parameters }) => ({
    type: 'function',
    function: { name, ...(description === '' ? {} : { description }), parameters },
  }))
}

/** The Responses API has a grammar's text beside its type. */
function nestedFormat(format: Json): Json {
  const { type, ...grammar } = objectOf(format) ?? {}
  return type === 'grammar' && grammar.grammar === undefined ? { type, grammar } : format
}
