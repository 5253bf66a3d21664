/**
 * Asks the providers to count a request's tokens, through their SDKs. The SDKs are optional peer dependencies, loaded at
 * the first count. A key comes from the environment and goes only to its provider's SDK.
 */

import { CtxwinError } from '../base/errors.ts'
import { jsonText } from '../base/json-text.ts'
import { loadPackages } from '../base/load-packages.ts'
import type { ProviderName } from '../model/message.ts'
import { responsesBody } from '../providers/responses.ts'

type Body = Readonly<Record<string, unknown>>
type Environment = Readonly<Record<string, string | undefined>>

export interface Client {
  /** @throws what the SDK throws; `status` is the HTTP status if there was a response */
  count(model: string, body: Body): Promise<unknown>
  /** The address it sends to, or null for the SDK's default. */
  readonly baseUrl: string | null
}

interface Access {
  readonly package: string
  readonly keys: readonly string[]
  readonly baseUrl: string
  /** Requests per minute that any account may send. */
  readonly perMinute: number
  open(sdk: Record<string, unknown>, options: Options): Client['count']
}

interface Options {
  readonly apiKey: string
  readonly baseURL: string | undefined
  readonly timeout: number
}

type Call = (body: unknown) => Promise<Record<string, unknown>>
type Constructor = new (options: unknown) => Record<string, never>

/** The SDKs' own retries are off: they differ, and would exceed the rate that retries.ts keeps. */
export const access: Readonly<Record<ProviderName, Access>> = {
  anthropic: {
    package: '@anthropic-ai/sdk',
    keys: ['ANTHROPIC_API_KEY'],
    baseUrl: 'ANTHROPIC_BASE_URL',
    perMinute: 100,
    open(sdk, options) {
      const client = new (sdk.default as Constructor)({ ...options, maxRetries: 0 }) as unknown as {
        messages: { countTokens: Call }
      }
      return async (model, body) => (await client.messages.countTokens({ model, ...body })).input_tokens
    },
  },
  openai: {
    package: 'openai',
    keys: ['OPENAI_API_KEY'],
    baseUrl: 'OPENAI_BASE_URL',
    perMinute: 500,
    open(sdk, options) {
      const client = new (sdk.default as Constructor)({ ...options, maxRetries: 0 }) as unknown as {
        responses: { inputTokens: { count: Call } }
      }
      return async (model, body) =>
        (await client.responses.inputTokens.count({ model, ...responsesBody(body) })).input_tokens
    },
  },
  google: {
    package: '@google/genai',
    keys: ['GEMINI_API_KEY', 'GOOGLE_API_KEY'],
    baseUrl: 'GOOGLE_GEMINI_BASE_URL',
    perMinute: 3000,
    open(sdk, { apiKey, baseURL, timeout }) {
      const httpOptions = { timeout, ...(baseURL === undefined ? {} : { baseUrl: baseURL }) }
      const client = new (sdk.GoogleGenAI as Constructor)({ apiKey, httpOptions }) as unknown as {
        models: { countTokens: Call }
      }
      return async (model, body) => (await client.models.countTokens({ model, contents: contentsOf(body) })).totalTokens
    },
  },
}

/** countTokens accepts neither a system instruction nor tools: both are counted as the text of a first message. */
function contentsOf({ systemInstruction, tools, contents }: Body): unknown {
  const parts = (systemInstruction as { parts?: readonly unknown[] } | undefined)?.parts ?? []
  const first = tools === undefined ? parts : [...parts, { text: jsonText(tools) }]
  return first.length === 0 ? contents : [{ role: 'user', parts: first }, ...(contents as readonly unknown[])]
}

/** @throws CtxwinError if the SDK is not installed or no key is set */
export async function openClient(provider: ProviderName, env: Environment, timeout = 60_000): Promise<Client> {
  const { package: name, keys, baseUrl, open } = access[provider]
  const apiKey = keys.map((key) => env[key]).find((key) => key !== undefined && key !== '')
  if (apiKey === undefined) throw new CtxwinError('no-key', provider, keys.join(' or '))
  const [sdk] = await loadPackages<[Record<string, unknown>]>('counting at the provider', name)
  const baseURL = env[baseUrl] || undefined
  return { count: open(sdk, { apiKey, baseURL, timeout }), baseUrl: baseURL ?? null }
}
