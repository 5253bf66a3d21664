/**
 * A transcript as the simulator replays it: one row per message, in columns, without the text (libCacheSim's trace).
 * Sizes are in the units of the meters that read the messages as they went by, so a trace costs some forty bytes a
 * message, however long the transcript's text is. Messages themselves are kept only where something asks for text.
 */
import { Column } from '../base/column.ts'
import { keyOf } from '../base/key.ts'
import type { Memos } from './memos.ts'
import {
  type BesideUsage,
  type Block,
  type Message,
  type Preamble,
  type ProviderName,
  type Role,
  roles,
  shapes,
  type Usage,
} from './message.ts'
import { partialBit, termsOf } from './price-terms.ts'
import { plainly, type Redaction } from './redaction.ts'

/** What is known of a transcript as a whole. */
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
  /** Of the program that recorded it, where the format says. */
  readonly version?: string
  /** The context window that the session had, in tokens, where the format says: programs set limits of their own. */
  readonly window?: number
  /**
   * The file begins in the middle of the conversation. Its first message stands for what came before: nothing is known of
   * that but what the provider counted.
   */
  readonly headless?: boolean
  /** What the program itself says that all of the session cost, sub-agents too, in US dollars; absent where it does not say. */
  readonly cost?: number
  /** By what the sizes were counted that the transcript brings along, in their order. */
  readonly sizedBy?: readonly SizedBy[]
}

/** An estimator by which the words were counted that a transcript had before they were replaced. */
export interface SizedBy {
  readonly name: string
  readonly version: number
  readonly values: Readonly<Record<string, unknown>>
  /** What was asked for in place of what the transcript says; null for nothing. */
  readonly model: string | null
  readonly provider: ProviderName | null
  /** Units of a request without messages. */
  readonly preamble: number
}

/** A compaction that the recorded agent did itself: what it kept is not part of the history, but can be replayed. */
export interface Compaction {
  /** Index of the first message that came after it. */
  readonly at: number
  /** Index of the first message that stayed in front of `at` (equal to `at` when nothing but the summary did). */
  readonly keptFrom: number
  readonly summary: readonly Message[]
  /** Of the summary no word can be read: something of its usual size stands for it. */
  readonly sealed?: true
  /** What the agent put back in behind the summary: files, skills. Where the transcript records it, messages show it. */
  readonly restored?: readonly Message[]
  /** What was put back in are the first messages of the transcript: they never left. */
  readonly head?: true
  readonly line: number
}

/** What the recorded agent took out of its context without a summary. */
export interface Clearing {
  /** Index of the first message that came after it. */
  readonly at: number
  /** By index of a message that stands in front of `at`: what is left of its content. */
  readonly left: ReadonlyMap<number, readonly Block[]>
  /** Units of the messages that are left, as in `Message.sizes`. */
  readonly sizes?: ReadonlyMap<number, readonly number[]>
  /** What the last compaction had put back in is gone, too. */
  readonly restored: boolean
  readonly line: number
}

/** A call that the provider billed and that no policy decides about; see `SideCallKind`. */
export interface SideCall extends BesideUsage {
  /** In milliseconds since 1970; NaN where none is recorded. */
  readonly time: number
  readonly line: number
  /** As `Trace.response`: 0 where it has no id of its own. */
  readonly response: number
  /** Of what is `summed`, where it is known: all requests that answer with a message from `from` to before `to`. */
  readonly span?: { readonly from: number; readonly to: number }
}

/** Sizes one message by itself, in the units of one estimator. */
export interface Sizer {
  (message: Message): number
  /** The reasoning in a message, where the transcript brings its size along; undefined where it does not. */
  thoughts?(message: Message): number | undefined
  /**
   * Index of the sizer that this one is slower and better than: it is asked only where a transcript records too little usage
   * to correct the other. Its column is NaN where it was not asked.
   */
  readonly spareFor?: number
}

/** What is kept of the messages' text besides sizes: it reads every message as it goes by, and lets the text go. */
export interface Digest {
  add(message: Message): void
  /** Takes back every message from `length` on. */
  rewind(length: number): void
  /** All that it keeps, for `DigestKind.revived`; asked when the transcript is complete. */
  plain(): unknown
  /** All that it needs to read on, for `DigestKind.of`; asked between two messages. Absent where it cannot read on. */
  state?(): unknown
}

