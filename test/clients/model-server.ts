/**
 * A server on this machine that speaks an API of models as its SDK declares it, streamed where a request says so, and answers by a rule of
 * the test.
 *
 * ```ts
 * const server = await serveModel('anthropic', (body) => ({ calls: [{ name: 'Read', input: { path: 'a.ts' } }] }), {
 *   faults: [{ status: 429, retryAfter: 0 }, null, { cut: 100 }],
 * })
 * const completer = new Completer({ api: server.api, env: {}, baseUrl: server.url, patience: 1 })
 * server.asked // what came, in order: path, key, text (as it came), body (parsed)
 * await server.close()
 * ```
 */
import type { Message, MessageTokensCount, RawMessageStreamEvent } from '@anthropic-ai/sdk/resources'
import type { ChatCompletion, ChatCompletionChunk } from 'openai/resources/chat/completions'
import type { InputTokenCountResponse } from 'openai/resources/responses/input-tokens'
import type { Response, ResponseOutputItem, ResponseStreamEvent } from 'openai/resources/responses/responses'
import { jsonText } from '../../src/base/json-text.ts'
import type { AnswerUsage, NextAction, ProbeApi } from '../../src/model/probe.ts'
import { type Answer, serve } from './server.ts'

/** What the model says. */
export interface Said extends Partial<NextAction> {
  /** Default: what `usageOf` gives; null leaves it out, as some servers do. */
  readonly usage?: AnswerUsage | null
  readonly model?: string
}

export type Rule = (body: Record<string, unknown>, number: number) => Said

/** What goes wrong with one request: several at once where that makes sense. */
export interface Fault {
  /** A refusal, with words that nobody may see; 3xx redirects to `to`. */
  readonly status?: number
  /** In seconds. */
  readonly retryAfter?: number
  readonly to?: string
  /** Bytes of the answer behind which the connection breaks; from its end where negative. */
  readonly cut?: number
  /** The answer's text, or its events, with one character that makes it no JSON; `nonsense` is sent instead of an answer. */
  readonly garbage?: true
  readonly nonsense?: string
  /** Milliseconds before the answer begins, and before it ends. */
  readonly after?: number
  readonly silence?: number
  readonly contentType?: string
  /** Streams where it should not, and the other way round. */
  readonly otherWay?: true
  /** Characters more of text. */
  readonly more?: number
  readonly withoutUsage?: true
  /** The arguments of each call are this text. */
  readonly rawArguments?: string
  /** It begins to answer and reports an error of this type instead of the end. */
  readonly failure?: string
}

export interface ModelOptions {
  /** By the number of the request, from 0, counts included. */
  readonly faults?: readonly (Fault | null)[] | ((number: number, body: Record<string, unknown>) => Fault | null)
  /** What counting endpoints say; default: `usageOf(body).input`. */
  readonly count?: (body: Record<string, unknown>) => number
}

/** Words of the server in each refusal: none of them may be in an error. */
export const unspeakable = 'SERVER-WORDS'

/** A fake count that depends on the body: a token for each four characters. */
export function usageOf(body: Record<string, unknown>): AnswerUsage {
  return { input: Math.ceil(jsonText(body).length / 4), cacheRead: 0, cacheWrite: 0, output: 20 }
}

/** @returns `url` is the base URL for the API: with `/v1` for OpenAI's */
export async function serveModel(api: ProbeApi, rule: Rule, { faults = [], count }: ModelOptions = {}) {
  const server = await serve(({ path, body }, number) => {
    const fault = (typeof faults === 'function' ? faults(number, body) : faults[number]) ?? {}
    const { status, retryAfter, to, after, silence, cut, contentType } = fault
    if (status !== undefined) {
      const headers = {
        ...(retryAfter !== undefined && { 'retry-after': `${retryAfter}` }),
        ...(to && { location: to }),
      }
      return { status, headers, body: JSON.stringify({ error: { type: 'error', message: unspeakable } }) }
    }
    const counts = path.split('?')[0]?.endsWith('tokens')
    const isStreamed = !counts && (body.stream === true) !== (fault.otherWay === true)
    const text = counts
      ? counted(api, count?.(body) ?? usageOf(body).input)
      : answerText(api, { usage: usageOf(body), model: String(body.model), ...rule(body, number) }, fault, isStreamed)
    const size = Buffer.byteLength(text)
    return {
      headers: {
        'content-type': contentType ?? (isStreamed ? 'text/event-stream; charset=utf-8' : 'application/json'),
      },
      body: text,
      ...(after !== undefined && { after }),
      ...(silence !== undefined && { silence }),
      ...(cut !== undefined && { cut: cut < 0 ? size + cut : Math.min(cut, size) }),
    } satisfies Answer
  })
  return { ...server, api, url: api === 'anthropic' ? server.url : `${server.url}/v1` }
}

