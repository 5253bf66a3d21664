/** The contents of a window, for display: of the window that a policy edits, or of the whole history. */
import type { Message } from '../model/message.ts'

/** A message as it is in the window. */
export interface InsideMessage {
  /** -1 for a message that the policy inserted. */
  readonly index: number
  /** -1 before the first user message. */
  readonly exchange: number
  readonly message: Message
  /** The policy has replaced its content. */
  readonly replaced: boolean
  /** What it adds to the request, its join included. */
  readonly units: number
}

export interface Contents {
  /** Tokens of the request that would be sent now. */
  readonly sentTokens: number
  /** How often the policy has changed the window so far. */
  readonly edits: number
  /** Whether a recorded message of the exchange is inside; of -1, one from before the first user message. */
  holds(exchange: number): boolean
  /**
   * The exchanges that may have come inside or left since the last call, in their order; at first those inside. For one
   * observer: to ask for all of them at each edit would make a run quadratic.
   */
  takeMoved(): number[]
  /** In the order of the request. Empty unless the trace kept its messages. */
  messages(): InsideMessage[]
  /**
   * Messages of the policy's own of which only the size is known, inside or not: of a summary that a model has to
   * write, the messages that it reads for it; null of any other.
   */
  readonly unwritten: ReadonlyMap<Message, readonly Message[] | null>
}
