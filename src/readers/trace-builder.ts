/** Writes a trace while its transcript is read. Only the builder may change a trace: `build` hands it out settled. */
import { Column } from '../base/column.ts'
import { fingerprint } from '../base/fingerprint.ts'
import { once } from '../base/once.ts'
import { firstWords } from '../model/first-words.ts'
import { isEmpty, type Message, type Preamble, roles, shapeOf, shapes, textOf, type Usage } from '../model/message.ts'
import { partialBit, termBits } from '../model/price-terms.ts'
import { isThought, thoughtUnits } from '../model/thoughts.ts'
import {
  type Clearing,
  type Compaction,
  columnsOf,
  countBits,
  counts,
  type Digest,
  firstFrom,
  flag,
  type PlainColumns,
  plainColumns,
  type SideCall,
  type Sizer,
  Trace,
  type TraceColumns,
  type TranscriptHead,
  usageAt,
} from '../model/trace.ts'
import { type PlainSpares, SpareSizes } from './spare-sizes.ts'

/** A call: its number, and its tool. */
interface Made {
  readonly number: number
  readonly name: string
}

/** Where a builder is between two messages, as plain data. */
class Progress {
  calls = 0
  /** Requests with usage. */
  recorded = 0
  response: string | undefined
  resetNext = false
  resumedNext = false
  /** The first words of the first prompt that has any, and its place. */
  title = ''
  titleAt = 0
}

/** A trace that is not complete yet, as plain data. */
export interface PlainBuilder {
  /** What was known when the first message was sized, and what is known now. */
  readonly begun: TranscriptHead
  readonly head: TranscriptHead
  readonly preamble: Preamble
  readonly compactions: readonly Compaction[]
  readonly clearings: readonly Clearing[]
  readonly sideCalls: readonly SideCall[]
  readonly columns: PlainColumns
  readonly spares: readonly PlainSpares[]
  readonly openCalls: ReadonlyMap<string, Made>
  readonly answeredCalls: ReadonlyMap<string, Made>
  readonly frameNumbers: ReadonlyMap<string, number>
  readonly progress: Progress
}

export class TraceBuilder {
  /** What is known so far. */
  head: TranscriptHead
  preamble: Preamble = { system: [], complete: false }
  compactions: Compaction[] = []
  clearings: Clearing[] = []
  sideCalls: SideCall[] = []
  readonly #begun: TranscriptHead
  readonly #messages: Message[] | null
  readonly #digest: Digest | null
  readonly #sizers: readonly Sizer[]
  readonly #spares: readonly SpareSizes[]
  readonly #columns: TraceColumns
  readonly #openCalls: Map<string, Made>
  readonly #answeredCalls: Map<string, Made>
  readonly #frames: Omit<Message, 'line'>[]
  readonly #frameNumbers: Map<string, number>
  readonly #progress = new Progress()

