/**
 * A replay as the requests that a serving stack would see: each with its size and the blocks of its prefix (Mooncake's
 * trace form). A block is a number for everything up to its end, so two requests have the same number exactly where
 * they begin with the same content, and a cache of blocks hits what ctxwin's own model of the prompt cache calls
 * shared.
 */
import { jsonText } from '../base/json-text.ts'
import type { Request, SentItem } from '../measures/measure.ts'
import type { Message } from '../model/message.ts'
import { Growing, type Sizes } from '../model/sizes.ts'
import type { RequestBill } from '../model/stored.ts'
import type { Trace } from '../model/trace.ts'
import type { Observer } from './replay.ts'

/** In tokens. */
export const blockTokens = 512

export interface BlockRequest {
  /** Milliseconds since the epoch; NaN where nothing is recorded. */
  readonly time: number
  readonly inputTokens: number
  readonly outputTokens: number
  /** One for each block that is begun; the last may not be full. */
  readonly blocks: readonly number[]
}

/** Numbers for blocks: the same for the same content behind the same blocks. */
export class BlockNumbers {
  readonly #numbers = new Map<string, number>()

  of(key: string): number {
    const number = this.#numbers.get(key) ?? this.#numbers.size
    this.#numbers.set(key, number)
    return number
  }
}

export class BlockTrace implements Observer {
  readonly requests: BlockRequest[] = []
  readonly #trace: Trace
  readonly #sizes: Sizes
  readonly #numbers: BlockNumbers
  /** What tells the transcript from others: nothing is shared between them. */
  readonly #name: string
  readonly #contents = new WeakMap<Message, string>()
  #bill: RequestBill | null = null
  #from = 0

  constructor(trace: Trace, sizes: Sizes, numbers: BlockNumbers, name: string) {
    this.#trace = trace
    this.#sizes = sizes
    this.#numbers = numbers
    this.#name = name
  }

  billed(bill: RequestBill): void {
    this.#bill = bill
  }

  request({ index, message, sentTokens, sent }: Request): void {
    for (let at = message; at > this.#from; at--) {
      if (!this.#trace.isReset(at)) continue
      this.#from = at
      break
    }
    const { preamble } = this.#sizes
    const prefix = new Prefix(this.#numbers, this.#name)
    prefix.add('preamble', this.#sizes.tokens(preamble))
    let units = preamble
    if (sent.sequence) {
      for (let item = sent.sequence.first; item; item = item.next) {
        units += sent.sequence.unitsOf(item)
        prefix.add(this.#contentOf(item), this.#sizes.tokens(units))
      }
    } else {
      const growing = new Growing(this.#sizes.joins)
      for (let at = this.#from; at < message; at++) {
        units += growing.add(this.#trace.shape(at), this.#sizes.of(at))
        prefix.add(String(at), this.#sizes.tokens(units))
      }
    }
    this.requests.push({
      time: this.#trace.requestTime(index),
      inputTokens: sentTokens,
      outputTokens: this.#bill?.outputTokens ?? 0,
      blocks: prefix.end(),
    })
  }

  /** A message of the transcript by its index, as long as the policy has not written another in its place. */
  #contentOf({ index, replaced, message }: SentItem): string {
    if (index >= 0 && !replaced) return String(index)
    if (!message) return `written ${index}`
    const known = this.#contents.get(message)
    if (known !== undefined) return known
    const { role, callId, isError, responseId, blocks } = message
    const content = jsonText([role, callId, isError, responseId, blocks])
    this.#contents.set(message, content)
    return content
  }
}

/** Cuts a request into blocks as its messages are added. */
class Prefix {
  readonly #numbers: BlockNumbers
  readonly #blocks: number[] = []
  /** What the block that is begun holds so far. */
  #begun: string
  #tokens = 0

  constructor(numbers: BlockNumbers, name: string) {
    this.#numbers = numbers
    this.#begun = name
  }

  /** @param end tokens of the request up to the end of the content */
  add(content: string, end: number): void {
    const start = this.#tokens
    for (let from = start; from < end; ) {
      const boundary = (Math.floor(from / blockTokens) + 1) * blockTokens
      const to = Math.min(end, boundary)
      this.#begun += `\n${from - start}-${to - start} ${content}`
      if (to === boundary) this.#close()
      from = to
    }
    this.#tokens = Math.max(start, end)
  }

  end(): number[] {
    if (this.#tokens % blockTokens > 0) this.#close()
    return this.#blocks
  }

  #close(): void {
    const number = this.#numbers.of(this.#begun)
    this.#blocks.push(number)
    this.#begun = String(number)
  }
}
