/**
 * Speaks to the providers through their SDKs, which are optional peer dependencies and loaded when the first request is sent.
 * A key comes from the environment and goes only to its provider's SDK.
 */

import { CtxwinError } from '../base/errors.ts'
import { jsonText } from '../base/json-text.ts'
import { loadPackages } from '../base/load-packages.ts'
import type { ProviderName } from '../model/message.ts'
import { responsesBody } from '../providers/responses.ts'
import { NoAnswer } from './retries.ts'

type Body = Readonly<Record<string, unknown>>
export type Environment = Readonly<Record<string, string | undefined>>

/** @throws what the SDK throws; `status` is the HTTP status if there was a response */
interface Calls {
  count(model: string, body: Body): Promise<unknown>
  /**
   * Sends a JSON text as it is, to a path below the address.
   * @returns a response of status 2xx whose body is not read yet; null where that is not needed of the SDK
   */
  readonly post: ((path: string, body: string) => Promise<Response>) | null
}

export interface Client extends Calls {
  /** The address it sends to. */
  readonly baseUrl: string
}

interface Access {
  readonly package: string
  readonly keys: readonly string[]
  /** The variable that names another address. */
  readonly baseUrl: string
  readonly home: string
  /** Counts per minute that any account may ask for. */
  readonly perMinute: number
  open(sdk: Record<string, unknown>, options: Options): Calls
}

interface Options {
  /** Null: none is sent. */
  readonly apiKey: string | null
  readonly baseURL: string
  readonly timeout: number
}

type Call = (body: unknown) => Promise<Record<string, unknown>>
type Constructor = new (options: unknown) => Record<string, never>
interface Poster {
  post(path: string, options: unknown): { asResponse(): Promise<Response> }
}

/**
 * Sends as `fetch` does, with two differences. A redirect is not followed: it would carry the request, and with some SDKs the key, to
 * a host that nobody has named. What comes with a refusal is not read: those are the server's words, and as many as it likes.
 */
const guarded: typeof fetch = async (address, init) => {
  const response = await fetch(address, { ...init, redirect: 'manual' })
  if (response.ok) return response
  await response.body?.cancel()
  if (response.status < 400) {
    const reason = `it redirects to another address: name that one (HTTP ${response.status})`
    throw new NoAnswer(reason, { isPassing: false, isFree: true })
  }
  const wait = response.headers.get('retry-after')
  return new Response(null, { status: response.status, headers: wait === null ? {} : { 'retry-after': wait } })
}

/**
 * What Anthropic's SDK and OpenAI's have in common. Their own retries are off: they differ, and would exceed the rate that
 * retries.ts keeps. So are their logs and traces, which a variable of the environment could turn on: they hold what is sent.
 */
function clientOf<Methods>(sdk: Record<string, unknown>, { apiKey, ...rest }: Options, more: object): Methods & Poster {
  return new (sdk.default as Constructor)({
    ...rest,
    ...more,
    apiKey: apiKey ?? 'none',
    // The SDKs refuse to start without a key; a header that is null is not sent.
    ...(apiKey === null ? { defaultHeaders: { authorization: null, 'x-api-key': null } } : {}),
    fetch: guarded,
    logLevel: 'off',
    maxRetries: 0,
  }) as unknown as Methods & Poster
}

const headers = { 'content-type': 'application/json' }
const posting = (client: Poster) => (path: string, body: string) => client.post(path, { body, headers }).asResponse()

export const access: Readonly<Record<ProviderName, Access>> = {
  anthropic: {
    package: '@anthropic-ai/sdk',
    keys: ['ANTHROPIC_API_KEY'],
    baseUrl: 'ANTHROPIC_BASE_URL',
    home: 'https://api.anthropic.com',
    perMinute: 100,
    open(sdk, options) {
      const client = clientOf<{ messages: { countTokens: Call } }>(sdk, options, { openTelemetry: false })
      return {
        count: async (model, body) => (await client.messages.countTokens({ model, ...body })).input_tokens,
        post: posting(client),
      }
    },
  },
  openai: {
    package: 'openai',
    keys: ['OPENAI_API_KEY'],
    baseUrl: 'OPENAI_BASE_URL',
    home: 'https://api.openai.com/v1',
    perMinute: 500,
    open(sdk, options) {
      const client = clientOf<{ responses: { inputTokens: { count: Call } } }>(sdk, options, { adminAPIKey: null })
      return {
        count: async (model, body) =>
          (await client.responses.inputTokens.count({ model, ...responsesBody(body) })).input_tokens,
        post: posting(client),
      }
    },
  },
  google: {
    package: '@google/genai',
    keys: ['GEMINI_API_KEY', 'GOOGLE_API_KEY'],
    baseUrl: 'GOOGLE_GEMINI_BASE_URL',
    home: 'https://generativelanguage.googleapis.com',
    perMinute: 3000,
    open(sdk, { apiKey, baseURL, timeout }) {
      const httpOptions = { timeout, baseUrl: baseURL, fetch: guarded }
      const client = new (sdk.GoogleGenAI as Constructor)({ apiKey, httpOptions }) as unknown as {
        models: { countTokens: Call }
      }
      return {
        count: async (model, body) =>
          (await client.models.countTokens({ model, contents: contentsOf(body) })).totalTokens,
        post: null,
      }
    },
  },
}

/** The shortest word of letters and something else that is taken for a key. */
const shortestKey = 8

/** What the environment has that the SDKs may send to be let in: keys and tokens, and the values of headers that they add. */
export function credentialsIn(env: Environment): string[] {
  return Object.entries(env)
    .filter(([name]) => /^(?:ANTHROPIC|OPENAI|GEMINI|GOOGLE)_\w*(?:KEY|TOKEN|HEADERS)$/.test(name))
    .flatMap(([name, value = '']) =>
      (name.endsWith('HEADERS') ? value.replaceAll(/^[^:\n]*:/gm, '') : value).split(/\s+/),
    )
    .filter((word) => word.length >= shortestKey && !/^[a-z]+$/i.test(word))
}

/** countTokens accepts neither a system instruction nor tools: both are counted as the text of a first message. */
function contentsOf({ systemInstruction, tools, contents }: Body): unknown {
  const parts = (systemInstruction as { parts?: readonly unknown[] } | undefined)?.parts ?? []
  const first = tools === undefined ? parts : [...parts, { text: jsonText(tools) }]
  return first.length === 0 ? contents : [{ role: 'user', parts: first }, ...(contents as readonly unknown[])]
}

interface Opening {
  /** Milliseconds until a response begins. */
  readonly timeout?: number | undefined
  /** An address of the user's own, which may need no key. */
  readonly ownUrl?: string | undefined
}

/** @throws CtxwinError if the SDK is not installed, or no key is set where one is needed */
export async function openClient(
  provider: ProviderName,
  env: Environment,
  { timeout = 60_000, ownUrl }: Opening,
): Promise<Client> {
  const { package: name, keys, open } = access[provider]
  const apiKey = keys.map((key) => env[key]).find((key) => key !== undefined && key !== '') ?? null
  if (apiKey === null && ownUrl === undefined) throw new CtxwinError('no-key', provider, keys.join(' or '))
  const [sdk] = await loadPackages<[Record<string, unknown>]>(`asking ${provider}`, name)
  const baseUrl = ownUrl ?? addressOf(provider, env)
  return { ...open(sdk, { apiKey, baseURL: baseUrl, timeout }), baseUrl }
}

/** Where a provider is asked: at the address that the environment names, or at its own. */
export function addressOf(provider: ProviderName, env: Environment): string {
  return env[access[provider].baseUrl] || access[provider].home
}
