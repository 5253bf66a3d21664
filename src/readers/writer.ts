/**
 * Builds a trace from a reader's messages. They wait until the model is known (most formats name it on the first response),
 * because the model decides how they are sized. If none is named, they wait for a limited number of messages.
 */
import { defined } from '../base/defined.ts'
import type { BesideUsage, Message, Preamble } from '../model/message.ts'
import type { Clearing, Compaction, Digest, SideCall, Sizer, Trace, TranscriptHead } from '../model/trace.ts'
import type { Finding, FindingCode, Learnt, TranscriptWriter } from './reader.ts'
import { type PlainBuilder, responseNumber, TraceBuilder } from './trace-builder.ts'
import { isSound, withSoundUsage } from './wire/usage.ts'
import { isName } from './wire/words.ts'

/** How messages are sized, once their provider and model are known: one function per meter. */
export type SizersFor = (head: TranscriptHead) => readonly Sizer[]

/** What else is kept of a transcript's text; null if nothing. @param state as in `DigestKind.of` */
export type DigestFor = (head: TranscriptHead, state?: unknown) => Digest | null

export interface WriterOptions {
  readonly sizersFor: SizersFor
  /** What to say of the sizes that a transcript brings along; default nothing. */
  readonly ofItsSizes?: (head: TranscriptHead) => FindingCode | null
  /** Keep the text of the messages in the traces. */
  readonly keepMessages: boolean
  readonly digestFor?: DigestFor
}

/** In characters, of a path of keys that is printed. */
const longestPath = 80

/** A path of a transcript is printed where it looks like names. */
export function unreadUsage(path: string, line: number): Finding {
  const isNamed = path.length <= longestPath && path.split('.').every(isName)
  return { code: 'unread-usage', kind: path, line, ...(isNamed && { key: path }) }
}

// In messages: longer than any prelude seen before a first response, and few enough to hold.
const patience = 256

/** What waits for the model, as plain data. */
class Waiting {
  preamble: Preamble = { system: [], complete: false }
  messages: Message[] = []
  compactions: Compaction[] = []
  clearings: Clearing[] = []
  sideCalls: SideCall[] = []
  resets: number[] = []
  resumptions: number[] = []
}

/** A writer as plain data. */
export interface PlainWriter {
  readonly head: TranscriptHead
  readonly waiting: Waiting
  /** Null while messages wait. */
  readonly built: { readonly builder: PlainBuilder; readonly digest: unknown } | null
}

export class TraceWriter implements TranscriptWriter {
  #head: TranscriptHead
  readonly #waiting = new Waiting()
  #builder: TraceBuilder | null = null
  #digest: Digest | null = null
  #closed = false
  readonly #sizersFor: SizersFor
  readonly #ofItsSizes: (head: TranscriptHead) => FindingCode | null
  readonly #keepMessages: boolean
  readonly #digestFor: DigestFor
  readonly #finding: (finding: Finding) => void
  readonly #billed: (usage: BesideUsage['usage']) => void
  readonly #done: (trace: Trace) => void