/** A kind of digest: makes that of each transcript. */
export interface DigestKind {
  /** Another one for everything that keeps something else. */
  readonly name: string
  /**
   * Null where nothing of the transcript's text is kept.
   * @param state of the digest that is to be read on with; default: a new one
   */
  of(head: TranscriptHead, state?: unknown): Digest | null
  /** The digest that was `plain`. */
  revived(plain: unknown): Digest
  /** The kind that keeps a part of the same, and that part out of what this one's digest was as plain data. */
  readonly lighter?: { readonly kind: DigestKind; partOf(plain: unknown): unknown }
}

/** Nothing is kept of a transcript's text. */
export const noDigest: DigestKind = {
  name: 'nothing',
  of: () => null,
  revived: () => {
    throw new TypeError('there is no digest of this kind')
  },
}

// The yes-or-no facts of a message, in one integer: the role in the lowest two bits, then these flags, then how many calls
// it makes. A tool message makes none: there it is the number of its frame.
export const flag = {
  prompt: 4,
  response: 8,
  empty: 16,
  continues: 32,
  reset: 64,
  injected: 128,
  resumed: 256,
  text: 512,
  interrupted: 1024,
} as const
export const countBits = 11

/** How many numbers a usage has. */
export const counts = 7

/** One row per message, or per request: what a `TraceBuilder` fills in. */
export interface TraceColumns {
  /** By meter. */
  readonly units: readonly Column[]
  /** The messages with reasoning, and units of it by meter. */
  readonly thoughtAt: Column<Int32Array>
  readonly thoughts: readonly Column[]
  readonly bits: Column<Int32Array>
  readonly lines: Column<Int32Array>
  /** Calls are numbered through the transcript: an assistant message makes a range of them, a tool message answers one. */
  readonly call: Column<Int32Array>
  /** What tool messages have besides their content, each kind once: an id and a name as long as theirs. */
  readonly frames: readonly Omit<Message, 'line'>[]
  readonly requestAt: Column<Int32Array>
  readonly requestTime: Column
  /** Index in `models` of the model that answered, -1 where nobody says. */
  readonly requestModel: Column<Int32Array>
  readonly models: string[]
  /** Of each request, a number for the id of its response; 0 where it has none. */
  readonly responses: Column
  /**
   * Seven numbers per request, the last of them `termBits` and the recorded cost (NaN for none), up to the last request that has a usage. One column, because a data set has ten thousand
   * transcripts, and each column is an allocation.
   */
  readonly usage: Column
}

/** The place of the first value not below `least` in an ascending column. */
export function firstFrom(column: Column<Int32Array>, least: number): number {
  let [low, high] = [0, column.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if (column.at(middle) < least) low = middle + 1
    else high = middle
  }
  return low
}

/** The columns of a trace as plain data. */
export type PlainColumns = {
  readonly [Key in keyof TraceColumns]: TraceColumns[Key] extends Column<infer Store>
    ? Store
    : TraceColumns[Key] extends readonly Column[]
      ? readonly Float64Array[]
      : TraceColumns[Key]
}

/** What the column of usage says of request `request`; null where nothing was recorded. */
export function usageAt(usage: Column, request: number): Usage | null {
  const at = request * counts
  const input = usage.at(at)
  if (at >= usage.length || Number.isNaN(input)) return null
  const recorded: { -readonly [Key in keyof Usage]: Usage[Key] } = {
    input,
    cacheRead: usage.at(at + 1),
    cacheWrite: usage.at(at + 2),
    cacheWrite1h: usage.at(at + 3),
    output: usage.at(at + 4),
  }
  // Assigned, and not spread: this is asked for dozens of times for each request, and a spread took a twentieth of a run.
  const cost = usage.at(at + 6)
  if (cost >= 0) recorded.cost = cost
  const bits = usage.at(at + 5)
  if ((bits & ~partialBit) > 0) recorded.terms = termsOf(bits)
  return recorded
}

/** A trace without messages as plain data, which the structured clone algorithm carries to a file or to another thread. */
export interface PlainTrace
  extends Pick<
    Trace,
    'head' | 'preamble' | 'compactions' | 'clearings' | 'sideCalls' | 'title' | 'calls' | 'identity'
  > {
  readonly columns: PlainColumns
  readonly digest: unknown
}

