/**
 * The provider contract: what a request body looks like on the wire, reduced to what counts as input. `bytes` counts
 * it, `window` prints it. A body is its empty form plus one value a message; consecutive messages of one group share a
 * wire message.
 */
import type { Message, Preamble, ProviderName } from '../model/message.ts'

export type Json = unknown

export interface Provider {
  readonly name: ProviderName
  /** The wire message of one canonical message standing alone. */
  message(message: Message): Json
  /** Two wire messages as one, the second's content behind the first's; null where the provider has no such thing. */
  readonly merge: ((first: Json, second: Json) => Json) | null
  /** The whole body: wire messages in place. */
  body(preamble: Preamble, messages: readonly Json[]): Record<string, Json>
  /** Whether the preamble itself puts messages in front of the list (a system message). */
  leads(preamble: Preamble): boolean
  /** A user message without content: what a merged message does not need a second time. */
  readonly envelope: Json
}

/** A message inside a request; `joined` when it shares the wire message of the one before it. */
export interface Placed {
  readonly message: Message
  readonly joined: boolean
}

/** The request body that carries these messages: the very thing the provider's API would receive. */
export function requestBody(provider: Provider, preamble: Preamble, messages: readonly Placed[]): Record<string, Json> {
  const wire: Json[] = []
  for (const { message, joined } of messages) {
    const value = provider.message(message)
    if (joined && provider.merge && wire.length > 0) wire.push(provider.merge(wire.pop(), value))
    else wire.push(value)
  }
  return provider.body(preamble, wire)
}
