/**
 * The measure contract: what a run cost, in one respect. The simulator shows a measure each request as it goes out;
 * a measure only counts. It never edits and never asks for more than it is shown.
 */
import type { Role } from '../model/message.ts'

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
