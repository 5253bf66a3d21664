/** The APIs that a request can be sent to, by name. */
import type { ProviderName } from '../../model/message.ts'
import { anthropicApi } from './anthropic.ts'
import type { Api } from './api.ts'
import { chatApi } from './chat.ts'
import { googleApi } from './google.ts'
import { responsesApi } from './responses.ts'

export const apiNames = ['anthropic', 'chat', 'responses', 'google'] as const
export type ApiName = (typeof apiNames)[number]

export const apis: Readonly<Record<ApiName, Api>> = {
  anthropic: anthropicApi,
  chat: chatApi,
  responses: responsesApi,
  google: googleApi,
}

/** Codex talks to the Responses API; all other programs that are read use Chat Completions. */
export function apiOf(provider: ProviderName, format?: string): ApiName {
  return provider === 'openai' ? (format === 'codex' ? 'responses' : 'chat') : provider
}
