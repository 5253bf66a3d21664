/**
 * Amazon Bedrock's Converse API: request bodies, request/response pairs, and the invocation logs that Bedrock writes to S3
 * and CloudWatch. What an invocation log holds of `InvokeModel` is in the model's own form and left to the readers of that.
 *
 * - Each part is put into the form of Anthropic's Messages API, as Bedrock does for Claude: the two differ in names only.
 *   What is counted are the bytes of that form.
 * - Cache points are marks of a request, not content: they move from request to request, and are left out.
 */

import { itemsOf, type JsonObject, objectOf, stringOf } from '../../base/json.ts'
import { wordsIn } from '../../base/words.ts'
import { defineReader } from '../reader.ts'
import { jsonBlock } from '../wire/blocks.ts'
import { type Body, recordedReply, requestIn, sessionOf } from '../wire/bodies.ts'
import { readConversations } from '../wire/conversations.ts'
import { Converted } from '../wire/converted.ts'
import { MessagesMapping } from '../wire/messages.ts'
import { keys, listOf, optional, someOf } from '../wire/shape.ts'

export default defineReader({
  name: 'bedrock-converse',
  summary: "Amazon Bedrock's Converse API: requests and invocation logs as JSON or JSONL",
  source: 'API logs and proxies, model invocation logs of Amazon Bedrock (S3, CloudWatch)',
  shapes: [
    ['modelId', 'messages', 'system', 'inferenceConfig', 'toolConfig', 'messages.role', 'messages.content'],
    ['request.messages', 'request.inferenceConfig', 'request.toolConfig', 'response.output', 'response.stopReason'],
    ['schemaType', 'operation', 'modelId', 'input.inputBodyJson', 'output.outputBodyJson'],
  ],
  recognise(record) {
    if (Array.isArray(record)) return record.length > 0 && record.every(isMessage) ? 0.9 : 0
    const object = objectOf(record)
    if (!object) return 0
    if (requestIn(object, isRequest)) return 0.95
    return isMessage(object) ? 0.8 : 0
  },
  read(context) {
    const converted = new Converted(messageShape)
    return readConversations(context, {
      provider: 'anthropic',
      completeAlone: false,
      shape: converted.shape,
      bodyOf: (record) => body(record, converted),
      begin(opening, writer, finding) {
        const mapping = new MessagesMapping(opening, writer, finding)
        return {
          // A message that is alone in its record has not been converted yet.
          add: (entry) => mapping.add({ ...entry, value: messageOf(entry.value, converted) }),
          end: () => mapping.end(),
        }
      },
    })
  },
})

const mediumShape = keys({ source: someOf({ bytes: 'string', text: 'string', content: 'list', s3Location: 'object' }) })

const media = { image: mediumShape, document: mediumShape, video: mediumShape, audio: mediumShape }

const partShape = someOf({
  text: 'string',
  toolUse: keys({ toolUseId: 'string', name: 'string', input: 'object' }),
  toolResult: keys({ toolUseId: 'string', content: listOf(someOf({ text: 'string', json: 'any', ...media })) }),
  reasoningContent: someOf({ reasoningText: keys({ text: 'string' }), redactedContent: 'string' }),
  cachePoint: 'any',
  guardContent: someOf({ text: keys({ text: 'string' }), image: 'object' }),
  citationsContent: keys({ content: 'list' }),
  ...media,
})

const messageShape = keys({ role: 'string', content: listOf(partShape) })

const toolShape = someOf({
  toolSpec: keys({ name: 'string', description: 'text?', inputSchema: keys({ json: 'object' }) }),
  systemTool: 'object',
  cachePoint: 'any',
})

const requestShape = keys({
  messages: 'any?',
  system: optional(listOf(partShape)),
  toolConfig: optional(keys({ tools: listOf(toolShape) })),
})

function body(record: unknown, converted: Converted): Body | null {
  if (Array.isArray(record)) {
    const nothing = { system: undefined, tools: undefined, model: null, session: null, id: null, reply: {} }
    return { messages: record.map((message) => messageOf(message, converted)), bare: true, ...nothing }
  }
  const outer = objectOf(record)
  const request = outer && requestIn(outer, isRequest)
  if (!outer || !request) return null
  const { reply } = recordedReply(outer)
  const tools = objectOf(request.toolConfig)?.tools
  return {
    messages: itemsOf(request.messages).map((message) => messageOf(message, converted)),
    bare: false,
    system: request.system === undefined ? undefined : partsOf(request.system),
    tools: Array.isArray(tools) ? tools.flatMap(toolOf) : undefined,
    model: stringOf(outer.modelId) ?? stringOf(request.modelId) ?? modelIn(outer.uri ?? outer.url) ?? null,
    session: sessionOf(outer) ?? sessionOf(request),
    id: null,
    odd: requestShape(request) ?? undefined,
    reply: { ...reply, ...(reply.message && { message: messageOf(reply.message, converted) as JsonObject }) },
  }
}

