/**
 * Google's Gemini API: bodies of `generateContent`, logs of them, request/response pairs, and lists of contents, as Gemini
 * CLI's `/chat save` keeps them. The results of parallel calls are parts of one content; each becomes a message of its own,
 * marked with `continues`.
 *
 * A body holds everything that was sent. A list of contents lacks the system instruction and the tools.
 */

import { defined } from '../../base/defined.ts'
import { type JsonObject, objectOf, stringOf } from '../../base/json.ts'
import { wordsIn } from '../../base/words.ts'
import type { Message } from '../../model/message.ts'
import { defineReader, type TranscriptWriter } from '../reader.ts'
import { type Body, recordedReply, requestIn, sessionOf } from '../wire/bodies.ts'
import { OpenCalls } from '../wire/calls.ts'
import { type Draft, type Finder, type Mapping, type Opening, readConversations } from '../wire/conversations.ts'
import {
  type FunctionResult,
  functionResults,
  googleBlocks,
  googleUsage,
  googleUsageShape,
  partShape,
} from '../wire/google.ts'
import type { Entry } from '../wire/growing.ts'
import { keys, listLike, listOf, oneOrList, optional, orText, someOf } from '../wire/shape.ts'

export default defineReader({
  name: 'gemini-api',
  summary: 'Gemini API: requests and lists of contents as JSON or JSONL',
  source: "API logs and proxies, Gemini CLI's `/chat save`",
  shapes: [
    ['contents', 'systemInstruction', 'generationConfig', 'tools', 'contents.role', 'contents.parts'],
    ['request.contents', 'response.candidates', 'response.usageMetadata'],
    ['role', 'parts', 'parts.text', 'parts.functionCall'],
  ],
  recognise(record) {
    if (Array.isArray(record)) return record.some((value) => isContent(objectOf(value))) ? 0.9 : 0
    const object = objectOf(record)
    if (!object) return 0
    if (requestIn(object, isRequest)) return 0.95
    return isContent(object) ? 0.8 : 0
  },
  read: (context) =>
    readConversations(context, {
      provider: 'google',
      completeAlone: false,
      shape: contentShape,
      bodyOf: body,
      begin: (opening, writer, finding) => new ContentsMapping(opening, writer, finding),
    }),
})

const contentShape = keys({ parts: listOf(partShape) })

const instructionShape = optional(orText(oneOrList(someOf({ parts: oneOrList(partShape), text: 'string' }))))

const requestShape = keys({
  contents: 'any?',
  tools: optional(listLike(someOf({ functionDeclarations: 'list', function_declarations: 'list' }))),
  systemInstruction: instructionShape,
  system_instruction: instructionShape,
})

const responseShape = keys({ usageMetadata: optional(googleUsageShape) })

function body(record: unknown): Body | null {
  if (Array.isArray(record)) {
    const nothing = { system: undefined, tools: undefined, model: null, session: null, id: null, reply: {} }
    return { messages: record, bare: true, ...nothing }
  }
  const outer = objectOf(record)
  const request = outer && requestIn(outer, isRequest)
  if (!outer || !request) return null
  const { reply, body: response } = recordedReply(outer)
  const { message, ...known } = reply
  const candidate = objectOf(Array.isArray(response?.candidates) ? response.candidates[0] : undefined)
  const content = objectOf(candidate?.content)
  const usage = googleUsage(response?.usageMetadata)
  const named = { model: stringOf(response?.modelVersion), id: stringOf(response?.responseId) }
  return {
    messages: Array.isArray(request.contents) ? request.contents : [request.contents],
    bare: false,
    system: request.systemInstruction ?? request.system_instruction,
    tools: Array.isArray(request.tools) ? request.tools : undefined,
    model: modelIn(request.model) ?? modelIn(outer.model) ?? modelIn(outer.uri ?? outer.url) ?? null,
    session: sessionOf(outer) ?? sessionOf(request),
    id: null,
    odd: requestShape(request) ?? responseShape(response ?? {}) ?? undefined,
    reply: {
      ...known,
      ...(content ? { message: { role: 'model', ...content } } : message && { unread: true }),
      ...defined({ usage, ...named }),
    },
  }
}

/** The model's name in a field (`models/gemini-3-pro`) or in the address that was called. */
function modelIn(value: unknown): string | undefined {
  return /(?:^|\/models\/|^models\/)([\w.-]+?)(?::\w+)?(?:\?.*)?$/.exec(stringOf(value) ?? '')?.[1]
}

class ContentsMapping implements Mapping {
  readonly #writer: TranscriptWriter
  readonly #finding: Finder
  readonly #calls = new OpenCalls()

  constructor({ system, tools, complete }: Opening, writer: TranscriptWriter, finding: Finder) {
    this.#writer = writer
    this.#finding = finding
    const parts = objectOf(system)?.parts ?? system
    const blocks = googleBlocks(parts)
    const recorded: Message[] = blocks.length > 0 ? [draft('system', 1, parts)] : []
    writer.preamble({ system: recorded, ...(tools ? { tools } : {}), complete })
  }

  add({ value, line, reply }: Entry): void {
    const content = objectOf(value)
    if (!content || !isContent({ role: 'user', ...content })) {
      this.#finding(line)
      return
    }
    const parts: readonly unknown[] = Array.isArray(content.parts) ? content.parts : [content.parts]
    if (content.role === 'model') {
      this.#writer.message(this.#response(parts, line, reply))
      return
    }
    const results = functionResults(parts)
    if (results.length === 0) this.#calls.endStep()
    for (const [index, result] of results.entries()) this.#writer.message(this.#result(result, line, index > 0))
    const rest = parts.filter((part) => objectOf(part)?.functionResponse === undefined)
    // Parts behind a result belong to that result.
    if (results.length === 0 && rest.length > 0) this.#writer.message(draft('user', line, rest))
  }

  end(): void {}

  #response(parts: readonly unknown[], line: number, reply: Entry['reply']): Draft {
    const message = draft('assistant', line, parts)
    message.blocks = this.#calls.make(message.blocks)
    const { time, model, usage, id: responseId } = reply ?? {}
    return Object.assign(message, defined({ time, model, usage, responseId }))
  }

  #result({ id, name, blocks, isError }: FunctionResult, line: number, continues: boolean): Draft {
    const message: Draft = { role: 'tool', line, blocks, ...this.#calls.answer(id, name) }
    if (isError) message.isError = true
    if (continues) message.continues = true
    return message
  }
}

function draft(role: Message['role'], line: number, parts: unknown): Draft {
  const value = Array.isArray(parts) ? parts : [typeof parts === 'string' ? { text: parts } : parts]
  return { role, line, blocks: googleBlocks(parts), wire: { provider: 'google', value } }
}

function isRequest(request: JsonObject): boolean {
  const { contents } = request
  if (Array.isArray(contents)) return contents.some((content) => isContent({ role: 'user', ...objectOf(content) }))
  return isContent({ role: 'user', ...objectOf(contents) })
}

const partKeys = wordsIn('codeExecutionResult executableCode fileData functionCall functionResponse inlineData text')

/** Parts have no `type`: those of other programs have. */
function isContent(content: JsonObject | undefined): boolean {
  if (!content || (content.role !== 'user' && content.role !== 'model') || !Array.isArray(content.parts)) return false
  return content.parts.every((value) => {
    const part = objectOf(value)
    return part !== undefined && part.type === undefined && partKeys.some((key) => Object.hasOwn(part, key))
  })
}
