import { Column } from '../base/column.ts'
import { isEmpty, type Message, type Preamble, type ProviderName, type Role, type Usage } from './message.ts'

/**
 * A transcript as the simulator replays it: one row a message, in columns, without the text (libCacheSim's trace).
 * Sizes are in the units of the meters that read the messages as they went by, so a trace costs some forty bytes a
 * message, however long the transcript's text is. Messages themselves are kept only where something asks for text.
 */
export interface TranscriptHead {
  readonly file: string
  /** The id the format gives the conversation, else null. */
  readonly conversation: string | null
  readonly format: string
  readonly provider: ProviderName
  readonly model: string | null
  readonly cwd: string | null
  /** A sub-agent or fork: the conversation it came from, and how many of its messages it inherited. */
  readonly parent: string | null
  readonly forkMessage: number | null
}

/** A compaction that the recorded agent did itself: what it kept is not part of the history, but can be replayed. */
export interface Compaction {
  /** Index of the first message that came after it. */
  readonly at: number
  /** Index of the first message that stayed in front of `at` (equal to `at` when nothing but the summary did). */
  readonly keptFrom: number
  readonly summary: readonly Message[]
  readonly line: number
}

/** Sizes one message by itself, in the units of one estimator. */
export type Sizer = (message: Message) => number

/** What is kept of the messages' text besides sizes: it reads every message as it goes by, and lets the text go. */
export interface Digest {
  add(message: Message): void
  /** Takes back every message from `length` on. */
  rewind(length: number): void
}

export const roles: readonly Role[] = ['system', 'user', 'assistant', 'tool']

// What is known of a message beside its numbers, in one word: the role in the lowest two bits, the flags, the calls.
const flag = { prompt: 4, response: 8, empty: 16, continues: 32, reset: 64, injected: 128 } as const
const callBits = 8

/** Numbers of a usage. */
const counts = 5

export class Trace {
  /** Filled in by the reader as it learns more; complete once the trace is handed over. */
  head: TranscriptHead
  preamble: Preamble = { system: [], complete: false }
  compactions: Compaction[] = []
  /** Present where the reader was asked to keep the text, else null. */
  readonly messages: Message[] | null
  /** Present where something asked for it. */
  readonly digest: Digest | null
  readonly #sizers: readonly Sizer[]
  readonly #units: readonly Column[]
  readonly #bits = Column.int32()
  readonly #lines = Column.int32()
  // Calls are numbered through the transcript: an assistant message makes a range of them, a tool message answers one.
  readonly #call = Column.int32()
  readonly #openCalls = new Map<string, number>()
  readonly #answeredCalls = new Map<string, number>()
  readonly #requestAt = Column.int32()
  readonly #requestTime = Column.float64()
  /** Five numbers a request: a data set has ten thousand transcripts, and each column is an allocation. */
  readonly #usage = Column.float64()
  #calls = 0
  #response: string | undefined
  #resetNext = false

  constructor(head: TranscriptHead, sizers: readonly Sizer[], keepMessages: boolean, digest: Digest | null = null) {
    this.head = head
    this.#sizers = sizers
    this.#units = sizers.map(() => Column.float64())
    this.messages = keepMessages ? [] : null
    this.digest = digest
  }

  /** Messages of the conversation; the system prompt is not among them. */
  get length(): number {
    return this.#bits.length
  }

  /** How many requests to the model the transcript shows: one a response. */
  get requests(): number {
    return this.#requestAt.length
  }

  get calls(): number {
    return this.#calls
  }