  constructor(
    head: TranscriptHead,
    options: WriterOptions,
    told: {
      readonly finding: (finding: Finding) => void
      /** Of each response and side call, also where it counts in another transcript. */
      readonly billed: (usage: BesideUsage['usage']) => void
    },
    done: (trace: Trace) => void,
    plain?: PlainWriter,
  ) {
    this.#head = head
    this.#sizersFor = options.sizersFor
    this.#ofItsSizes = options.ofItsSizes ?? (() => null)
    this.#keepMessages = options.keepMessages
    this.#digestFor = options.digestFor ?? (() => null)
    this.#finding = told.finding
    this.#billed = told.billed
    this.#done = done
    if (plain === undefined) return
    Object.assign(this.#waiting, plain.waiting)
    if (plain.built === null) return
    const { builder, digest } = plain.built
    // Sizes and digest go on as they were begun, even if more has been learnt about the transcript since.
    this.#digest = digest === null ? null : this.#digestFor(builder.begun, digest)
    this.#builder = new TraceBuilder(builder.head, this.#sizersFor(builder.begun), false, this.#digest, builder)
  }

  /** Null where the text of messages or a digest cannot be written down. */
  plain(): PlainWriter | null {
    const builder = this.#builder
    if (this.#keepMessages || (this.#digest !== null && !this.#digest.state)) return null
    return {
      head: this.#head,
      waiting: this.#waiting,
      built: builder && { builder: builder.plain(), digest: this.#digest?.state?.() ?? null },
    }
  }

  get length(): number {
    return this.#builder?.length ?? this.#waiting.messages.length
  }

  describe(head: Learnt): void {
    this.#head = { ...this.#head, ...defined(head), model: this.#head.model ?? head.model ?? null }
    if (this.#builder) this.#builder.head = this.#head
  }

  preamble(preamble: Preamble): void {
    this.#waiting.preamble = preamble
    if (this.#builder) this.#builder.preamble = preamble
  }

  message(written: Message): void {
    if (written.usage) this.#billed(written.usage)
    const message = this.#withoutBeside(this.#sound(written))
    if (message.model !== undefined && this.#head.model === null) this.describe({ model: message.model })
    if (this.#builder) this.#builder.add(message)
    else {
      this.#waiting.messages.push(message)
      if (this.#head.model !== null || this.#waiting.messages.length >= patience) this.#begin()
    }
  }

  rewind(length: number): void {
    // What comes next is the fork's own, wherever it begins.
    if (length < (this.#head.forkMessage ?? 0)) this.describe({ forkMessage: length })
    if (this.#builder) this.#builder.rewind(length)
    else if (length < this.#waiting.messages.length) {
      // The builder knows which of them were requests.
      if (this.#waiting.messages.slice(length).some(({ usage }) => usage !== undefined)) {
        this.#begin().rewind(length)
        return
      }
      this.#waiting.messages.length = length
      this.#waiting.compactions = this.#waiting.compactions.filter((compaction) => compaction.at < length)
      this.#waiting.clearings = this.#waiting.clearings.filter((clearing) => clearing.at < length)
      this.#waiting.resets = this.#waiting.resets.filter((at) => at < length)
      this.#waiting.resumptions = this.#waiting.resumptions.filter((at) => at < length)
    }
  }

  reset(): void {
    if (this.#builder) this.#builder.reset()
    else this.#waiting.resets.push(this.#waiting.messages.length)
  }

  resumed(): void {
    if (this.#builder) this.#builder.resumed()
    else this.#waiting.resumptions.push(this.#waiting.messages.length)
  }

  compaction(compaction: Compaction): void {
    // Neither this nor a reset may begin the measuring before the model is known, so they wait with the messages.
    const compactions = this.#builder?.compactions ?? this.#waiting.compactions
    compactions.push(compaction)
  }

  clearing(clearing: Clearing): void {
    const clearings = this.#builder?.clearings ?? this.#waiting.clearings
    clearings.push(clearing)
  }

  sideCall(call: SideCall): void {
    this.#billed(call.usage)
    if (!isSound(call.usage)) {
      this.#finding({ code: 'bad-usage', line: call.line })
      return
    }
    const sideCalls = this.#builder?.sideCalls ?? this.#waiting.sideCalls
    sideCalls.push({ ...call, usage: this.#withoutUnread(call.usage, call.line) })
  }

  /** The usage without the counts that nobody reads, which are reported. */
  #withoutUnread<Given extends BesideUsage['usage']>(usage: Given, line: number): Given {
    if (usage.unread === undefined) return usage
    const { unread, ...rest } = usage
    for (const path of unread) this.#finding(unreadUsage(path, line))
    return rest as Given
  }

  /**
   * The message without the calls that are billed beside its request: they are calls of the transcript. Each line of a
   * response may repeat them, and the last line has them all.
   */
  #withoutBeside(message: Message): Message {
    if (!message.usage?.beside) return message
    const { beside, ...usage } = message.usage
    this.#addBeside(message, beside)
    return { ...message, usage }
  }

  #addBeside(message: Message, calls: readonly BesideUsage[]): void {
    if (this.length < (this.#head.forkMessage ?? 0)) return
    const { line, model, time = Number.NaN } = message
    const response = responseNumber(message)
    const sideCalls = this.#builder?.sideCalls ?? this.#waiting.sideCalls
    while (response !== 0 && sideCalls.at(-1)?.response === response) sideCalls.pop()
    for (const call of calls) this.sideCall({ ...call, model: call.model ?? model ?? null, time, line, response })
  }

  /** The message without an invalid usage. That of an inherited message is reported for the parent, not for the fork. */
  #sound(message: Message): Message {
    const sound = withSoundUsage(message)
    if (sound !== message && this.length >= (this.#head.forkMessage ?? 0))
      this.#finding({ code: 'bad-usage', line: message.line })
    return sound.usage?.unread ? { ...sound, usage: this.#withoutUnread(sound.usage, message.line) } : sound
  }

  close(): void {
    if (this.#closed) return
    this.#closed = true
    this.#done(this.#begin().build())
  }

  #begin(): TraceBuilder {
    if (!this.#builder) {
      const head = this.#head
      const code = this.#ofItsSizes(head)
      if (code !== null) this.#finding({ code, line: this.#waiting.messages[0]?.line ?? 1 })
      this.#digest = this.#digestFor(head)
      const builder = new TraceBuilder(head, this.#sizersFor(head), this.#keepMessages, this.#digest)
      builder.preamble = this.#waiting.preamble
      builder.compactions = this.#waiting.compactions
      builder.clearings = this.#waiting.clearings
      builder.sideCalls = this.#waiting.sideCalls
      for (const [index, message] of this.#waiting.messages.entries()) {
        if (this.#waiting.resets.includes(index)) builder.reset()
        if (this.#waiting.resumptions.includes(index)) builder.resumed()
        builder.add(message)
      }
      if (this.#waiting.resets.includes(this.#waiting.messages.length)) builder.reset()
      if (this.#waiting.resumptions.includes(this.#waiting.messages.length)) builder.resumed()
      this.#waiting.messages = []
      this.#builder = builder
    }
    return this.#builder
  }
}