function counted(api: ProbeApi, tokens: number): string {
  const response =
    api === 'anthropic'
      ? ({ input_tokens: tokens } satisfies MessageTokensCount)
      : ({ object: 'response.input_tokens', input_tokens: tokens } satisfies InputTokenCountResponse)
  return JSON.stringify(response)
}

/** The text of the response of an API. */
export function answerText(api: ProbeApi, said: Said, fault: Fault, isStreamed: boolean): string {
  if (fault.nonsense !== undefined) return fault.nonsense
  const parts: Parts = {
    text: (said.text ?? '') + 'm'.repeat(fault.more ?? 0),
    calls: (said.calls ?? []).map(({ name, input }) => ({
      name,
      json: fault.rawArguments ?? argumentsOf(input),
      input,
    })),
    usage: fault.withoutUsage ? null : (said.usage ?? null),
    model: said.model ?? 'a-model',
  }
  const isBroken = fault.garbage === true
  if (!isStreamed) {
    const text = JSON.stringify(fault.failure ? failed(fault.failure) : whole[api](parts))
    return isBroken ? text.replace(/\}$/, '},}') : text
  }
  const events: object[] = streamed[api](parts)
  if (fault.failure) events.splice(-1, 1, failed(fault.failure))
  const lines = events.map((event) => {
    const name = 'type' in event && api !== 'chat' ? `event: ${event.type}\n` : ''
    return `${name}data: ${JSON.stringify(event)}\n\n`
  })
  if (isBroken) lines[1] = `data: {"type": nonsense}\n\n`
  return lines.join('') + (api === 'chat' ? 'data: [DONE]\n\n' : '')
}

const failed = (type: string) => ({ type: 'error', error: { type, code: type, message: unspeakable } })

const argumentsOf = (input: unknown): string => (typeof input === 'string' ? input : JSON.stringify(input))

interface Parts {
  readonly text: string
  readonly calls: readonly { readonly name: string; readonly json: string; readonly input: unknown }[]
  readonly usage: AnswerUsage | null
  readonly model: string
}

/** In pieces, as tokens come; at least one. */
const piecesOf = (text: string): string[] => text.match(/.{1,7}/gs) ?? ['']

/** What the types demand and some servers leave out. */
const maybe = <T>(usage: T | null): T => (usage === null ? undefined : usage) as T

const whole = { anthropic: message, responses: response, chat: completion }
const streamed = { anthropic: messageEvents, responses: responseEvents, chat: chunks }

function anthropicUsage({ input, cacheRead, cacheWrite, output }: AnswerUsage): Message['usage'] {
  return {
    input_tokens: input - cacheRead - cacheWrite,
    cache_read_input_tokens: cacheRead,
    cache_creation_input_tokens: cacheWrite,
    output_tokens: output,
    cache_creation: null,
    inference_geo: null,
    output_tokens_details: null,
    server_tool_use: null,
    service_tier: 'standard',
    speed: null,
  }
}

