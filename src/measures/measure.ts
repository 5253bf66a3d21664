/**
 * The measure contract: what a run cost, in one respect. The simulator shows a measure each request as it goes out;
 * a measure only counts. It never edits and never asks for more than it is shown.
 */
import type { Message, Role } from '../model/message.ts'

/** A message of a request. */
export interface SentItem {
  /** Index in the transcript; -1 for what the policy inserted. */
  readonly index: number
  /** The policy gave it another content. */
  readonly replaced: boolean
  /** Orders the items of a request: never less than that of the item before it. */
  readonly place: number
  /** What it says, where that is the policy's doing. */
  readonly message: Message | null
  readonly next: SentItem | null
  readonly previous: SentItem | null
}

/** The messages of a request in order, and what has changed since the request before. */
export interface SentSequence {
  readonly first: SentItem | null
  readonly last: SentItem | null
  readonly count: number
  /** Drops, replacements, insertions and restorations, of one message each, since the run began. */
  readonly edits: number
  /** Items at a lower place stand as they stood in the request before, with all between them. */
  readonly changedFrom: number
  /** Units the item adds to the request where it stands. */
  unitsOf(item: SentItem): number
}

/** Which messages of the transcript are inside a window, and with what in them. */
export interface Presence {
  /** The first that is inside; nothing in front of it is. */
  readonly from: number
  has(index: number): boolean
  /** What stands in place of what message `index` said; null where it is as recorded. */
  replacement(index: number): Message | null
  /** The messages that were given another content, in the order in which it was done; the same may come again. */
  readonly replaced: readonly number[]
  /** The policy's own messages with known text, as they came in and left, in that order. */
  readonly moved: readonly { readonly message: Message; readonly by: 1 | -1 }[]
  /** The window was edited at all. */
  readonly pruned: boolean
  /** How often something may have come back: while it is 0, what is gone stays gone. */
  readonly returns: number
}

/** The messages of one request, as far as a measure may look. */
export interface Sent {
  /** Tokens of the whole request. */
  readonly sentTokens: number
  readonly count: number
  /** Messages without content. */
  readonly empty: number
  readonly pairs: { readonly orphanResults: number; readonly orphanCalls: number }
  /** Role of the first message that is not a system row; null when there is none. */
  readonly firstRole: Role | null
  /** The newest user message is not among them. */
  readonly lostLatestUser: boolean
  /** Null for the whole history as it was recorded. */
  readonly sequence: SentSequence | null
  /** The same. */
  readonly presence: Presence | null
}

export interface Request {
  readonly index: number
  /** The message that answers it, its line, and the exchange it falls in (-1 before the first user message). */
  readonly message: number
  readonly line: number
  readonly exchange: number
  /** Tokens if nothing is ever pruned. */
  readonly fullTokens: number
  readonly sentTokens: number
  /** What the policy itself believes it sends. */
  readonly believedTokens: number
  readonly sent: Sent
}

export interface Measure<Result> {
  request(request: Request): void
  result(): Result
}
