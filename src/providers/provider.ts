/**
 * The provider contract: what a request body looks like on the wire, reduced to what counts as input. `bytes` counts
 * it, `window` prints it. A body is its empty form plus one value per message; consecutive messages of one group
 * share a wire message.
 */
import type { Message, Preamble, ProviderName } from '../model/message.ts'

export type Json = unknown

export interface Provider {
  readonly name: ProviderName
  /** The wire message of one canonical message standing alone. */
  message(message: Message): Json
  /** Wire messages as one, their contents one behind the other; null where the provider has no such thing. */
  readonly merge: ((messages: readonly [Json, ...Json[]]) => Json) | null
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

/** The request body with these messages, exactly as the provider's API would receive it. */
export function requestBody(provider: Provider, preamble: Preamble, messages: readonly Placed[]): Record<string, Json> {
  const { merge } = provider
  // Merged when all are there: one by one, each result would copy all that share its message.
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