function message({ text, calls, usage, model }: Parts): Message {
  return {
    id: 'msg_1',
    type: 'message',
    role: 'assistant',
    model,
    content: [
      { type: 'thinking', thinking: 'a thought', signature: 'c2ln' },
      ...(text === '' ? [] : [{ type: 'text' as const, text, citations: null }]),
      ...calls.map(({ name, json, input }, at) => ({
        type: 'tool_use' as const,
        id: `toolu_${at}`,
        name,
        // An answer that is not streamed has arguments that are parsed.
        input: json === argumentsOf(input) ? input : json,
        caller: { type: 'direct' as const },
      })),
    ],
    stop_reason: calls.length > 0 ? 'tool_use' : 'end_turn',
    stop_sequence: null,
    stop_details: null,
    container: null,
    diagnostics: null,
    usage: maybe(usage && anthropicUsage(usage)),
  }
}

function messageEvents(parts: Parts): RawMessageStreamEvent[] {
  const { content, stop_reason, usage, ...rest } = message(parts)
  const start = { ...rest, stop_reason: null, content: [], usage: maybe(usage && { ...usage, output_tokens: 1 }) }
  const { input_tokens, cache_read_input_tokens, cache_creation_input_tokens, output_tokens } = usage ?? {}
  const last = { input_tokens, cache_read_input_tokens, cache_creation_input_tokens, output_tokens }
  return [
    { type: 'message_start', message: start },
    ...content.flatMap((block, index): RawMessageStreamEvent[] => [
      { type: 'content_block_start', index, content_block: emptied(block) },
      ...deltasOf(block, parts).map((delta) => ({ type: 'content_block_delta' as const, index, delta })),
      { type: 'content_block_stop', index },
    ]),
    {
      type: 'message_delta',
      delta: { stop_reason, stop_sequence: null, stop_details: null, container: null },
      usage: maybe(usage && { ...last, output_tokens_details: null, server_tool_use: null }) as never,
    },
    { type: 'message_stop' },
  ]
}

type Block = Message['content'][number]
type Delta = (RawMessageStreamEvent & { type: 'content_block_delta' })['delta']

function emptied(block: Block): Block {
  if (block.type === 'text') return { ...block, text: '' }
  if (block.type === 'tool_use') return { ...block, input: {} }
  return block.type === 'thinking' ? { ...block, thinking: '', signature: '' } : block
}

function deltasOf(block: Block, { calls }: Parts): Delta[] {
  if (block.type === 'text') return piecesOf(block.text).map((text) => ({ type: 'text_delta', text }))
  if (block.type === 'thinking') {
    return [
      { type: 'thinking_delta', thinking: block.thinking },
      { type: 'signature_delta', signature: block.signature },
    ] as Delta[]
  }
  if (block.type !== 'tool_use') return []
  const json = calls[Number(block.id.slice('toolu_'.length))]?.json ?? ''
  return piecesOf(json).map((partial_json) => ({ type: 'input_json_delta', partial_json }))
}

function chatUsage({ input, cacheRead, cacheWrite, output }: AnswerUsage): NonNullable<ChatCompletion['usage']> {
  return {
    prompt_tokens: input,
    completion_tokens: output,
    total_tokens: input + output,
    prompt_tokens_details: { cached_tokens: cacheRead, cache_write_tokens: cacheWrite },
  }
}

const chatCalls = ({ calls }: Parts) =>
  calls.map(({ name, json }, at) => ({
    id: `call_${at}`,
    type: 'function' as const,
    function: { name, arguments: json },
  }))

function completion(parts: Parts): ChatCompletion {
  const { text, calls, usage, model } = parts
  return {
    id: 'chatcmpl-1',
    object: 'chat.completion',
    created: 1,
    model,
    choices: [
      {
        index: 0,
        finish_reason: calls.length > 0 ? 'tool_calls' : 'stop',
        logprobs: null,
        message: {
          role: 'assistant',
          content: text === '' ? null : text,
          refusal: null,
          ...(calls.length > 0 && { tool_calls: chatCalls(parts) }),
        },
      },
    ],
    ...(usage && { usage: chatUsage(usage) }),
  }
}