/** The model in the address that was called: `…/model/anthropic.claude-opus-4-5-20251101-v1%3A0/converse`. */
function modelIn(value: unknown): string | undefined {
  return /\/model\/([^/?]+)\/converse/.exec(stringOf(value) ?? '')?.[1]?.replaceAll(/%3A/gi, ':')
}

/** The message with its parts in Anthropic's form; what has that form already stays. */
function messageOf(value: unknown, converted: Converted): unknown {
  const message = objectOf(value)
  if (!message || !Array.isArray(message.content)) return value
  return converted.put({ ...message, content: partsOf(message.content) }, message)
}

function partsOf(content: unknown): unknown[] {
  return itemsOf(content).flatMap((value) => {
    const part = objectOf(value)
    return part ? anthropicPart(part) : [value]
  })
}

/** The part in Anthropic's form; nothing for a mark. */
function anthropicPart(part: JsonObject): readonly unknown[] {
  if (typeof part.text === 'string') return [{ type: 'text', text: part.text }]
  if (part.cachePoint !== undefined) return []
  const call = objectOf(part.toolUse)
  if (call) return [{ type: 'tool_use', id: call.toolUseId, name: call.name, input: call.input ?? {} }]
  const result = objectOf(part.toolResult)
  if (result) return [resultOf(result)]
  const reasoning = objectOf(part.reasoningContent)
  if (reasoning) return [thinkingOf(reasoning)]
  for (const [kind, family] of Object.entries(families)) {
    const medium = objectOf(part[kind])
    if (medium) return [mediumOf(kind, family, medium)]
  }
  const guarded = objectOf(objectOf(part.guardContent)?.text)
  if (typeof guarded?.text === 'string') return [{ type: 'text', text: guarded.text }]
  const cited = objectOf(part.citationsContent)
  return cited ? partsOf(cited.content) : [part]
}

function resultOf({ toolUseId, content, status }: JsonObject): JsonObject {
  const parts = itemsOf(content).map((value) => {
    const json = objectOf(value)?.json
    return json === undefined ? value : { text: jsonBlock(json).text }
  })
  const failed = status === 'error' ? { is_error: true } : {}
  return { type: 'tool_result', tool_use_id: toolUseId, content: partsOf(parts), ...failed }
}

function thinkingOf(reasoning: JsonObject): JsonObject {
  if (reasoning.redactedContent !== undefined) return { type: 'redacted_thinking', data: reasoning.redactedContent }
  const { text, signature } = objectOf(reasoning.reasoningText) ?? {}
  return { type: 'thinking', thinking: text ?? '', ...(signature !== undefined && { signature }) }
}

/** Kinds of media, with what stands in front of their formats in a media type. */
const families = { image: 'image', document: 'application', video: 'video', audio: 'audio' }

/** A document's text counts as text; what lies elsewhere (in S3) has an unknown size. */
function mediumOf(kind: string, family: string, { format, source }: JsonObject): JsonObject {
  const { bytes, text, content } = objectOf(source) ?? {}
  const type = kind === 'image' ? 'image' : 'document'
  if (typeof text === 'string') return { type, source: { type: 'text', data: text } }
  if (content !== undefined) return { type, source: { type: 'content', content: partsOf(content) } }
  const media_type = `${family}/${stringOf(format) ?? 'octet-stream'}`
  return { type, source: typeof bytes === 'string' ? { type: 'base64', media_type, data: bytes } : { media_type } }
}

/** A tool in Anthropic's form; nothing for a mark. Bedrock's own tools stay as they are. */
function toolOf(value: unknown): readonly unknown[] {
  const tool = objectOf(value)
  if (tool?.cachePoint !== undefined) return []
  const spec = objectOf(tool?.toolSpec)
  if (!spec) return [value]
  const { name, description, inputSchema } = spec
  return [{ name, ...(description !== undefined && { description }), input_schema: objectOf(inputSchema)?.json ?? {} }]
}

function isRequest(request: JsonObject): boolean {
  return Array.isArray(request.messages) && request.messages.length > 0 && request.messages.every(isMessage)
}

const partKeys = wordsIn(
  'audio cachePoint citationsContent document guardContent image reasoningContent text toolResult toolUse video',
)

/** Parts have one key, which says what they are, and no `type`: those of other APIs have. */
function isMessage(value: unknown): boolean {
  const message = objectOf(value)
  if (!message || (message.role !== 'user' && message.role !== 'assistant') || !Array.isArray(message.content))
    return false
  return message.content.every((value) => {
    const part = objectOf(value)
    return part !== undefined && part.type === undefined && partKeys.some((key) => Object.hasOwn(part, key))
  })
}
