/** The providers by name. */
import type { ProviderName } from '../model/message.ts'
import { anthropic } from './anthropic.ts'
import { google } from './google.ts'
import { openai } from './openai.ts'
import type { Provider } from './provider.ts'

export const providers: Readonly<Record<ProviderName, Provider>> = { anthropic, openai, google }
