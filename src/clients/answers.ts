/**
 * Reads what a model answered from the text of a response: of three APIs, streamed or not, as the SDKs declare them (Anthropic's 1.12,
 * OpenAI's 6.49), and as other servers write them, which leave out what they do not know. Any text may come.
 */
import { calledWith } from '../base/called-with.ts'
import { parsedJson } from '../base/json-text.ts'
import type { Answer, AnswerUsage, NextAction, ProbeApi } from '../model/probe.ts'
import { responseCallInputs } from '../model/response-calls.ts'
import { type JsonObject, objectOf, pick } from '../providers/apis/api.ts'
import type { Received } from './received.ts'
import { NoAnswer } from './retries.ts'

interface Format {
  /** The answer as it is where it is not streamed; undefined where the events do not lead to its end. */
  gather(events: readonly JsonObject[], isDone: boolean): JsonObject | undefined
  /** Undefined for JSON that is no answer. */
  read(response: JsonObject): Answer | undefined
}

/**
 * An answer that is all there although the connection was cut behind it is taken: it has been paid for.
 * @throws NoAnswer
 */
export function answerIn(api: ProbeApi, { text, end }: Received): Answer {
  const response = responseIn(api, text)
  if (!response) {
    if (end === 'late') throw new NoAnswer('its answer did not end in time')
    throw new NoAnswer(end === 'cut' ? 'its answer broke off' : 'its answer is not what this API sends')
  }
  const answer = formats[api].read(response)
  if (!answer) throw new NoAnswer('its response holds no answer', { isPassing: false })
  return answer
}