function chunks(parts: Parts): ChatCompletionChunk[] {
  const { text, calls, usage, model } = parts
  const base = { id: 'chatcmpl-1', object: 'chat.completion.chunk' as const, created: 1, model }
  const chunk = (
    delta: ChatCompletionChunk.Choice.Delta,
    finish_reason: ChatCompletionChunk.Choice['finish_reason'] = null,
  ): ChatCompletionChunk => ({ ...base, usage: null, choices: [{ index: 0, delta, finish_reason, logprobs: null }] })
  return [
    chunk({ role: 'assistant', content: '' }),
    ...(text === '' ? [] : piecesOf(text).map((content) => chunk({ content }))),
    ...chatCalls(parts).flatMap((call, index) => [
      chunk({ tool_calls: [{ ...call, index, function: { ...call.function, arguments: '' } }] }),
      ...piecesOf(call.function.arguments).map((piece) =>
        chunk({ tool_calls: [{ index, function: { arguments: piece } }] }),
      ),
    ]),
    chunk({}, calls.length > 0 ? 'tool_calls' : 'stop'),
    ...(usage ? [{ ...base, choices: [], usage: chatUsage(usage) }] : []),
  ]
}

function itemsOf({ text, calls }: Parts): ResponseOutputItem[] {
  return [
    { type: 'reasoning', id: 'rs_1', summary: [] },
    ...(text === ''
      ? []
      : [
          {
            type: 'message' as const,
            id: 'msg_1',
            role: 'assistant' as const,
            status: 'completed' as const,
            content: [{ type: 'output_text' as const, text, annotations: [] }],
          },
        ]),
    ...calls.map(({ name, json }, at) => ({
      type: 'function_call' as const,
      id: `fc_${at}`,
      call_id: `call_${at}`,
      name,
      arguments: json,
      status: 'completed' as const,
    })),
  ]
}

function response(parts: Parts): Omit<Response, 'output_text'> {
  const { usage, model } = parts
  return {
    id: 'resp_1',
    object: 'response',
    created_at: 1,
    status: 'completed',
    model,
    output: itemsOf(parts),
    error: null,
    incomplete_details: null,
    instructions: null,
    metadata: {},
    parallel_tool_calls: true,
    temperature: 1,
    tool_choice: 'auto',
    tools: [],
    top_p: 1,
    ...(usage && {
      usage: {
        input_tokens: usage.input,
        input_tokens_details: { cached_tokens: usage.cacheRead, cache_write_tokens: usage.cacheWrite },
        output_tokens: usage.output,
        output_tokens_details: { reasoning_tokens: 0 },
        total_tokens: usage.input + usage.output,
      },
    }),
  }
}

function responseEvents(parts: Parts): ResponseStreamEvent[] {
  const end = response(parts)
  const { usage: _, ...begun } = end
  const events: Unnumbered[] = [
    { type: 'response.created', response: { ...begun, status: 'in_progress', output: [] } as never },
    ...itemsOf(parts).flatMap((item, output_index): Unnumbered[] => [
      { type: 'response.output_item.added', output_index, item: begunItem(item) },
      ...pieces(item, output_index),
      { type: 'response.output_item.done', output_index, item },
    ]),
    { type: 'response.completed', response: end as never },
  ]
  return events.map((event, sequence_number) => ({ ...event, sequence_number }) as ResponseStreamEvent)
}

type WithoutNumber<Event> = Event extends unknown ? Omit<Event, 'sequence_number'> : never
type Unnumbered = WithoutNumber<ResponseStreamEvent>

function begunItem(item: ResponseOutputItem): ResponseOutputItem {
  if (item.type === 'function_call') return { ...item, arguments: '', status: 'in_progress' }
  return item.type === 'message' ? { ...item, content: [], status: 'in_progress' } : item
}

function pieces(item: ResponseOutputItem, output_index: number): Unnumbered[] {
  const place = { item_id: String('id' in item ? item.id : ''), output_index }
  if (item.type === 'function_call') {
    return piecesOf(item.arguments).map((delta) => ({
      type: 'response.function_call_arguments.delta',
      ...place,
      delta,
    }))
  }
  if (item.type !== 'message') return []
  return item.content.flatMap((part, content_index) =>
    part.type === 'output_text'
      ? piecesOf(part.text).map((delta) => ({
          type: 'response.output_text.delta' as const,
          ...place,
          content_index,
          delta,
          logprobs: [],
        }))
      : [],
  )
}
