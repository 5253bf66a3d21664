/** Asks a model for its next action: one request, one answer, through the SDK of its API. */
import { CtxwinError } from '../base/errors.ts'
import { jsonText, parsedJson } from '../base/json-text.ts'
import { once } from '../base/once.ts'
import type { Answer, ProbeApi } from '../model/probe.ts'
import { objectOf, pick } from '../providers/apis/api.ts'
import { answerIn } from './answers.ts'
import { receive } from './received.ts'
import { NoAnswer, type Patience, Retries, type Watch } from './retries.ts'
import { Secrets } from './secrets.ts'
import { access, addressOf, type Client, credentialsIn, type Environment, openClient } from './transport.ts'

type Body = Readonly<Record<string, unknown>>

export interface CompleterOptions extends Patience {
  readonly api: ProbeApi
  readonly env: Environment
  /**
   * An address of the user's own, for a server that speaks the API: with `/v1` for OpenAI's APIs, without for Anthropic's. It needs no
   * key; the one that the environment has for the API is sent there.
   */
  readonly baseUrl?: string
  /** Milliseconds for a whole answer. */
  readonly timeout?: number
  /** Whether answers are streamed. By default they are where the API demands it of long ones, which is Anthropic's. */
  readonly stream?: boolean
}

interface Api {
  readonly provider: 'anthropic' | 'openai'
  readonly path: string
  /** What is added to the body of a request whose answer is streamed. */
  readonly streamed: Body
  /** Answers per minute that any account may ask for. */
  readonly perMinute: number
  /** Null where the API counts nothing. The fields that it takes are those the SDK declares: it refuses others. */
  readonly count: { readonly path: string; readonly fields: readonly string[] } | null
}

const apis: Readonly<Record<ProbeApi, Api>> = {
  anthropic: {
    provider: 'anthropic',
    path: '/v1/messages',
    streamed: { stream: true },
    perMinute: 50,
    count: {
      path: '/v1/messages/count_tokens',
      fields: 'model messages system tools tool_choice thinking output_config cache_control'.split(' '),
    },
  },
  responses: {
    provider: 'openai',
    path: '/responses',
    streamed: { stream: true },
    perMinute: 500,
    count: {
      path: '/responses/input_tokens',
      fields: 'model input instructions tools tool_choice reasoning text parallel_tool_calls truncation'.split(' '),
    },
  },
  chat: {
    provider: 'openai',
    path: '/chat/completions',
    streamed: { stream: true, stream_options: { include_usage: true } },
    perMinute: 500,
    count: null,
  },
}

/** In milliseconds: as long as the SDKs wait. */
const tenMinutes = 600_000

export class Completer {
  /** Where requests go. */
  readonly baseUrl: string
  readonly #options: CompleterOptions
  readonly #api: Api
  readonly #timeout: number
  readonly #answers: Retries
  readonly #counts: Retries
  readonly #open: () => Promise<Client>
  #counts404 = false

  /** @throws CtxwinError if `baseUrl` is no address of the web, or holds a password */
  constructor(options: CompleterOptions) {
    const { api, env, baseUrl: ownUrl, timeout = tenMinutes } = options
    this.#options = options
    this.#api = apis[api]
    this.#timeout = timeout
    const { provider } = this.#api
    this.baseUrl = checked(ownUrl ?? addressOf(provider, env))
    const place = ownUrl === undefined ? provider : new URL(ownUrl).host
    const rate = (perMinute: number): number => (ownUrl === undefined ? perMinute : Number.POSITIVE_INFINITY)
    this.#answers = new Retries({ place, what: 'answer the request', perMinute: rate(this.#api.perMinute) }, options)
    const counting = { place, what: 'count the request', perMinute: rate(access[provider].perMinute) }
    this.#counts = new Retries(counting, options)
    this.#open = once(() => openClient(provider, env, { timeout, ownUrl }))
  }

  /**
   * Does what is done before the first request, which sends nothing.
   * @throws CtxwinError if the SDK is not installed, or no key is set where one is needed
   */
  async prepare(): Promise<void> {
    await this.#open()
  }

  /** Requests that were sent, retries and counts included. */
  get asked(): number {
    return this.#answers.sent + this.#counts.sent
  }

  /**
   * What the model does next, without the key that was sent, which a server may repeat, and other secrets. The body goes out as it is;
   * where the answer is streamed, the fields that ask for that are behind it.
   * @throws CtxwinError if the place refuses, cannot be reached, or gives no usable answer in several tries; what `watch` throws
   */
  async complete(body: Body, watch?: Watch): Promise<Answer> {
    const { api, env, stream = api === 'anthropic' } = this.#options
    const text = jsonText(stream ? { ...body, ...this.#api.streamed } : body)
    const client = await this.#open()
    return this.#answers.send(async () => {
      const response = await client.post!(this.#api.path, text)
      const answer = answerIn(api, await receive(response, text, this.#timeout))
      return new Secrets(credentialsIn(env)).replaceIn(answer)
    }, watch)
  }

  /**
   * Input tokens of a request, as the API counts them.
   * @returns null where the API counts nothing, or the server at the user's own address does not
   * @throws CtxwinError as `complete` does
   */
  async count(body: Body): Promise<number | null> {
    const { count } = this.#api
    if (count === null || this.#counts404) return null
    const text = jsonText(pick(body, count.fields))
    const client = await this.#open()
    return this.#counts.send(async () => {
      const tokens = await this.#countIn(client, count.path, text)
      if (tokens === null || (Number.isSafeInteger(tokens) && (tokens as number) >= 0)) return tokens as number | null
      throw new NoAnswer('its response holds no count', { isPassing: false })
    })
  }

  async #countIn(client: Client, path: string, text: string): Promise<unknown> {
    try {
      const received = await receive(await client.post!(path, text), text, this.#timeout)
      const response = parsedJson(received.text)
      if (response === undefined) throw new NoAnswer('its answer is no JSON')
      return objectOf(response)?.input_tokens
    } catch (error) {
      const isMissing = this.#options.baseUrl !== undefined && (error as { status?: unknown }).status === 404
      if (!isMissing) throw error
      this.#counts404 = true
      return null
    }
  }
}

function checked(address: string): string {
  const url = URL.canParse(address) ? new URL(address) : null
  const isWeb = url?.protocol === 'http:' || url?.protocol === 'https:'
  // Not with the address in it: it may hold what nobody is to see.
  if (url?.username || url?.password)
    throw new CtxwinError('usage', 'the endpoint has a password in it: a key belongs in the environment')
  if (!isWeb) throw new CtxwinError('bad-value', 'endpoint', address, 'an address such as http://localhost:11434/v1')
  return address
}
