/** Items of OpenAI's Responses API as canonical messages. */

import { defined } from '../../base/defined.ts'
import { type JsonObject, objectOf } from '../../base/json.ts'
import type { Block, Message } from '../../model/message.ts'
import type { TranscriptWriter } from '../reader.ts'
import { jsonBlock, responsesBlocks } from './blocks.ts'
import { timeOf } from './bodies.ts'
import { OpenCalls } from './calls.ts'
import type { Draft, Mapping, Opening } from './conversations.ts'
import type { Entry } from './growing.ts'
import { beginWithoutHead } from './lost-head.ts'
import { isMessage, responseBlocks, resultOf } from './responses.ts'

/** Stands for what came before the first request, if the file does not have it. */
export const lostHead = { role: 'user', lostHead: true }

/** Items that the model wrote one after another are one response. The leading instructions become the preamble. */
export class ItemsMapping implements Mapping {
  readonly #opening: Opening
  readonly #writer: TranscriptWriter
  readonly #calls = new OpenCalls()
  /** The leading instructions; null after the first other message. */
  #system: Message[] | null = []
  /** The response that is being put together, where items come one by one. */
  #written: Draft | null = null

  constructor(opening: Opening, writer: TranscriptWriter) {
    this.#opening = opening
    this.#writer = writer
    const { system } = opening
    if (typeof system === 'string' && system !== '') {
      this.#system = [{ role: 'system', line: 1, blocks: [{ type: 'text', text: system }] }]
    }
  }

  add({ value, line, reply }: Entry): void {
    const item = objectOf(value)
    if (value === lostHead) {
      this.#preamble()
      beginWithoutHead(this.#writer, line)
      return
    }
    const blocks = Array.isArray(item?.items) ? item.items.flatMap(writtenBlocks) : item && responseBlocks(item)
    if (!blocks) {
      this.#endResponse()
      this.#other(item ?? { content: [value] }, line)
      return
    }
    const message: Draft = this.#written ?? { role: 'assistant', line, blocks: [] }
    message.blocks = [...message.blocks, ...blocks]
    const time = reply?.time ?? timeOf(item?.timestamp)
    if (time !== undefined && message.time === undefined) message.time = time
    const { usage, model, id: responseId } = reply ?? {}
    this.#written = Object.assign(message, defined({ usage, model, responseId }))
    // A response that is part of a request is complete.
    if (Array.isArray(item?.items)) this.#endResponse()
  }

  end(): void {
    this.#endResponse()
    this.#preamble()
  }

  #endResponse(): void {
    if (!this.#written) return
    this.#preamble()
    this.#writer.message({ ...this.#written, blocks: this.#calls.make(this.#written.blocks) })
    this.#written = null
  }

  #other(item: JsonObject, line: number): void {
    const result = resultOf(item, line)
    const time = timeOf(item.timestamp)
    const timed = time === undefined ? {} : { time }
    if (result) {
      this.#preamble()
      this.#writer.message({ ...result, ...timed, ...this.#calls.answer(result.callId ?? '', undefined) })
      return
    }
    if (item.role === 'system' || item.role === 'developer') {
      const message: Message = { role: 'system', line, blocks: responsesBlocks(item.content), ...timed }
      if (this.#system) this.#system.push(message)
      else this.#writer.message(message)
      return
    }
    this.#preamble()
    const isPrompt = isMessage(item) && item.role === 'user'
    if (isPrompt) this.#calls.endStep()
    // Items that nobody said (approvals, references) are in the context, too.
    const blocks = isPrompt ? responsesBlocks(item.content) : [jsonBlock(item)]
    this.#writer.message({ role: 'user', line, blocks, ...timed, ...(!isPrompt && { origin: 'injected' }) })
  }

  #preamble(): void {
    if (!this.#system) return
    const { tools, complete } = this.#opening
    this.#writer.preamble({ system: this.#system, ...(tools ? { tools } : {}), complete })
    this.#system = null
  }
}

function writtenBlocks(value: unknown): Block[] {
  const item = objectOf(value)
  return (item && responseBlocks(item)) ?? [jsonBlock(value)]
}
