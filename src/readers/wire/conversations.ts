/**
 * Reads files of conversations in a provider's own wire form, whatever way they are laid out: a conversation or a
 * request a record, or a message a record. What the messages mean is the dialects' part.
 */
import type { Message, ProviderName } from '../../model/message.ts'
import { duplicate, type LeftOut, type ReaderContext, type Reading, type TranscriptWriter } from '../reader.ts'
import { objectOf, stringOf } from './blocks.ts'
import { bodyOf, sessionOf } from './bodies.ts'
import { type Entry, Growing, type Grown, held } from './growing.ts'

export interface Dialect {
  readonly provider: ProviderName
  /** Messages without a body around them record all that was sent. */
  readonly completeAlone: boolean
  begin(opening: Opening, writer: TranscriptWriter, finding: Finder): Mapping
}

/** What a conversation's record says beside its messages. */
export interface Opening {
  readonly system?: unknown
  readonly tools?: readonly unknown[] | undefined
  readonly complete: boolean
}

/** Told of what is no message, by its line. */
export type Finder = (line: number) => void

const noMessage: LeftOut = { code: 'no-message' }

/** One conversation on its way from recorded messages to canonical ones. */
export interface Mapping {
  add(entry: Entry): void
  /** No more messages will come. */
  end(): void
}

/** A message under construction: its properties are set one by one, which is many times as fast as spreading them. */
export type Draft = { -readonly [Key in keyof Message]: Message[Key] }

export function readConversations(context: ReaderContext, dialect: Dialect): Reading {
  const notUsed: Finder = (line) => context.notUsed({ ...noMessage, line })
  const inside: Finder = (line) => context.finding({ ...noMessage, line })
  const growing = new Growing(writeGrown)
  const lone = new LoneMessages(openLone, notUsed, context.elements)

  function writeGrown({ entries, body, line }: Grown, alone: boolean): void {
    if (!isConversation(entries)) {
      notUsed(line)
      return
    }
    const { bare, system, tools, model } = body
    const conversation = body.session ?? body.id ?? (alone ? null : `line:${line}`)
    const writer = context.open({ conversation, provider: dialect.provider })
    if (model !== null) writer.describe({ model })
    const mapping = dialect.begin({ system, tools, complete: !bare || dialect.completeAlone }, writer, inside)
    for (const entry of entries) mapping.add(entry)
    mapping.end()
    writer.close()
  }

  function openLone(conversation: string | null): Written {
    const writer = context.open({ conversation, provider: dialect.provider })
    return { writer, mapping: dialect.begin({ complete: dialect.completeAlone }, writer, notUsed) }
  }

  return {
    record(value, line) {
      const body = bodyOf(value)
      if (body && body.messages.length > 0) {
        if (!growing.add(body, line)) return duplicate
        if (body.reply.unread) context.finding({ code: 'unknown-response', line })
        return 'used'
      }
      if (body || stringOf(objectOf(value)?.role) === undefined) return noMessage
      lone.add({ value, line })
      return 'used'
    },
    end() {
      growing.end()
      lone.end()
    },
  }
}

/** A response by itself is a fixture of somebody's tests, and no conversation. */
function isConversation(entries: readonly Entry[]): boolean {
  return entries.length >= 2 || entries.some(({ value }) => objectOf(value)?.role === 'user')
}

interface Written {
  readonly writer: TranscriptWriter
  readonly mapping: Mapping
}

interface Lone {
  readonly name: string | null
  readonly session: string | null
  readonly line: number
  /** Messages until they are a conversation, then it is written as they come. */
  waiting: Entry[]
  written: Written | null
  /** Something else than a system message has been said. */
  underway: boolean
}

/** Conversations of which each record is one message: a session's name holds them together, or else their order. */
class LoneMessages {
  /** The one last spoken in stands last. */
  readonly #conversations: Lone[] = []
  readonly #open: (name: string | null) => Written
  readonly #finding: Finder
  readonly #one: boolean
  #first: Lone | null = null

  /** @param one an array of messages is one conversation: a system message amid them begins no other */
  constructor(open: (name: string | null) => Written, finding: Finder, one: boolean) {
    this.#open = open
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
    for (const waiting of conversation.waiting) conversation.written.mapping.add(waiting)
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
    // Without sessions the next conversation is the end of the one before.
    if (session === null) this.end()
    const name = session ?? (this.#first ? `line:${line}` : null)
    const conversation: Lone = { name, session, line, waiting: [], written: null, underway: false }
    this.#conversations.push(conversation)
    this.#first ??= conversation
    if (this.#conversations.length > held) this.#close(this.#conversations.shift() as Lone)
    return conversation
  }

  /** It needs a name only now that there is a second. */
  #nameFirst({ name, line, written }: Lone): void {
    if (name === null) written?.writer.describe({ conversation: `line:${line}` })
  }

  #close({ waiting, written }: Lone): void {
    for (const { line } of waiting) this.#finding(line)
    written?.mapping.end()
    written?.writer.close()
  }
}
