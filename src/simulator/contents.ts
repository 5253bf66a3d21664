/** What stands in a window, whatever keeps it: the list that a policy edits, or the whole history. For people to look at. */
import type { Message } from '../model/message.ts'

/** A message as it stands in the window. */
export interface InsideMessage {
  /** -1 for what the policy inserted. */
  readonly index: number
  /** -1 before the first user message. */
  readonly exchange: number
  readonly message: Message
  /** The policy has put another text in its place. */
  readonly replaced: boolean
  /** It shares one wire message with the one before it. */
  readonly joined: boolean
  /** Units by itself. */
  readonly size: number
}

export interface Contents {
  /** Tokens of the request that would be sent now. */
  readonly sentTokens: number
  /** In the order of the request. Only where the trace kept its messages. */
  messages(): InsideMessage[]
}
