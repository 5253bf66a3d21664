/**
 * The provider contract: how a message stands in a request, as it was recorded where that is known. The APIs make what can be
 * sent of it (apis/).
 */
import type { Message, ProviderName } from '../model/message.ts'

export type Json = unknown

export interface Provider {
  readonly name: ProviderName
  /** A request that begins with the model is refused: by the API itself, or by some that serve its models. */
  readonly beginsWithUser: boolean
  /** The wire message of one canonical message standing alone. */
  message(message: Message): Json
}
