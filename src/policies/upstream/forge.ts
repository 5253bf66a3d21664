/**
 * Forge's sliding window plan, "Agent Context Sliding Window Compaction - Concise Plan" (2025-04-02), and the range
 * finder of April 2025 that it builds on (forge_domain/src/compaction.rs at 618f1772). These are pure functions of the
 * kinds of the messages; ranges include both ends.
 */
import { jsonText } from '../../base/json-text.ts'
import { type Message, textOf } from '../../model/message.ts'
import type { Entry, NativeCounter, Window } from '../policy.ts'
import { charCount } from '../text.ts'

/** System, user, assistant without and with tool calls, tool result, and a user's attachment that may be dropped. */
export type Kind = 's' | 'u' | 'a' | 't' | 'r' | 'd'

export interface Range {
  readonly start: number
  readonly end: number
}

export const isUser = (kind: Kind | undefined): boolean => kind === 'u' || kind === 'd'
export const isAssistant = (kind: Kind | undefined): boolean => kind === 'a' || kind === 't'

const kindsOfRole = { system: 's', user: 'u', tool: 'r' } as const

export function kindOf(entry: Entry): Kind {
  if (entry.role === 'assistant') return entry.calls > 0 ? 't' : 'a'
  if (entry.role === 'user' && entry.message?.origin === 'injected') return 'd'
  return kindsOfRole[entry.role]
}

/** Which part of the window is the context: from `first` to `last`, at most `most` entries. By default all of it. */
export interface ContextPart {
  readonly first?: Entry | null
  readonly last?: Entry | null
  readonly most?: number
  /** It ends with this many user messages. */
  readonly users?: number
}

/** A context as forge sees it: the system messages of the preamble, then what is inside the window. */
export class ForgeContext {
  readonly kinds: Kind[] = []
  readonly #entries: (Entry | null)[]

  constructor(
    window: Window,
    systemMessages: number,
    { first = window.first, last = null, most = Infinity, users = Infinity }: ContextPart = {},
  ) {
    this.#entries = Array.from({ length: systemMessages }, () => null)
    this.kinds = this.#entries.map(() => 's')
    let left = users
    for (
      let entry = first;
      entry && left > 0 && this.#entries.length < most;
      entry = entry === last ? null : entry.next
    ) {
      this.#entries.push(entry)
      this.kinds.push(kindOf(entry))
      if (isUser(this.kinds.at(-1))) left--
    }
  }

  /** The entry at an index of the context; null for a message of the preamble. */
  at(index: number): Entry | null {
    return this.#entries[index] ?? null
  }

  /** The entries of `count` messages from index `from` on; messages of the preamble have none. */
  entries(from: number, count: number): Entry[] {
    return this.#entries.slice(from, from + count).filter((entry) => entry !== null)
  }
}

/**
 * The window as a context to drop messages from, for the plan's loops. They look no further than the second user
 * message, so the context ends there, and the window need not be copied for each request.
 */
export function droppable(window: Window, systemMessages: number, over: () => boolean): Droppable {
  // Messages of the preamble that a loop drops disappear from its context, although every request still has them.
  let systemLeft = systemMessages
  const contextNow = () => new ForgeContext(window, systemLeft, { users: 2 })
  let context = contextNow()
  return {
    kinds: () => context.kinds,
    over,
    drop(from, count) {
      const entries = context.entries(from, count)
      for (const entry of entries) window.drop(entry, entry)
      systemLeft -= count - entries.length
      context = contextNow()
    },
  }
}

/** Thresholds that start a compaction. One that is missing or 0 is off. */
export interface Thresholds {
  readonly tokens?: number
  readonly turns?: number
  readonly messages?: number
  readonly onTurnEnd?: boolean
}

export interface Load {
  readonly tokens: number
  /** User messages. */
  readonly turns: number
  readonly messages: number
  readonly lastIsUser: boolean
}

/** Whether any threshold is reached; equal counts. */
export function shouldCompact(thresholds: Thresholds, load: Load): boolean {
  const reached = (value: number, threshold = 0) => threshold > 0 && value >= threshold
  return (
    reached(load.tokens, thresholds.tokens) ||
    reached(load.turns, thresholds.turns) ||
    reached(load.messages, thresholds.messages) ||
    (thresholds.onTurnEnd === true && load.lastIsUser)
  )
}

