/**
 * Writes the session of an agent that records prompts, responses and the results of tools in their order. The messages are
 * held until the session ends: who answered most decides the wire form, and some programs take messages back.
 */

import { type JsonObject, stringOf } from '../../base/json.ts'
import type { Block, Message, Preamble, ProviderName, Usage } from '../../model/message.ts'
import type { Clearing, Compaction, SideCall } from '../../model/trace.ts'
import type { ReaderContext } from '../reader.ts'
import { jsonBlock } from './blocks.ts'
import { OpenCalls } from './calls.ts'
import type { Draft } from './conversations.ts'
import { lostHead } from './lost-head.ts'
import { sideCallOf } from './side-calls.ts'
import { spokenBy } from './spoken.ts'

/** Where a message was recorded, and when. */
export interface Mark {
  readonly line: number
  /** Milliseconds since the epoch. */
  readonly time?: number | undefined
}

/** Names as they were recorded: what is no text counts as absent. */
export interface Responded extends Mark {
  readonly model?: unknown
  readonly usage?: Usage | undefined
  readonly responseId?: unknown
}

/** As they were recorded, too. */
export interface Resulted extends Mark {
  /** Of the call. */
  readonly id: unknown
  /** Of the tool. */
  readonly name?: unknown
  readonly isError?: unknown
}

/** Names and paths as they were recorded: what is no text counts as absent. */
export interface SessionHead {
  readonly conversation: unknown
  readonly cwd?: unknown
  readonly parent?: unknown
  /** How many of the first messages were inherited from the parent. */
  readonly forkMessage?: number | undefined
  readonly version?: unknown
  /** As in `TranscriptHead`. */
  readonly cost?: number | undefined
  /** The model of the whole session, for responses that do not name theirs. */
  readonly model?: unknown
  /** The provider, where the format knows it better than the model's name. */
  readonly provider?: ProviderName | undefined
  readonly preamble?: Preamble
}

export class Session {
  readonly #calls = new OpenCalls()
  readonly #messages: Draft[] = []
  #compactions: Compaction[] = []
  #clearings: Clearing[] = []
  /** How many messages there were when the session was taken up again. */
  #resumptions: number[] = []
  readonly #answers = new Map<string, number>()
  readonly #sideCalls: SideCall[] = []
  /** The place of each result, by the id of its call as recorded. */
  readonly #results = new Map<string, number>()
  #isHeadless = false

  /** How many messages there are. */
  get length(): number {
    return this.#messages.length
  }

  get last(): Draft | undefined {
    return this.#messages.at(-1)
  }

  /** What came before is not in the file. */
  beginWithoutHead(line: number): void {
    this.#isHeadless = true
    this.#add(lostHead(line), undefined)
  }

  /** Adds what the user said, with an `origin` if it starts no exchange. Without blocks it adds nothing. */
  prompt(blocks: readonly Block[], { line, time }: Mark, origin?: Message['origin']): void {
    if (blocks.length === 0) return
    if (origin === undefined) this.#calls.endStep()
    const message: Draft = { role: 'user', line, blocks: withoutCalls(blocks) }
    if (origin !== undefined) message.origin = origin
    this.#add(message, time)
  }

  /** Instructions that are given amid the session. */
  instruct(blocks: readonly Block[], { line, time }: Mark): void {
    if (blocks.length > 0) this.#add({ role: 'system', line, blocks: withoutCalls(blocks) }, time)
  }

  /** Adds a response. A response without blocks and usage was never given, and is not added. */
  response(blocks: readonly Block[], { line, time, usage, ...named }: Responded): void {
    if (blocks.length === 0 && !usage) return
    const message: Draft = { role: 'assistant', line, blocks: this.#calls.make(blocks) }
    const [model, responseId] = [stringOf(named.model), stringOf(named.responseId)]
    if (usage) message.usage = usage
    if (model !== undefined) {
      message.model = model
      this.#answers.set(model, (this.#answers.get(model) ?? 0) + 1)
    }
    if (responseId !== undefined) message.responseId = responseId
    this.#add(message, time)
  }

  /** More of the newest response, which was recorded in parts. */
  continueResponse(blocks: readonly Block[], usage?: Usage): void {
    const response = this.#newestResponse()
    if (!response) return
    response.blocks = [...response.blocks, ...this.#calls.make(blocks)]
    if (usage) response.usage = usage
  }

  /** The same for a stream, whose texts go on where the one before them ended. */
  streamResponse(blocks: readonly Block[], usage?: Usage): void {
    const response = this.#newestResponse()
    const [more, ...rest] = blocks
    const begun = response?.blocks.at(-1)
    if (response && more && begun?.type === more.type && (more.type === 'text' || more.type === 'thinking')) {
      const text = (begun.type === 'text' || begun.type === 'thinking' ? begun.text : '') + more.text
      response.blocks = [...response.blocks.slice(0, -1), { type: more.type, text }]
      this.continueResponse(rest, usage)
    } else this.continueResponse(blocks, usage)
  }

  #newestResponse(): Draft | undefined {
    return this.#messages.findLast(({ role }) => role === 'assistant')
  }

  result(blocks: readonly Block[], { line, time, id: recorded, name, isError }: Resulted): void {
    const id = stringOf(recorded) ?? ''
    const message: Draft = { role: 'tool', line, blocks, ...this.#calls.answer(id, stringOf(name)) }
    if (isError === true) message.isError = true
    this.#results.set(id, this.length)
    this.#add(message, time)
  }

  /** The agent replaced everything in front of message `keptFrom`; the default is everything. */
  compaction(summary: readonly Message[], line: number, keptFrom = this.length): void {
    this.#compactions.push({ at: this.length, keptFrom, summary, line })
  }

  /** The agent took out the messages from `from` to before `to`, without a summary; those in front of them stay. */
  cut(from: number, to: number, line: number): void {
    this.#compactions.push({
      at: this.length,
      keptFrom: to,
      summary: [],
      restored: this.#messages.slice(0, from),
      head: true,
      line,
    })
  }

