/**
 * Reads conversations in a provider's own wire form, in any layout: one conversation, one request or one message per
 * record. A dialect (OpenAI's, Anthropic's) interprets the messages.
 */

import { objectOf, stringOf } from '../../base/json.ts'
import type { Message, ProviderName } from '../../model/message.ts'
import {
  bad,
  duplicate,
  type LeftOut,
  type Outcome,
  type ReaderContext,
  type Reading,
  type Shape,
  type TranscriptWriter,
  tell,
} from '../reader.ts'
import { type Body, bodyOf, sessionOf } from './bodies.ts'
import { type Entry, Growing, type Grown, held } from './growing.ts'
import { oddIn } from './shape.ts'

export interface Dialect {
  readonly provider: ProviderName
  /** Messages without a body around them are taken for everything that was sent. */
  readonly completeAlone: boolean
  /** What a message must hold. */
  readonly shape?: Shape
  /** Finds the request in a record, where it is not in `messages`. */
  bodyOf?(record: unknown): Body | null
  /** Finds the requests in a record that may hold several; null if it is no record of the format. */
  bodiesOf?(record: unknown): readonly Body[] | null
  begin(opening: Opening, writer: TranscriptWriter, finding: Finder): Mapping
}

/** What a record holds beside the messages of its conversation. */
export interface Opening {
  readonly system?: unknown
  readonly tools?: readonly unknown[] | undefined
  readonly complete: boolean
}

/** Called with the line of a record that should be a message but is not. */
export type Finder = (line: number) => void

const noMessage: LeftOut = { code: 'no-message' }

/** Turns the recorded messages of one conversation into canonical ones. */
export interface Mapping {
  add(entry: Entry): void
  /** No more messages will come. */
  end(): void
}

/** A message under construction: setting its properties one by one is many times as fast as spreading objects. */
export type Draft = { -readonly [Key in keyof Message]: Message[Key] }

export function readConversations(context: ReaderContext, dialect: Dialect): Reading {
  let strangers = 0
  const notUsed: Finder = (line) => {
    strangers++
    context.notUsed({ ...noMessage, line })
  }
  const inside: Finder = (line) => {
    strangers++
    context.finding({ ...noMessage, line })
  }
  const growing = new Growing(writeGrown)
  const lone = new LoneMessages(openLone, put, notUsed, context.elements)

  function put(mapping: Mapping, entry: Entry): void {
    const before = strangers
    mapping.add(entry)
    const isTold = strangers > before || entry.reply?.odd !== undefined
    tell(context, dialect.shape && !isTold ? oddIn(dialect.shape, entry.value) : null, entry.line)
  }

  function writeGrown({ entries, body, line }: Grown, alone: boolean): void {
    if (!isConversation(entries)) {
      // In a record with several requests the other requests are still used.
      if (dialect.bodiesOf) inside(line)
      else notUsed(line)
      return
    }
    const { bare, system, tools, model } = body
    const conversation = body.session ?? body.id ?? (alone ? null : `line:${line}`)
    const writer = context.open({ conversation, provider: dialect.provider })
    if (model !== null) writer.describe({ model })
    const mapping = dialect.begin({ system, tools, complete: !bare || dialect.completeAlone }, writer, inside)
    for (const entry of entries) put(mapping, entry)
    mapping.end()
    writer.close()
  }

  function openLone(conversation: string | null): Written {
    const writer = context.open({ conversation, provider: dialect.provider })
    return { writer, mapping: dialect.begin({ complete: dialect.completeAlone }, writer, notUsed) }
  }

  function addAll(bodies: readonly Body[], line: number): Outcome {
    const requests = bodies.filter(({ messages }) => messages.length > 0)
    if (requests.length === 0) return 'no-context'
    const added = requests.filter((body) => growing.add(body, line))
    report(added, line)
    return added.length > 0 ? 'used' : duplicate
  }

  /** Reports what of these requests and of their responses was not read. */
  function report(bodies: readonly Body[], line: number): void {
    if (bodies.some(({ reply }) => reply.unread)) context.finding({ code: 'unknown-response', line })
    const key = bodies.map(({ odd, reply }) => odd ?? reply.odd).find((key) => key !== undefined)
    if (key !== undefined) context.finding({ code: 'bad-shape', key, line })
  }

  return {
    record(value, line) {
      if (dialect.bodiesOf) {
        const bodies = dialect.bodiesOf(value)
        return bodies ? addAll(bodies, line) : bad
      }
      const body = dialect.bodyOf ? dialect.bodyOf(value) : bodyOf(value)
      if (body) return addAll([body], line)
      if (stringOf(objectOf(value)?.role) === undefined) return noMessage
      lone.add({ value, line })
      return 'used'
    },
    end() {
      growing.end()
      lone.end()
    },
  }
}