/** Whether the window reaches a threshold. The system messages of the preamble count as messages. */
export function isOver(window: Window, thresholds: Thresholds, systemMessages: number): boolean {
  return shouldCompact(thresholds, {
    tokens: window.tokens,
    turns: window.users,
    messages: window.count + systemMessages,
    lastIsUser: window.last?.role === 'user',
  })
}

/** The first stretch of at least two messages between two user messages, not reaching into the newest `retain`. */
export function findSequence(kinds: readonly Kind[], retain: number): Range | null {
  let length = kinds.length - Math.min(kinds.length, retain)
  if (length > 0 && kinds[length - 1] === 't') length--
  const users: number[] = []
  for (let index = 0; index < length; index++) if (isUser(kinds[index])) users.push(index)
  for (const [k, user] of users.entries()) {
    const start = Math.min(user + 1, length - 1)
    const end = (users[k + 1] ?? length) - 1
    if (end > start) return { start, end }
  }
  return null
}

/**
 * Finds the first stretch in a window, before each request. Where a search found nothing, the next one continues: there
 * is no stretch before that user message, and dropping from the front creates none. Searching the whole window before
 * each request would be quadratic.
 */
export class SequenceSearch {
  readonly #systemMessages: number
  readonly #retain: number
  #from: Entry | null = null

  constructor(systemMessages: number, retain: number) {
    this.#systemMessages = systemMessages
    this.#retain = retain
  }

  next(window: Window): { readonly from: Entry; readonly to: Entry } | null {
    const context = this.#from?.inside
      ? new ForgeContext(window, 0, { first: this.#from })
      : new ForgeContext(window, this.#systemMessages)
    const { kinds } = context
    const sequence = findSequence(kinds, this.#retain)
    // The stretch after the last user message may still grow.
    let user = sequence ? sequence.start - 1 : kinds.length - this.#retain - 2
    while (user >= 0 && !isUser(kinds[user])) user--
    if (user >= 0) this.#from = context.at(user)
    const from = sequence && context.at(sequence.start)
    const to = sequence && context.at(sequence.end)
    return from && to && { from, to }
  }
}

/** The plan's `calculate_drop_boundary`, as printed. @returns 0 if nothing can be dropped */
export function dropBoundary(kinds: readonly Kind[]): number {
  const first = Math.max(
    0,
    kinds.findIndex((kind) => kind !== 's'),
  )
  const user = kinds.findIndex((kind, index) => index >= first && isUser(kind))
  if (user < 0) return 0
  let boundary = user
  while (boundary > 0 && (kinds[boundary - 1] === 't' || kinds[boundary - 1] === 'r')) boundary--
  return boundary
}

/** A context that messages can be dropped from. */
export interface Droppable {
  kinds(): readonly Kind[]
  /** Whether any threshold is reached. */
  over(): boolean
  /** Drops `count` messages from index `from` on. */
  drop(from: number, count: number): void
}

/** The plan's `drop_oldest_messages`, as printed. @returns how many times it dropped messages */
export function dropOldestLiteral(context: Droppable): number {
  let passes = 0
  while (context.over()) {
    const boundary = dropBoundary(context.kinds())
    if (boundary === 0) break
    context.drop(0, boundary)
    passes++
  }
  return passes
}

/** Characters divided by four, rounded up: of the text, the calls with their names, and reasoning. */
export function messageTokens(message: Message): number {
  if (message.role === 'tool') {
    let chars = 0
    for (const block of message.blocks) if (block.type === 'text') chars += charCount(block.text)
    return Math.ceil(chars / 4)
  }
  let chars = charCount(textOf(message))
  for (const block of message.blocks) {
    if (block.type === 'thinking') chars += charCount(block.text)
    if (block.type !== 'call') continue
    const input = typeof block.input === 'string' ? block.input : jsonText(block.input ?? {})
    chars += charCount(block.name) + charCount(input)
  }
  return Math.ceil(chars / 4)
}

export const counter: NativeCounter = {
  summary: 'ceil(characters / 4) per message; tool definitions are not counted',
  message: messageTokens,
  preamble: (preamble) => preamble.system.reduce((sum, message) => sum + messageTokens(message), 0),
}
