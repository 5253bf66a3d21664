/**
 * Decides whether a record is in OpenAI's or Anthropic's form, which look alike until a tool is called. It is decided by
 * features that only one of them has; without any, OpenAI's form is assumed, as the more widely used.
 */

import { type JsonObject, objectOf } from '../../base/json.ts'
import { setOf } from '../../base/words.ts'
import { bodyOf } from './bodies.ts'

export interface Likeness {
  readonly openai: number
  readonly anthropic: number
}

const nothing: Likeness = { openai: 0, anthropic: 0 }

/** How many messages to look at: enough to find a tool call if there are any. */
const looked = 50

export function likeness(record: unknown): Likeness {
  const outer = objectOf(record)
  const body = bodyOf(record)
  if (!body) return outer && isMessage(outer) ? messageLikeness(outer) : nothing
  const messages = body.messages.slice(0, looked).map(objectOf)
  if (!messages.some((message) => message && isMessage(message))) return nothing
  if (messages.some((message) => message && isForeign(message))) return nothing
  const signs = outer
    ? [outer, objectOf(outer.request) ?? {}, objectOf(objectOf(outer.input)?.inputBodyJson) ?? {}]
    : []
  // A system prompt beside the messages is a stronger sign than a system message among them, which both forms can have,
  // but a weaker one than OpenAI's tool calls.
  if (signs.some(hasSystem) && !messages.some((message) => message && hasOpenaiCalls(message))) {
    return { openai: 0.1, anthropic: 0.9 }
  }
  const openai = signs.some(hasOpenaiKeys) || messages.some((message) => message && isOpenai(message))
  if (openai) return { openai: 0.9, anthropic: 0.1 }
  const anthropic = signs.some(hasAnthropicKeys) || messages.some((message) => message && isAnthropic(message))
  if (anthropic) return { openai: 0.1, anthropic: 0.9 }
  return { openai: 0.5, anthropic: 0.3 }
}

function messageLikeness(message: JsonObject): Likeness {
  if (isOpenai(message)) return { openai: 0.8, anthropic: 0.05 }
  if (isAnthropic(message)) return { openai: 0.05, anthropic: 0.8 }
  return { openai: 0.3, anthropic: 0.2 }
}

const roles: readonly unknown[] = ['system', 'developer', 'user', 'assistant', 'tool', 'function']

function isMessage(record: JsonObject): boolean {
  if (!roles.includes(record.role) || isForeign(record)) return false
  if (record.type !== undefined && record.type !== 'message') return false
  return ['content', 'tool_calls', 'function_call'].some((key) => Object.hasOwn(record, key))
}

/** Keys of messages that look like OpenAI's or Anthropic's, but belong to formats with readers of their own. */
const foreignKeys = ['uuid', 'sessionId', 'message', 'parts', 'messageId', 'created']
const foreignParts = /^(?:(?:in|out)put_(?:text|image|file)|tool(?:Call|Request|Response)|tool-(?:call|result))$/

function isForeign(message: JsonObject): boolean {
  if (message.role === 'toolResult' || foreignKeys.some((key) => Object.hasOwn(message, key))) return true
  // Parts without a type belong to Bedrock.
  return partsOf(message).some(({ type }) => typeof type !== 'string' || foreignParts.test(type))
}

function isOpenai(message: JsonObject): boolean {
  if (message.role === 'system' || message.role === 'developer' || hasOpenaiCalls(message)) return true
  return partsOf(message).some(({ type }) => type === 'image_url' || type === 'input_audio' || type === 'refusal')
}

function hasOpenaiCalls({ role, tool_calls, function_call }: JsonObject): boolean {
  return role === 'tool' || role === 'function' || Array.isArray(tool_calls) || objectOf(function_call) !== undefined
}

const anthropicTypes = setOf('tool_use tool_result thinking redacted_thinking server_tool_use image document')

/** Assistant text in blocks is Anthropic's form: in OpenAI's it is a string. */
function isAnthropic(message: JsonObject): boolean {
  return partsOf(message).some(
    ({ type, text }) =>
      anthropicTypes.has(type) || (message.role === 'assistant' && type === 'text' && typeof text === 'string'),
  )
}

function partsOf({ content }: JsonObject): JsonObject[] {
  return Array.isArray(content) ? content.map((part) => objectOf(part) ?? { type: 'text' }) : []
}

function hasOpenaiKeys(body: JsonObject): boolean {
  const tools = Array.isArray(body.tools) ? body.tools : []
  return (
    Array.isArray(body.functions) ||
    Array.isArray(objectOf(body.response)?.choices) ||
    tools.some((tool) => objectOf(objectOf(tool)?.function))
  )
}

function hasSystem(body: JsonObject): boolean {
  return typeof body.system === 'string' || Array.isArray(body.system) || Array.isArray(body.system_prompt_full)
}

/** Anthropic requires `max_tokens`; requests to old OpenAI models have it too, so the model's name decides if given. */
function hasAnthropicKeys(body: JsonObject): boolean {
  return body.max_tokens !== undefined && (typeof body.model !== 'string' || body.model.includes('claude'))
}
