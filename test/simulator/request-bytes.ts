/** How many bytes a request has, by writing all of it down. */
import type { Message, Preamble, ProviderName } from '../../src/model/message.ts'
import { fewestMaxTokens } from '../../src/providers/apis/api.ts'
import { apiOf, apis } from '../../src/providers/apis/index.ts'

/** Of a request in the form of the provider's usual API, of a model that nobody names. */
export function requestBytes(
  provider: ProviderName,
  { system, tools }: Pick<Preamble, 'system' | 'tools'>,
  messages: readonly Message[],
): number {
  const parts = { model: null, maxTokens: fewestMaxTokens, system, tools, messages }
  return Buffer.byteLength(JSON.stringify(apis[apiOf(provider)].body(parts, { media: 0, tools: 0 })))
}

/** Of a message by itself. */
export function messageBytes(provider: ProviderName, message: Message): number {
  return requestBytes(provider, { system: [] }, [message]) - requestBytes(provider, { system: [] }, [])
}