export function columnsOf(plain: PlainColumns): TraceColumns {
  const { units, thoughtAt, thoughts, bits, lines, call, requestAt, requestTime, ...more } = plain
  const { requestModel, responses, usage, ...rest } = more
  return {
    ...rest,
    units: units.map(Column.of),
    thoughtAt: Column.of(thoughtAt),
    thoughts: thoughts.map(Column.of),
    bits: Column.of(bits),
    lines: Column.of(lines),
    call: Column.of(call),
    requestAt: Column.of(requestAt),
    requestTime: Column.of(requestTime),
    requestModel: Column.of(requestModel),
    responses: Column.of(responses),
    usage: Column.of(usage),
  }
}

export function plainColumns(columns: TraceColumns): PlainColumns {
  const { units, thoughtAt, thoughts, bits, lines, call, requestAt, requestTime, ...more } = columns
  const { requestModel, responses, usage, ...rest } = more
  return {
    ...rest,
    units: units.map((column) => column.values()),
    thoughtAt: thoughtAt.values(),
    thoughts: thoughts.map((column) => column.values()),
    bits: bits.values(),
    lines: lines.values(),
    call: call.values(),
    requestAt: requestAt.values(),
    requestTime: requestTime.values(),
    requestModel: requestModel.values(),
    responses: responses.values(),
    usage: usage.values(),
  }
}

/** Something has not been found out before. */
class NotFoundOut extends Error {}

/** A transcript that has been read to its end, so that nothing of it changes any more; or as it is being written (`TraceBuilder.growing`). */
export class Trace {
  readonly head: TranscriptHead
  readonly preamble: Preamble
  readonly compactions: readonly Compaction[]
  readonly clearings: readonly Clearing[]
  /** Calls that were billed beside the requests, in the order in which they were recorded. */
  readonly sideCalls: readonly SideCall[]
  /** Present where the reader was asked to keep the text, else null. */
  readonly messages: readonly Message[] | null
  /** Present where something asked for it. */
  readonly digest: Digest | null
  /** The user's first words; null without any. */
  readonly title: string | null
  /** @internal What stands in for the words of its text where they are printed. Those of `head` and `title` are replaced already. */
  readonly redaction: Redaction
  /** With the requests that `withoutRequests` left out; itself where there are none. */
  readonly whole: Trace
  readonly #known: Pick<Trace, 'identity' | 'calls'>
  #memos: Memos = new Map()
  /** What tells the memos of a part from those of the whole, which are kept together. */
  #part = ''
  #onlyRecalls = false
  readonly #columns: TraceColumns
  readonly #seen: number
  readonly #units: readonly Column[]
  readonly #bits: Column<Int32Array>
  readonly #lines: Column<Int32Array>
  readonly #call: Column<Int32Array>
  readonly #requestAt: Column<Int32Array>
  readonly #requestTime: Column
  readonly #usage: Column

  /** @internal A `TraceBuilder` makes traces. @param seen usage is known of so many requests. @param whole default itself */
  constructor(
    known: Pick<
      Trace,
      | 'head'
      | 'preamble'
      | 'compactions'
      | 'clearings'
      | 'sideCalls'
      | 'messages'
      | 'digest'
      | 'title'
      | 'calls'
      | 'identity'
    > & { readonly redaction?: Redaction },
    columns: TraceColumns,
    seen = Infinity,
    whole?: Trace,
  ) {
    this.whole = whole ?? this
    this.redaction = known.redaction ?? plainly
    this.#columns = columns
    this.#seen = seen
    this.head = known.head
    this.preamble = known.preamble
    this.compactions = known.compactions
    this.clearings = known.clearings
    this.sideCalls = known.sideCalls
    this.messages = known.messages
    this.digest = known.digest
    this.title = known.title
    this.#known = known
    this.#units = columns.units
    this.#bits = columns.bits
    this.#lines = columns.lines
    this.#call = columns.call
    this.#requestAt = columns.requestAt
    this.#requestTime = columns.requestTime
    this.#usage = columns.usage
  }

  /** @internal The same transcript, of which `plain` was asked. @param messages its text, where it is wanted */
  static of({ columns, digest, ...known }: PlainTrace, kind: DigestKind, messages: Trace['messages'] = null): Trace {
    const read = { ...known, messages, digest: digest === null ? null : kind.revived(digest) }
    return new Trace(read, columnsOf(columns))
  }