  role(index: number): Role {
    return roles[this.#bits.at(index) & 3] as Role
  }

  line(index: number): number {
    return this.#lines.at(index)
  }

  units(index: number, meter: number): number {
    return (this.#units[meter] as Column).at(index)
  }

  /** The message starts an exchange: a user wrote it, and not while the agent was working. */
  isPrompt(index: number): boolean {
    return (this.#bits.at(index) & flag.prompt) !== 0
  }

  /** A request stands right before the message: it is the first of an assistant response, and not an inherited one. */
  isResponse(index: number): boolean {
    return (this.#bits.at(index) & flag.response) !== 0
  }

  isEmpty(index: number): boolean {
    return (this.#bits.at(index) & flag.empty) !== 0
  }

  /** It shares one wire message with the message before it. */
  continues(index: number): boolean {
    return (this.#bits.at(index) & flag.continues) !== 0
  }

  /** The harness wrote it, in the user's role. */
  isInjected(index: number): boolean {
    return (this.#bits.at(index) & flag.injected) !== 0
  }

  /** The history starts anew at this message (`/clear`): nothing before it is sent again. */
  isReset(index: number): boolean {
    return (this.#bits.at(index) & flag.reset) !== 0
  }

  /** Of an assistant message: the number of its first call. Of a tool message: the call it answers, -1 for none. */
  call(index: number): number {
    return this.#call.at(index)
  }

  callCount(index: number): number {
    return this.#bits.at(index) >> callBits
  }

  /** Index of the message that answers request `request`. */
  requestAt(request: number): number {
    return this.#requestAt.at(request)
  }

  /** Milliseconds since the epoch at which request `request` was answered; NaN where nothing is recorded. */
  requestTime(request: number): number {
    return this.#requestTime.at(request)
  }

  /** What the provider recorded for request `request`, or null. */
  usage(request: number): Usage | null {
    const at = request * counts
    const input = this.#usage.at(at)
    if (Number.isNaN(input)) return null
    return {
      input,
      cacheRead: this.#usage.at(at + 1),
      cacheWrite: this.#usage.at(at + 2),
      cacheWrite1h: this.#usage.at(at + 3),
      output: this.#usage.at(at + 4),
    }
  }

  // --- what a reader does ---

  add(message: Message): void {
    const prompt = message.role === 'user' && message.origin === undefined
    const sameResponse = message.responseId !== undefined && message.responseId === this.#response
    // What a fork inherited was answered in its parent's transcript: the same requests must not count twice.
    const inherited = this.length < (this.head.forkMessage ?? 0)
    const response = message.role === 'assistant' && !sameResponse && !inherited
    if (prompt) {
      // A call id may come again in a later exchange (hand-written data numbers them anew), so answers are forgotten.
      this.#answeredCalls.clear()
      this.#response = undefined
    }
    if (message.role === 'assistant') this.#response = message.responseId
    if (response) this.#addRequest(message)
    else if (message.role === 'assistant' && message.usage && !inherited)
      this.#setUsage(this.requests - 1, message.usage)

    const calls = this.#addCalls(message)
    this.#bits.push(
      roles.indexOf(message.role) |
        (prompt ? flag.prompt : 0) |
        (response ? flag.response : 0) |
        (isEmpty(message) ? flag.empty : 0) |
        (message.continues ? flag.continues : 0) |
        (this.#resetNext ? flag.reset : 0) |
        (message.origin === 'injected' ? flag.injected : 0) |
        (calls << callBits),
    )
    this.#resetNext = false
    this.#lines.push(message.line)
    for (let meter = 0; meter < this.#sizers.length; meter++) {
      ;(this.#units[meter] as Column).push((this.#sizers[meter] as Sizer)(message))
    }
    this.digest?.add(message)
    this.messages?.push(message)
  }

  /** Takes back every message from `length` on: an abandoned branch, a rollback. */
  rewind(length: number): void {
    if (length >= this.length) return
    for (const column of [this.#bits, this.#lines, this.#call, ...this.#units]) {
      column.truncate(length)
    }
    let requests = this.requests
    while (requests > 0 && this.requestAt(requests - 1) >= length) requests--
    for (const column of [this.#requestAt, this.#requestTime]) column.truncate(requests)
    this.#usage.truncate(requests * counts)
    this.digest?.rewind(length)
    if (this.messages) this.messages.length = length
    this.compactions = this.compactions.filter((compaction) => compaction.at < length)
    this.#response = undefined
  }

  /** The next message starts the history anew. */
  reset(): void {
    this.#resetNext = this.length > 0
  }

  #addRequest(message: Message): void {
    this.#requestAt.push(this.length)
    this.#requestTime.push(message.time ?? Number.NaN)
    for (let count = 0; count < counts; count++) this.#usage.push(Number.NaN)
    if (message.usage) this.#setUsage(this.requests - 1, message.usage)
  }

  #setUsage(request: number, usage: Usage): void {
    const at = request * counts
    this.#usage.set(at, usage.input)
    this.#usage.set(at + 1, usage.cacheRead)
    this.#usage.set(at + 2, usage.cacheWrite)
    this.#usage.set(at + 3, usage.cacheWrite1h)
    this.#usage.set(at + 4, usage.output)
  }

  /** @returns how many calls the message makes */
  #addCalls(message: Message): number {
    let first = -1
    let count = 0
    if (message.role === 'assistant') {
      first = this.#calls
      for (const block of message.blocks) {
        if (block.type !== 'call') continue
        this.#openCalls.set(block.id, this.#calls++)
        count++
      }
    } else if (message.role === 'tool' && message.callId !== undefined) {
      const open = this.#openCalls.get(message.callId)
      first = open ?? this.#answeredCalls.get(message.callId) ?? -1
      if (open !== undefined) {
        this.#openCalls.delete(message.callId)
        this.#answeredCalls.set(message.callId, open)
      }
    }
    this.#call.push(first)
    return count
  }
}
