/**
 * The measure contract. A measure counts one aspect of a run: the simulator passes it each request as it goes out. It
 * edits nothing and sees nothing else.
 */
import type { Message, Role } from '../model/message.ts'

/** A message of a request. */
export interface SentItem {
  /** Index in the transcript; -1 for a message that the policy inserted. */
  readonly index: number
  readonly role: Role
  /** The policy replaced its content. */
  readonly replaced: boolean
  /** Its reasoning is not sent: it was bound to what stood before it, and that has changed. */
  readonly stripped: boolean
  /** Orders the items of a request: never less than the place of the item before. */
  readonly place: number
  /** Its content, if the policy wrote it. */
  readonly message: Message | null
  /** Units of its join. */
  readonly join: number
  readonly next: SentItem | null
  readonly previous: SentItem | null
}

/** The messages of a request in order, and what has changed since the request before. */
export interface SentSequence {
  readonly first: SentItem | null
  readonly last: SentItem | null
  readonly count: number
  /** How many messages were dropped, replaced, inserted or restored since the run began. */
  readonly edits: number
  /** All items at lower places are the same as in the request before. */
  readonly changedFrom: number
  /** So are all at higher places that were in that request. */
  readonly changedTo: number
  /** Units of hidden reasoning in the request, which will pass (see Passing). */
  readonly passing: number
  /** Units that the item adds to the request, its join included. */
  unitsOf(item: SentItem): number
}

/** Which messages of the transcript are in a window, and with what content. */
export interface Presence {
  /** Index of the first message inside; none before it is. */
  readonly from: number
  has(index: number): boolean
  /** Of a message that has left: the message before which it did. */
  leftBefore(index: number): number
  /** The content that replaced that of message `index`; null if it is as recorded. */
  replacement(index: number): Message | null
  /** The messages whose content was replaced, in order; a message may occur several times. */
  readonly replaced: readonly number[]
  /** The policy's own messages with known text, as they entered (`by` 1) and left (`by` -1), in order. */
  readonly moved: readonly { readonly message: Message; readonly by: 1 | -1 }[]
  /** The window has been edited. */
  readonly pruned: boolean
  /** How often something may have come back: while it is 0, messages that left never returned. */
  readonly returns: number
}

/** The messages of one request, as far as measures may see them. */
export interface Sent {
  /** Tokens of the whole request. */
  readonly sentTokens: number
  readonly count: number
  /** Messages that the policy left without content. */
  readonly addedEmpty: number
  /** Halves of pairs whose other half the policy took away. */
  readonly pairs: { readonly orphanResults: number; readonly orphanCalls: number }
  /** Role of the first message that is not a system message; null if there is none. */
  readonly firstRole: Role | null
  /** Messages without their reasoning, because something before them has changed. */
  readonly stripped: number
  /** The newest user message is among them, or a summary that the policy wrote of it. */
  readonly hasLatestPrompt: boolean
  /** Null for the whole history as it was recorded. */
  readonly sequence: SentSequence | null
  /** Null for the whole history as it was recorded. */
  readonly presence: Presence | null
}

export interface Request {
  readonly index: number
  /** The message that answers it, that message's line, and its exchange (-1 before the first user message). */
  readonly message: number
  readonly line: number
  readonly exchange: number
  /** Tokens without pruning. */
  readonly fullTokens: number
  readonly sentTokens: number
  /** Tokens by the policy's own count. */
  readonly believedTokens: number
  readonly sent: Sent
}

export interface Measure<Result> {
  request(request: Request): void
  result(): Result
}