/** Called for each request that lacks what was said, with why it is left out. */
export type Lack = (found: LeftOut) => void

/**
 * The same of records whose requests may lack what was said.
 * @param bodiesOf the requests in a record
 * @param shape what a record must hold: asked where one is left out, which nobody else does
 * @param gravest the finding to report before others
 */
export function readIncomplete(
  context: ReaderContext,
  dialect: Dialect,
  bodiesOf: (record: unknown, lack: Lack) => readonly Body[] | null,
  shape: Shape,
  gravest?: LeftOut,
): Reading {
  let lacks: LeftOut[] = []
  const reading = readConversations(context, {
    ...dialect,
    bodiesOf: (record) => bodiesOf(record, (found) => lacks.push(found)),
  })
  return {
    record(value, line) {
      lacks = []
      const outcome = reading.record(value, line)
      const found = lacks.find((each) => each === gravest) ?? lacks[0]
      if (!found) return outcome
      if (outcome === 'no-context') return oddIn(shape, value) ?? found
      context.finding({ ...found, line })
      return outcome
    },
    end: () => reading.end(),
  }
}

/** A lone response is no conversation: it is most often a test fixture. A system prompt alone is one that is empty. */
function isConversation(entries: readonly Entry[]): boolean {
  return entries.length >= 2 || entries.some(({ value }) => opening.has(objectOf(value)?.role))
}

const opening: ReadonlySet<unknown> = new Set(['user', 'system', 'developer'])

interface Written {
  readonly writer: TranscriptWriter
  readonly mapping: Mapping
}

interface Lone {
  readonly name: string | null
  readonly session: string | null
  readonly line: number
  /** The messages until they make a conversation; from then on each is written at once. */
  waiting: Entry[]
  written: Written | null
  /** It has a message that is not a system message. */
  underway: boolean
}

/** Conversations with one message per record, grouped by the records' session id, or by their order if they have none. */
class LoneMessages {
  /** Ordered by their newest message. */
  readonly #conversations: Lone[] = []
  readonly #open: (name: string | null) => Written
  readonly #put: (mapping: Mapping, entry: Entry) => void
  readonly #finding: Finder
  readonly #one: boolean
  #first: Lone | null = null

  /** @param one the file is one array and so one conversation: a later system message does not begin another */
  constructor(
    open: (name: string | null) => Written,
    put: (mapping: Mapping, entry: Entry) => void,
    finding: Finder,
    one: boolean,
  ) {
    this.#open = open
    this.#put = put
    this.#finding = finding
    this.#one = one
  }

  add(entry: Entry): void {
    const message = objectOf(entry.value) ?? {}
    const opens = message.role === 'system' || message.role === 'developer'
    const conversation = this.#find(sessionOf(message), opens) ?? this.#start(sessionOf(message), entry.line)
    if (!opens) conversation.underway = true
    conversation.waiting.push(entry)
    if (!conversation.written) {
      if (!isConversation(conversation.waiting)) return
      conversation.written = this.#open(conversation.name)
    }
    for (const waiting of conversation.waiting) this.#put(conversation.written.mapping, waiting)
    conversation.waiting = []
  }

  end(): void {
    for (const conversation of this.#conversations.sort((a, b) => a.line - b.line)) this.#close(conversation)
    this.#conversations.length = 0
  }

  #find(session: string | null, opens: boolean): Lone | undefined {
    const index = this.#conversations.findLastIndex((each) => session === null || each.session === session)
    const found = this.#conversations[index]
    if (!found || (session === null && opens && found.underway && !this.#one)) return undefined
    if (index < this.#conversations.length - 1) {
      this.#conversations.splice(index, 1)
      this.#conversations.push(found)
    }
    return found
  }

  #start(session: string | null, line: number): Lone {
    if (this.#first) this.#nameFirst(this.#first)
    // Without session ids, a new conversation ends the one before it.
    if (session === null) this.end()
    const name = session ?? (this.#first ? `line:${line}` : null)
    const conversation: Lone = { name, session, line, waiting: [], written: null, underway: false }
    this.#conversations.push(conversation)
    this.#first ??= conversation
    if (this.#conversations.length > held) this.#close(this.#conversations.shift() as Lone)
    return conversation
  }

  /** The first conversation needs a name only when there is a second. */
  #nameFirst({ name, line, written }: Lone): void {
    if (name === null) written?.writer.describe({ conversation: `line:${line}` })
  }

  #close({ waiting, written }: Lone): void {
    for (const { line } of waiting) this.#finding(line)
    written?.mapping.end()
    written?.writer.close()
  }
}
