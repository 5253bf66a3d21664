/**
 * The providers' own counts of a request's tokens, asked through their SDKs. Those are optional peers: they are loaded when
 * a count is asked for, and keys come from the environment and are given to nobody else.
 */

import { CtxwinError } from '../../base/errors.ts'
import { jsonText } from '../../base/json-text.ts'
import type { ProviderName } from '../../model/message.ts'
import { responsesBody } from './responses.ts'

type Body = Readonly<Record<string, unknown>>
type Environment = Readonly<Record<string, string | undefined>>

export interface Client {
  /** @throws what the SDK throws: `status` is the HTTP status where there was an answer */
  count(model: string, body: Body): Promise<unknown>
  /** Where it asks: part of what a count depends on. */
  readonly baseUrl: string | null
}

interface Access {
  readonly package: string
  readonly keys: readonly string[]
  readonly baseUrl: string
  /** Requests per minute that every account may send. */
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

/** Retries are ours: the SDKs' own differ, and would not keep to the rate. */
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

/** countTokens takes no system instruction and no tools: they are counted as the text of a first message. */
function contentsOf({ systemInstruction, tools, contents }: Body): unknown {
  const parts = (systemInstruction as { parts?: readonly unknown[] } | undefined)?.parts ?? []
  const first = tools === undefined ? parts : [...parts, { text: jsonText(tools) }]
  return first.length === 0 ? contents : [{ role: 'user', parts: first }, ...(contents as readonly unknown[])]
}

/** @throws CtxwinError when the SDK is not installed or no key is set */
export async function openClient(provider: ProviderName, env: Environment, timeout = 60_000): Promise<Client> {
  const { package: name, keys, baseUrl, open } = access[provider]
  const apiKey = keys.map((key) => env[key]).find((key) => key !== undefined && key !== '')
  if (apiKey === undefined) throw new CtxwinError('no-key', provider, keys.join(' or '))
  let sdk: Record<string, unknown>
  try {
    sdk = (await import(name)) as Record<string, unknown>
  } catch {
    throw new CtxwinError('no-package', name)
  }
  const baseURL = env[baseUrl] || undefined
  return { count: open(sdk, { apiKey, baseURL, timeout }), baseUrl: baseURL ?? null }
}