  /** The agent took content out of the results of these calls. @param left by the id of a call, as recorded */
  clearing(left: ReadonlyMap<string, readonly Block[]>, line: number): void {
    const byPlace = [...left].flatMap(([id, blocks]) => {
      const place = this.#results.get(id)
      return place === undefined ? [] : [[place, blocks] as const]
    })
    if (byPlace.length === 0) return
    this.#clearings.push({ at: this.length, left: new Map(byPlace), restored: false, line })
  }

  sideCall(call: SideCall): void {
    this.#sideCalls.push(call)
  }

  /** Adds the bill of a response that is no longer part of the history. Without recorded usage it adds nothing. */
  tookBack({ line, time, model, usage }: Omit<Responded, 'responseId'>): void {
    if (usage) this.sideCall(sideCallOf({ kind: 'taken-back', usage, model: stringOf(model), time, line }))
  }

  /** Takes back every message from `from` on. What of it was a response is billed all the same. */
  takeBack(from: number): void {
    for (const { role, line, time, model, usage } of this.#messages.slice(from))
      if (role === 'assistant') this.tookBack({ line, time, model, usage })
    this.rewind(from)
  }

  /** The session was left, and taken up again before the next message. */
  resumed(): void {
    this.#resumptions.push(this.length)
  }

  /** Takes back every message from `length` on. */
  rewind(length: number): void {
    this.#messages.length = Math.min(this.#messages.length, length)
    this.#compactions = this.#compactions.filter(({ at }) => at <= length)
    this.#clearings = this.#clearings.filter(({ at }) => at <= length)
    this.#resumptions = this.#resumptions.filter((at) => at <= length)
  }

  /** Hands over the session as one transcript. */
  write(context: ReaderContext, head: SessionHead): void {
    const model = this.#typicalModel() ?? stringOf(head.model)
    const provider = head.provider ?? spokenBy(model)
    const writer = context.open({ conversation: stringOf(head.conversation) ?? null, provider })
    writer.describe({
      model: model ?? null,
      cwd: stringOf(head.cwd),
      parent: stringOf(head.parent),
      forkMessage: head.forkMessage,
      version: stringOf(head.version),
      cost: head.cost,
      headless: this.#isHeadless || undefined,
    })
    writer.preamble(head.preamble ?? { system: [], complete: false })
    for (const compaction of this.#compactions) writer.compaction(compaction)
    for (const clearing of this.#clearings) writer.clearing(clearing)
    for (const call of this.#sideCalls) writer.sideCall(call)
    const resumptions = new Set(this.#resumptions)
    for (const [index, message] of this.messagesFor(provider).entries()) {
      if (resumptions.has(index)) writer.resumed()
      writer.message(message)
    }
    writer.close()
  }

  /** The messages from `from` on, as this provider's API takes them. */
  messagesFor(provider: ProviderName, from = 0): readonly Message[] {
    const messages = this.#messages.slice(from)
    // OpenAI's API takes one message per result, the others one message with all of them, and text beside them.
    if (provider === 'openai') return messages
    for (const [index, message] of messages.entries()) {
      const before = this.#messages[from + index - 1]
      const isBeside = message.role === 'tool' || (message.role === 'user' && message.line === before?.line)
      if (before?.role === 'tool' && isBeside) message.continues = true
    }
    return messages
  }

  #add(message: Draft, time: number | undefined): void {
    if (time !== undefined) message.time = time
    this.#messages.push(message)
  }

  /** The model that answered most often: it can change in a session, but a transcript is counted for one. */
  #typicalModel(): string | undefined {
    let typical: string | undefined
    for (const [model, count] of this.#answers) {
      if (count > (this.#answers.get(typical ?? '') ?? 0)) typical = model
    }
    return typical
  }
}

/** Only the assistant makes calls. A call that a damaged record has in another role becomes text. */
function withoutCalls(blocks: readonly Block[]): readonly Block[] {
  return blocks.some(({ type }) => type === 'call')
    ? blocks.map((block) => (block.type === 'call' ? jsonBlock(block) : block))
    : blocks
}

/** A message of the harness in the user's name. */
export function injected(blocks: readonly Block[], line: number): Message {
  return { role: 'user', line, blocks, origin: 'injected' }
}

/** The first of these members that is a string and not empty. */
export function textIn(object: JsonObject | undefined, ...keys: readonly string[]): string | undefined {
  for (const key of keys) {
    const value = object?.[key]
    if (typeof value === 'string' && value !== '') return value
  }
  return undefined
}