  /** @param plain of a builder without messages that is to be gone on with, with the digest it had; default: a new one */
  constructor(
    head: TranscriptHead,
    sizers: readonly Sizer[],
    keepMessages: boolean,
    digest: Digest | null = null,
    plain?: PlainBuilder,
  ) {
    this.head = head
    this.#begun = plain?.begun ?? head
    this.#sizers = sizers
    this.#messages = keepMessages ? [] : null
    this.#digest = digest
    this.#openCalls = new Map(plain?.openCalls)
    this.#answeredCalls = new Map(plain?.answeredCalls)
    this.#frameNumbers = new Map(plain?.frameNumbers)
    this.#frames = plain ? [...plain.columns.frames] : []
    this.#columns = plain
      ? { ...columnsOf(plain.columns), frames: this.#frames }
      : {
          units: sizers.map(() => Column.float64()),
          thoughtAt: Column.int32(),
          thoughts: sizers.map(() => Column.float64()),
          bits: Column.int32(),
          lines: Column.int32(),
          call: Column.int32(),
          frames: this.#frames,
          requestAt: Column.int32(),
          requestTime: Column.float64(),
          requestModel: Column.int32(),
          models: [],
          responses: Column.float64(),
          usage: Column.float64(),
        }
    const spares = sizers.flatMap((sizer, meter) => (sizer.spareFor === undefined ? [] : [[sizer, meter] as const]))
    this.#spares = spares.map(
      ([sizer, meter], nth) =>
        new SpareSizes(sizer, this.#columns, meter, sizer.spareFor as number, plain?.spares[nth]),
    )
    if (plain === undefined) return
    this.preamble = plain.preamble
    this.compactions = [...plain.compactions]
    this.clearings = [...plain.clearings]
    this.sideCalls = [...plain.sideCalls]
    Object.assign(this.#progress, plain.progress)
  }

  /** All of it but the digest. */
  plain(): PlainBuilder {
    const { head, preamble, compactions, clearings, sideCalls } = this
    return {
      begun: this.#begun,
      head,
      preamble,
      compactions,
      clearings,
      sideCalls,
      columns: plainColumns(this.#columns),
      spares: this.#spares.map((spare) => spare.plain()),
      openCalls: this.#openCalls,
      answeredCalls: this.#answeredCalls,
      frameNumbers: this.#frameNumbers,
      progress: this.#progress,
    }
  }

  /** Messages so far. */
  get length(): number {
    return this.#columns.bits.length
  }

  get #requests(): number {
    return this.#columns.requestAt.length
  }

  /** The transcript is at its end. The builder is done with: what it has goes to the trace. */
  build(): Trace {
    const trace = this.growing()
    for (const spare of this.#spares) spare.settle(trace)
    return trace
  }

  /** The trace as it is being written: whatever is added is in it at once. Of the head, the title and the cuts it has what is known now. */
  growing(): Trace {
    const { head, preamble, compactions, clearings, sideCalls } = this
    const text = { messages: this.#messages, digest: this.#digest, title: this.#progress.title || null }
    const identityOf = once(() => this.#identity())
    const callsOf = () => this.#progress.calls
    const known = {
      ...{ head, preamble, compactions, clearings, sideCalls, ...text },
      // Only a list of sessions asks for it, and it goes through all requests.
      get identity() {
        return identityOf()
      },
      get calls() {
        return callsOf()
      },
    }
    return new Trace(known, this.#columns)
  }

  #identity(): string | null {
    const { requestAt, requestTime, responses, units, usage } = this.#columns
    // Whether later requests ever had a usage, which may have been taken back, makes no difference.
    const count = (at: number) => (at < usage.length ? usage.at(at) : Number.NaN)
    const { format, conversation } = this.head
    let hasIds = false
    let hasTimes = false
    const requests = Array.from({ length: this.#requests }, (_, request) => {
      const [response, time] = [responses.at(request), requestTime.at(request)]
      if (response !== 0) hasIds = true
      if (!Number.isNaN(time)) hasTimes = true
      const size = units[0]?.at(requestAt.at(request)) ?? 0
      return `${response} ${time} ${size} ${count(request * counts)} ${count(request * counts + 4)}\n`
    })
    if (!hasIds && !(hasTimes && conversation !== null)) return null
    return `${format} ${requests.length} ${fingerprint(hasIds ? requests : [`${conversation}\n`, ...requests])}`
  }

  add(added: Message): void {
    const message = this.#named(added)
    const prompt = message.role === 'user' && message.origin === undefined
    const sameResponse = message.responseId !== undefined && message.responseId === this.#progress.response
    // What a fork inherited was answered in its parent's transcript: the same requests must not count twice.
    const inherited = this.length < (this.head.forkMessage ?? 0)
    const response = message.role === 'assistant' && !sameResponse && !inherited
    if (prompt) {
      if (this.#progress.title === '') {
        // Copied: a slice would keep the whole text alive.
        this.#progress.title = copied(firstWords(textOf(message)))
        this.#progress.titleAt = this.length
      }
      // A call id may come again in a later exchange (hand-written data numbers them anew), so answers are forgotten.
      this.#answeredCalls.clear()
      this.#progress.response = undefined
    }
    if (message.role === 'assistant') this.#progress.response = message.responseId
    if (response) this.#addRequest(message)
    else if (message.role === 'assistant' && message.usage && !inherited)
      this.#setUsage(this.#requests - 1, message.usage)

    const calls = this.#addCalls(message)
    this.#columns.bits.push(
      roles.indexOf(message.role) |
        (prompt ? flag.prompt : 0) |
        (response ? flag.response : 0) |
        (isEmpty(message) ? flag.empty : 0) |
        (message.continues ? flag.continues : 0) |
        (this.#progress.resetNext ? flag.reset : 0) |
        (message.origin === 'injected' ? flag.injected : 0) |
        (this.#progress.resumedNext ? flag.resumed : 0) |
        (shapeOf(message) & shapes.text ? flag.text : 0) |
        (message.interrupted ? flag.interrupted : 0) |
        ((message.role === 'tool' ? this.#frameOf(message) : calls) << countBits),
    )
    this.#progress.resetNext = this.#progress.resumedNext = false
    this.#columns.lines.push(message.line)
    const { units, thoughtAt, thoughts } = this.#columns
    const hasThoughts = message.blocks.some(isThought)
    if (hasThoughts) thoughtAt.push(this.length - 1)
    for (let meter = 0; meter < this.#sizers.length; meter++) {
      const sizer = this.#sizers[meter] as Sizer
      const isSpare = sizer.spareFor !== undefined
      ;(units[meter] as Column).push(isSpare ? Number.NaN : sizer(message))
      if (hasThoughts) (thoughts[meter] as Column).push(isSpare ? Number.NaN : thoughtUnits(sizer, message))
    }
    for (const spare of this.#spares) spare.add(message, this.#progress.recorded)
    this.#digest?.add(message)
    this.#messages?.push(message)
  }

  /** A result names its tool: policies go by that, and there are APIs to which it has to be told. */
  #named(message: Message): Message {
    const { role, callId, toolName } = message
    if (role !== 'tool' || callId === undefined || toolName !== undefined) return message
    const name = (this.#openCalls.get(callId) ?? this.#answeredCalls.get(callId))?.name
    return name === undefined ? message : { ...message, toolName: name }
  }

  #frameOf({ callId, toolName, isError }: Message): number {
    const frame = { callId: callId && alike(callId), toolName: toolName && alike(toolName), isError }
    const key = JSON.stringify(frame)
    let number = this.#frameNumbers.get(key)
    if (number === undefined) {
      // So many kinds are only in a file made for it; what follows is taken for one of the first kind.
      if (this.#frames.length === mostFrames) return 0
      number = this.#frames.length
      this.#frameNumbers.set(key, number)
      this.#frames.push({
        role: 'tool',
        blocks: [],
        ...Object.fromEntries(Object.entries(frame).filter(([, value]) => value !== undefined)),
      })
    }
    return number
  }

  /** Takes back every message from `length` on: an abandoned branch, a rollback. */
  rewind(length: number): void {
    if (length >= this.length) return
    const requests = this.#takeBack(length)
    this.#forgetCalls(length)
    for (const column of [this.#columns.bits, this.#columns.lines, this.#columns.call, ...this.#columns.units]) {
      column.truncate(length)
    }
    const { requestAt, requestTime, requestModel, responses, thoughtAt, thoughts } = this.#columns
    for (const column of [requestAt, requestTime, requestModel, responses]) column.truncate(requests)
    const withThoughts = firstFrom(thoughtAt, length)
    for (const column of [thoughtAt, ...thoughts]) column.truncate(withThoughts)
    this.#columns.usage.truncate(requests * counts)
    for (const spare of this.#spares) spare.rewind(length)
    this.#digest?.rewind(length)
    if (this.#progress.titleAt >= length) this.#progress.title = ''
    if (this.#messages) this.#messages.length = length
    this.compactions = this.compactions.filter((compaction) => compaction.at < length)
    this.clearings = this.clearings.filter((clearing) => clearing.at < length)
    this.#progress.response = undefined
  }

  /**
   * The requests from message `length` on are no part of the history any more. The provider billed them all the same.
   * @returns how many are left
   */
  #takeBack(length: number): number {
    const { lines, models, requestAt, requestTime, requestModel, responses } = this.#columns
    let left = this.#requests
    while (left > 0 && requestAt.at(left - 1) >= length) left--
    for (let request = left; request < this.#requests; request++) {
      const usage = usageAt(this.#columns.usage, request)
      if (usage === null) continue
      this.#progress.recorded--
      this.sideCalls.push({
        kind: 'taken-back',
        usage,
        model: models[requestModel.at(request)] ?? null,
        time: requestTime.at(request),
        line: lines.at(requestAt.at(request)),
        response: responses.at(request),
      })
    }
    return left
  }

  /** The numbers of calls that are taken back are given again: the digest has a row for each call that is left. */
  #forgetCalls(length: number): void {
    const { bits, call } = this.#columns
    let index = length
    while (index < this.length && roles[bits.at(index) & 3] !== 'assistant') index++
    if (index === this.length) return
    this.#progress.calls = call.at(index)
    for (const calls of [this.#openCalls, this.#answeredCalls])
      for (const [id, { number }] of calls) if (number >= this.#progress.calls) calls.delete(id)
  }

  /** The next message starts the history anew. */
  reset(): void {
    this.#progress.resetNext = this.length > 0
  }

  /** Before the next message the session was left and taken up again. */
  resumed(): void {
    this.#progress.resumedNext = this.length > 0
  }

  #addRequest(message: Message): void {
    this.#columns.requestAt.push(this.length)
    this.#columns.requestTime.push(message.time ?? Number.NaN)
    this.#columns.requestModel.push(this.#modelNumber(message.model))
    this.#columns.responses.push(responseNumber(message))
    if (message.usage) this.#setUsage(this.#requests - 1, message.usage)
  }

  #modelNumber(model: string | undefined): number {
    if (model === undefined) return -1
    const { models } = this.#columns
    const known = models.indexOf(model)
    return known < 0 ? models.push(model) - 1 : known
  }

  #hasUsage(request: number): boolean {
    return usageAt(this.#columns.usage, request) !== null
  }

  #setUsage(request: number, recorded: Usage): void {
    const { usage } = this.#columns
    const at = request * counts
    if (!this.#hasUsage(request)) this.#progress.recorded++
    while (usage.length < at + counts) usage.push(Number.NaN)
    usage.set(at, recorded.input)
    usage.set(at + 1, recorded.cacheRead)
    usage.set(at + 2, recorded.cacheWrite)
    usage.set(at + 3, recorded.cacheWrite1h)
    usage.set(at + 4, recorded.output)
    usage.set(at + 5, termBits(recorded.terms ?? []) | (recorded.partial ? partialBit : 0))
    usage.set(at + 6, recorded.cost ?? Number.NaN)
  }

  /** @returns how many calls the message makes */
  #addCalls(message: Message): number {
    let first = -1
    let count = 0
    if (message.role === 'assistant') {
      first = this.#progress.calls
      for (const block of message.blocks) {
        if (block.type !== 'call') continue
        this.#openCalls.set(block.id, { number: this.#progress.calls++, name: block.name })
        count++
      }
    } else if (message.role === 'tool' && message.callId !== undefined) {
      const open = this.#openCalls.get(message.callId)
      first = (open ?? this.#answeredCalls.get(message.callId))?.number ?? -1
      if (open !== undefined) {
        this.#openCalls.delete(message.callId)
        this.#answeredCalls.set(message.callId, open)
      }
    }
    this.#columns.call.push(first)
    return count
  }
}

/**
 * The number by which a response is known again, in copies too; 0 without an id. A copy may have times of its own, so only an
 * id that is too short to be the only one of its kind needs that of the response: a log may give out small numbers.
 */
export function responseNumber({ responseId: id, time = Number.NaN }: Pick<Message, 'responseId' | 'time'>): number {
  if (id === undefined) return 0
  return fingerprint(id.length < shortestUnique ? [id, `${time}`] : [id])
}

/** In characters. */
const shortestUnique = 32

/** Combinations of lengths of ids and of names. */
const mostFrames = 10_000

/** Other characters, which take as many bytes in JSON and in the ids that APIs take. */
function alike(text: string): string {
  return text
    .replace(/[ !#-[\]-~]/g, 'x')
    .replace(/[\u0080-\u07ff]/g, 'é')
    .replace(/[\u0800-\ud7ff\ue000-\uffff]/g, '今')
}

const [encoder, decoder] = [new TextEncoder(), new TextDecoder()]
const copied = (text: string): string => decoder.decode(encoder.encode(text))