/** A server may stream what was not to be streamed and the other way round: what is a stream tells its first character. */
function responseIn(api: ProbeApi, text: string): JsonObject | undefined {
  if (/^[\s\uFEFF]*\{/.test(text)) {
    const response = objectOf(parsedJson(text.replace(/^\uFEFF/, '')))
    if (response) refuseFailure(response)
    return response
  }
  const { events, isDone } = eventsIn(text)
  for (const event of events) refuseFailure(event)
  return formats[api].gather(events, isDone)
}

/** The data of server-sent events as far as they can be read. Their names are left out: the data of each says its type. */
function eventsIn(text: string): { events: JsonObject[]; isDone: boolean } {
  const events: JsonObject[] = []
  let data = ''
  // The empty line at the end: where an event ended the stream without one, it is read if it is whole.
  for (const line of [...text.split(/\r\n|\n|\r/), '']) {
    if (line.startsWith('data:')) data += line.slice(5)
    if (line !== '' || data === '') continue
    if (data.trim() === '[DONE]') return { events, isDone: true }
    const event = objectOf(parsedJson(data))
    if (!event) break
    events.push(event)
    data = ''
  }
  return { events, isDone: false }
}

/** What no further try mends, in the words of the APIs and of routers that pass on the status of another server. */
const final: ReadonlySet<unknown> = new Set([
  'invalid_request_error',
  'authentication_error',
  'permission_error',
  'not_found_error',
  'billing_error',
  'request_too_large',
  'invalid_prompt',
  'insufficient_quota',
  'context_length_exceeded',
  'bio_policy',
  400,
  401,
  402,
  403,
  404,
  413,
])

/** An error that comes as an answer, with status 200: in the midst of a stream there is no other way. */
function refuseFailure(said: JsonObject): void {
  const inner = objectOf(said.response) ?? said
  const isFailed = said.type === 'error' || inner.status === 'failed' || (said.error ?? null) !== null
  if (!isFailed) return
  const error = objectOf(inner.error) ?? said
  const isPassing = !final.has(error.code) && !final.has(error.type)
  throw new NoAnswer('it began to answer and reported an error', { isPassing })
}

const formats: Readonly<Record<ProbeApi, Format>> = {
  anthropic: {
    gather(events) {
      let message: JsonObject = {}
      let usage: JsonObject = {}
      let stop: unknown = null
      let isDone = false
      const blocks = new Map<unknown, { block: JsonObject; text: string[]; input: string[] }>()
      for (const event of events) {
        if (event.type === 'message_start') message = objectOf(event.message) ?? {}
        if (event.type === 'message_stop') isDone = true
        if (event.type === 'content_block_start') {
          blocks.set(event.index, { block: objectOf(event.content_block) ?? {}, text: [], input: [] })
        }
        const delta = objectOf(event.delta)
        if (event.type === 'content_block_delta') {
          const into = blocks.get(event.index)
          if (typeof delta?.text === 'string') into?.text.push(delta.text)
          if (typeof delta?.partial_json === 'string') into?.input.push(delta.partial_json)
        }
        if (event.type === 'message_delta') {
          stop = delta?.stop_reason ?? stop
          usage = { ...usage, ...counted(event.usage) }
        }
      }
      if (!isDone && stop === null) return undefined
      const content = [...blocks.values()].map(({ block, text, input }) => ({
        ...block,
        text: wordOf(block.text) + text.join(''),
        ...(input.length > 0 ? { input: input.join('') } : {}),
      }))
      return { ...message, stop_reason: stop, content, usage: { ...counted(message.usage), ...usage } }
    },
    read({ content, stop_reason, model, usage }) {
      if (!Array.isArray(content)) return undefined
      const blocks = objectsIn(content)
      const calls = blocks.filter(({ type }) => type === 'tool_use').map(({ name, input }) => callOf(name, input))
      const texts = blocks.filter(({ type }) => type === 'text').map(({ text }) => wordOf(text))
      return answerOf(calls, texts, { stop: stop_reason, model, usage: anthropicUsage(objectOf(usage)) })
    },
  },
  chat: {
    gather(events, isDone) {
      const content: string[] = []
      const refusal: string[] = []
      const calls = new StreamedCalls()
      let [stop, last, used]: unknown[] = [null, null, null]
      for (const { choices, model, usage } of events) {
        last = model ?? last
        used = usage ?? used
        const choice = objectsIn(choices).find(({ index = 0 }) => index === 0)
        if (!choice) continue
        stop = choice.finish_reason ?? stop
        const delta = objectOf(choice.delta) ?? {}
        if (typeof delta.content === 'string') content.push(delta.content)
        if (typeof delta.refusal === 'string') refusal.push(delta.refusal)
        for (const call of objectsIn(delta.tool_calls)) calls.add(call)
      }
      if (!isDone && stop === null) return undefined
      const message = {
        content: content.join(''),
        refusal: refusal.join(''),
        tool_calls: calls.all.map(({ name, parts }) => ({ function: { name, arguments: inputOf(parts) } })),
      }
      return { model: last, usage: used, choices: [{ message, finish_reason: stop }] }
    },
    read({ choices, model, usage }) {
      const choice = objectsIn(choices)[0]
      const message = objectOf(choice?.message)
      if (!choice || !message) return undefined
      const calls = objectsIn(message.tool_calls).map(({ function: of, custom }) => {
        const own = objectOf(custom)
        return own ? asText(own.name, own.input) : callOf(objectOf(of)?.name, objectOf(of)?.arguments)
      })
      const texts = [message.content, message.refusal].flatMap((part) =>
        typeof part === 'string' ? [part] : objectsIn(part).map(({ text }) => wordOf(text)),
      )
      return answerOf(calls, texts, { stop: choice.finish_reason, model, usage: chatUsage(objectOf(usage)) })
    },
  },
  responses: {
    gather(events) {
      const items: unknown[] = []
      for (const event of events) {
        if (event.type === 'response.output_item.done') items.push(event.item)
        if (event.type !== 'response.completed' && event.type !== 'response.incomplete') continue
        const response = objectOf(event.response) ?? {}
        // Some servers send the items once and not again at the end.
        const hasItems = Array.isArray(response.output) && response.output.length > 0
        return hasItems ? response : { ...response, output: items }
      }
      return undefined
    },
    read({ output, status, incomplete_details, model, usage }) {
      if (!Array.isArray(output)) return undefined
      const items = objectsIn(output)
      const calls = items.flatMap((item) => {
        const type = String(item.type)
        const input = Object.hasOwn(responseCallInputs, type) ? responseCallInputs[type] : undefined
        if (input === undefined) return []
        const name = item.name ?? type.replace(/_call$/, '')
        return [type === 'custom_tool_call' ? asText(name, item.input) : callOf(name, item[input])]
      })
      const parts = items.filter(({ type }) => type === 'message').flatMap(({ content }) => objectsIn(content))
      const texts = parts.map(({ text, refusal }) => wordOf(text ?? refusal))
      const stop = objectOf(incomplete_details)?.reason ?? status
      return answerOf(calls, texts, { stop, model, usage: responsesUsage(objectOf(usage)) })
    },
  },
}

interface StreamedCall {
  readonly id: unknown
  name: unknown
  readonly parts: unknown[]
}

/** Some servers number all calls 0, or none: a new id begins a new call, too. */
class StreamedCalls {
  readonly all: StreamedCall[] = []
  readonly #last = new Map<unknown, StreamedCall>()

  add({ index = 0, id, function: of, custom }: JsonObject): void {
    const { name, arguments: part, input } = objectOf(of) ?? objectOf(custom) ?? {}
    const last = this.#last.get(index)
    const isSame = last !== undefined && (typeof id !== 'string' || id === '' || id === last.id)
    const call = isSame ? last : { id, name, parts: [] }
    if (!isSame) this.all.push(call)
    this.#last.set(index, call)
    call.name ??= name
    call.parts.push(part ?? input)
  }
}

/** Arguments come in pieces of text; from some servers as one object. */
function inputOf(parts: readonly unknown[]): unknown {
  return parts.find((part) => objectOf(part)) ?? parts.map(wordOf).join('')
}

type Call = NextAction['calls'][number]

const callOf = (name: unknown, input: unknown): Call => ({ name: wordOf(name), input: calledWith(input) })

/** A custom tool's input is text, even where it looks like JSON. */
const asText = (name: unknown, input: unknown): Call => ({ name: wordOf(name), input: wordOf(input) })

function answerOf(
  calls: Call[],
  texts: readonly string[],
  { stop, model, usage }: { stop: unknown; model: unknown; usage: AnswerUsage | null },
): Answer {
  const text = texts.filter((part) => part !== '').join('\n')
  return { action: { calls, text }, stop: shortOf(stop), model: shortOf(model), usage }
}

function anthropicUsage(usage: JsonObject | undefined): AnswerUsage | null {
  const [cacheRead, cacheWrite] = [usage?.cache_read_input_tokens ?? 0, usage?.cache_creation_input_tokens ?? 0]
  return usageOf(Number(usage?.input_tokens) + Number(cacheRead) + Number(cacheWrite), {
    cacheRead,
    cacheWrite,
    output: usage?.output_tokens,
  })
}

function chatUsage(usage: JsonObject | undefined): AnswerUsage | null {
  const { cached_tokens, cache_write_tokens } = objectOf(usage?.prompt_tokens_details) ?? {}
  const [cacheRead, cacheWrite] = [cached_tokens ?? 0, cache_write_tokens ?? 0]
  return usageOf(usage?.prompt_tokens, { cacheRead, cacheWrite, output: usage?.completion_tokens })
}

function responsesUsage(usage: JsonObject | undefined): AnswerUsage | null {
  const { cached_tokens, cache_write_tokens } = objectOf(usage?.input_tokens_details) ?? {}
  const [cacheRead, cacheWrite] = [cached_tokens ?? 0, cache_write_tokens ?? 0]
  return usageOf(usage?.input_tokens, { cacheRead, cacheWrite, output: usage?.output_tokens })
}

/** Null where one of them is no count of tokens, or more came from the cache than there was. */
function usageOf(
  input: unknown,
  rest: Readonly<Record<'cacheRead' | 'cacheWrite' | 'output', unknown>>,
): AnswerUsage | null {
  const usage = { input, ...rest } as AnswerUsage
  const areCounts = Object.values(usage).every((tokens) => Number.isSafeInteger(tokens) && tokens >= 0)
  return areCounts && usage.cacheRead + usage.cacheWrite <= usage.input ? usage : null
}

/** In characters: no name of a model or of a reason is longer. */
const longestName = 200

const shortOf = (value: unknown): string | null =>
  typeof value === 'string' && value.length <= longestName ? value : null
const wordOf = (value: unknown): string => (typeof value === 'string' ? value : '')

function objectsIn(list: unknown): JsonObject[] {
  return Array.isArray(list) ? list.map(objectOf).filter((one) => one !== undefined) : []
}

const counts = ['input_tokens', 'cache_read_input_tokens', 'cache_creation_input_tokens', 'output_tokens']

/** What an event counts; a later one says only what has changed. */
const counted = (usage: unknown): JsonObject => pick(objectOf(usage) ?? {}, counts)