  /** @internal All of it but the text of its messages. */
  plain(): PlainTrace {
    const { head, preamble, compactions, clearings, sideCalls, title, calls, identity } = this
    return {
      head,
      preamble,
      compactions,
      clearings,
      sideCalls,
      title,
      calls,
      identity,
      columns: plainColumns(this.#columns),
      digest: this.digest?.plain() ?? null,
    }
  }

  /**
   * Equal for the same session wherever it is stored: by the ids of its responses, or the conversation's own id and its times,
   * with usage and sizes. Null where nothing of that is recorded, so that nothing can be said.
   */
  get identity(): string | null {
    return this.#known.identity
  }

  /** How many tool calls the transcript makes. */
  get calls(): number {
    return this.#known.calls
  }

  /** @internal From now on, what is found out of it is added to `memos`, and what is there is not found out again. */
  keep(memos: Memos): void {
    this.#memos = memos
  }

  /**
   * @internal What is found out of it, under any policy and budget.
   * @param key what is found, and the key of all that it depends on besides the transcript and how it was read; null where nobody
   *   knows that, and it is found each time
   * @param find its result is plain data
   */
  memo<Found>(key: string | null, find: () => Found): Found {
    const own = key === null ? null : key + this.#part
    if (own !== null && this.#memos.has(own)) return this.#memos.get(own) as Found
    if (this.#onlyRecalls) throw new NotFoundOut()
    const found = find()
    if (own !== null) this.#memos.set(own, found)
    return found
  }

  /** @internal Whether all that `ask` asks `memo` for has been found out. */
  recalls(ask: () => unknown): boolean {
    this.#onlyRecalls = true
    try {
      ask()
      return true
    } catch (error) {
      if (error instanceof NotFoundOut) return false
      throw error
    } finally {
      this.#onlyRecalls = false
    }
  }

  /** Messages of the conversation; the system prompt is not among them. */
  get length(): number {
    return this.#bits.length
  }

  /** How many requests to the model the transcript shows: one per response. */
  get requests(): number {
    return this.#requestAt.length
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

  /** Units of the reasoning in message `index`, as far as the transcript has it. */
  thoughts(index: number, meter: number): number {
    const { thoughtAt, thoughts } = this.#columns
    const nth = firstFrom(thoughtAt, index)
    return thoughtAt.at(nth) === index && nth < thoughtAt.length ? (thoughts[meter] as Column).at(nth) : 0
  }

  /** Whether a meter has sized every message; see `Sizer.spareFor`. */
  isSized(meter: number): boolean {
    return this.length === 0 || !Number.isNaN(this.#units[meter]?.at(this.length - 1) ?? Number.NaN)
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

  /** See `shapes`. */
  shape(index: number): number {
    const bits = this.#bits.at(index)
    const role = (bits & 3) + 1
    const calls = role === shapes.answer && bits >> countBits > 0 ? shapes.calls : 0
    return role | calls | (bits & flag.text ? shapes.text : 0) | (bits & flag.continues ? shapes.continues : 0)
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

  /** The session was left and taken up again right before this message. */
  isResumed(index: number): boolean {
    return (this.#bits.at(index) & flag.resumed) !== 0
  }

  /** The message starts an exchange in which the user stopped the agent. */
  isInterrupted(index: number): boolean {
    return (this.#bits.at(index) & flag.interrupted) !== 0
  }

  /** Of an assistant message: the number of its first call. Of a tool message: the call it answers, -1 for none. */
  call(index: number): number {
    return this.#call.at(index)
  }

  callCount(index: number): number {
    return this.role(index) === 'tool' ? 0 : this.#bits.at(index) >> countBits
  }

  /** A message with other content. The text need not be kept: the ids it had are of the same length, but not the same. */
  withContent(index: number, blocks: readonly Block[]): Message {
    const role = this.role(index)
    const line = this.line(index)
    if (role !== 'tool') return { role, line, blocks }
    return { ...this.#columns.frames[this.#bits.at(index) >> countBits]!, line, blocks }
  }

  /** Index of the message that answers request `request`. */
  requestAt(request: number): number {
    return this.#requestAt.at(request)
  }

  /** The first request that message `index` or a later one answers; as many as there are requests where none does. */
  requestFrom(index: number): number {
    let [low, high] = [0, this.requests]
    while (low < high) {
      const middle = (low + high) >> 1
      if (this.requestAt(middle) < index) low = middle + 1
      else high = middle
    }
    return low
  }

  /** Milliseconds since the epoch at which request `request` was answered; NaN where nothing is recorded. */
  requestTime(request: number): number {
    return this.#requestTime.at(request)
  }

  /** The same transcript, as if nobody had counted request `request` and those after it; what their responses came to is known. */
  withoutUsageFrom(request: number): Trace {
    return new Trace(this, this.#columns, request)
  }

  /** @internal The same transcript, with pseudonyms for its words wherever they are printed. What it says is still there to count. */
  redacted(redaction: Redaction): Trace {
    const { file, conversation, model, cwd, parent, version, ...rest } = this.head
    const { text } = redaction
    const head = {
      ...rest,
      file: redaction.file(file),
      conversation: conversation === null ? null : text(conversation),
      model: model === null ? null : redaction.model(model),
      cwd: cwd === null ? null : text(cwd),
      parent: parent === null ? null : text(parent),
      ...(version !== undefined && { version: /^\d+(?:\.\d+){0,3}$/.test(version) ? version : text(version) }),
    }
    const { preamble, compactions, clearings, messages, digest, calls, identity } = this
    const title = this.title === null ? null : text(this.title)
    const sideCalls = this.sideCalls.map((call) =>
      call.model === null ? call : { ...call, model: redaction.model(call.model) },
    )
    const known = {
      preamble,
      compactions,
      clearings,
      sideCalls,
      messages,
      digest,
      calls,
      identity,
      head,
      title,
      redaction,
    }
    return new Trace(known, { ...this.#columns, models: this.#columns.models.map(redaction.model) }, this.#seen)
  }

  /**
   * The same transcript without requests that another one has, too: as in a fork, their messages are history here.
   * @param others numbers of requests, and behind them of side calls
   */
  withoutRequests(others: ReadonlySet<number>): Trace {
    const { bits, requestAt, requestTime, requestModel, responses, usage } = this.#columns
    const columns = {
      ...this.#columns,
      bits: Column.int32(),
      requestAt: Column.int32(),
      requestTime: Column.float64(),
      requestModel: Column.int32(),
      responses: Column.float64(),
      usage: Column.float64(),
    }
    for (let index = 0; index < bits.length; index++) columns.bits.push(bits.at(index))
    for (let request = 0; request < this.requests; request++) {
      const at = requestAt.at(request)
      if (others.has(request)) {
        columns.bits.set(at, bits.at(at) & ~flag.response)
        continue
      }
      columns.requestAt.push(at)
      columns.requestTime.push(requestTime.at(request))
      columns.requestModel.push(requestModel.at(request))
      columns.responses.push(responses.at(request))
      for (let count = request * counts; count < (request + 1) * counts; count++) {
        columns.usage.push(count < usage.length ? usage.at(count) : Number.NaN)
      }
    }
    const { head, preamble, compactions, clearings, messages, digest, title, calls, redaction } = this
    const identityOf = () => this.identity
    const known = {
      ...{ head, preamble, compactions, clearings, messages, digest, title, calls, redaction },
      sideCalls: this.sideCalls.filter((_, index) => !others.has(this.requests + index)),
      get identity() {
        return identityOf()
      },
    }
    const part = new Trace(known, columns, Infinity, this)
    part.#memos = this.#memos
    part.#part = `, without ${keyOf([...others].sort((one, other) => one - other))}`
    return part
  }

  /** The model that answered request `request`; null where nobody says, neither of the response nor of the transcript. */
  requestModel(request: number): string | null {
    return this.#columns.models[this.#columns.requestModel.at(request)] ?? this.head.model
  }

  /** A number for the id of the response to request `request`: the same wherever it is stored. 0 where it has no id. */
  response(request: number): number {
    return this.#columns.responses.at(request)
  }

  /** What the provider recorded for request `request`, or null. */
  usage(request: number): Usage | null {
    return request >= this.#seen ? null : usageAt(this.#usage, request)
  }

  /** Whether the response went on behind its recorded usage, as far as that is known: see `Usage.partial`. */
  isPartial(request: number): boolean {
    const at = request * counts + 5
    return at < this.#usage.length && (this.#usage.at(at) & partialBit) !== 0
  }

  /** Output tokens that the provider counted for the response to request `request`, also where `usage` is hidden; null if it did not. */
  output(request: number): number | null {
    return usageAt(this.#usage, request)?.output ?? null
  }
}
