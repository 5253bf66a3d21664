/**
 * The provider contract: how to build a request body, reduced to what counts as input. The estimator `bytes` counts the
 * body, the command `window` prints it. A body is its empty form plus one wire message per message; consecutive messages
 * that are `joined` share one.
 */
import type { Message, Preamble, ProviderName } from '../model/message.ts'

export type Json = unknown

export interface Provider {
  readonly name: ProviderName
  /** A request that begins with the model is refused: by the API itself, or by some that serve its models. */
  readonly beginsWithUser: boolean
  /** The wire message of one canonical message standing alone. */
  message(message: Message): Json
  /** Joins wire messages into one with all their contents in order; null if the provider has no such messages. */
  readonly merge: ((messages: readonly [Json, ...Json[]]) => Json) | null
  /** The whole body with these wire messages. */
  body(preamble: Preamble, messages: readonly Json[]): Record<string, Json>
  /** Whether the preamble adds messages in front of the list (a system message). */
  leads(preamble: Preamble): boolean
  /** A user message without content: its bytes are saved by each message that is merged into another. */
  readonly envelope: Json
}

/** A message in a request. `joined`: it shares the wire message of the one before it. */
export interface Placed {
  readonly message: Message
  readonly joined: boolean
}

/** The request body with these messages, exactly as the provider's API would receive it. */
export function requestBody(provider: Provider, preamble: Preamble, messages: readonly Placed[]): Record<string, Json> {
  const { merge } = provider
  // Merge each group once: merging message by message would copy the group each time.
  const groups: [Json, ...Json[]][] = []
  for (const { message, joined } of messages) {
    const value = provider.message(message)
    const group = joined && merge ? groups.at(-1) : undefined
    if (group) group.push(value)
    else groups.push([value])
  }
  return provider.body(
    preamble,
    groups.map((group) => (merge && group.length > 1 ? merge(group) : group[0])),
  )
}
