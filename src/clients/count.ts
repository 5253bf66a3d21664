/**
 * Counts request bodies with the provider's counting API. Counts are cached by the hash of the body; requests keep to the
 * provider's rate, a few at a time; failures that may pass are tried again.
 */

import { createHash } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { CtxwinError } from '../base/errors.ts'
import { jsonText } from '../base/json-text.ts'
import type { ProviderName } from '../model/message.ts'
import { access, type Client, openClient } from './transport.ts'

/** Stores counts between runs. It receives only hashes and numbers. */
export interface CountCache {
  get(key: string): number | null
  set(key: string, tokens: number): void
}

export interface RemoteOptions {
  readonly provider: ProviderName
  readonly env: Readonly<Record<string, string | undefined>>
  readonly cache: CountCache
  /** Milliseconds to wait for a response. */
  readonly timeout?: number
  /** Milliseconds before the first retry; each further retry waits twice as long. */
  readonly patience?: number
  /** Requests per minute; the provider's own limit if it is not given. */
  readonly perMinute?: number
}

const atOnce = 4
const tries = 6
/** In milliseconds. If the provider asks for a longer pause, the run fails instead of waiting. */
const longestWait = 120_000

export class RemoteCounter {
  /** Requests that were sent, retries included. */
  asked = 0
  readonly #options: RemoteOptions
  #client: Promise<Client> | undefined
  #nextStart = 0

  constructor(options: RemoteOptions) {
    this.#options = options
  }

  /**
   * Tokens of each body, in order. Cached counts cost nothing, so a run that was aborted continues where it stopped.
   * @throws CtxwinError if the provider refuses, or cannot be reached
   */
  async count(model: string, bodies: readonly Readonly<Record<string, unknown>>[]): Promise<number[]> {
    const tokens: number[] = []
    let next = 0
    const work = async (): Promise<void> => {
      for (let at = next++; at < bodies.length; at = next++) tokens[at] = await this.#countOne(model, bodies[at]!)
    }
    await Promise.all(Array.from({ length: Math.min(atOnce, bodies.length) }, work))
    return tokens
  }

  async #countOne(model: string, body: Readonly<Record<string, unknown>>): Promise<number> {
    const { provider, env, cache } = this.#options
    const place = env[access[provider].baseUrl] ?? ''
    const key = createHash('sha256')
      .update(jsonText([provider, place, model, body]))
      .digest('hex')
    const known = cache.get(key)
    if (known !== null) return known
    this.#client ??= openClient(provider, env, this.#options.timeout)
    const client = await this.#client
    const tokens = await this.#ask(() => client.count(model, body))
    cache.set(key, tokens)
    return tokens
  }

  async #ask(send: () => Promise<unknown>): Promise<number> {
    const { provider, patience = 500 } = this.#options
    for (let attempt = 0; ; attempt++) {
      await this.#turn()
      this.asked++
      try {
        const tokens = await send()
        if (Number.isSafeInteger(tokens) && (tokens as number) >= 0) return tokens as number
        throw new CtxwinError('remote', provider, 'its response holds no count')
      } catch (error) {
        if (error instanceof CtxwinError) throw error
        const wait = retryAfter(error) ?? patience * 2 ** attempt
        // The SDK's message is not passed on: it may repeat what was sent.
        if (!isPassing(error) || attempt + 1 >= tries || wait > longestWait) {
          throw new CtxwinError('remote', provider, reasonOf(error))
        }
        this.#nextStart = Math.max(this.#nextStart, performance.now() + wait)
      }
    }
  }

  /** Waits until the rate allows another request. */
  async #turn(): Promise<void> {
    const { provider, perMinute = access[provider].perMinute } = this.#options
    const now = performance.now()
    const start = Math.max(now, this.#nextStart)
    this.#nextStart = start + 60_000 / perMinute
    if (start > now) await sleep(start - now)
  }
}

function statusOf(error: unknown): number | null {
  const status = (error as { status?: unknown }).status
  return typeof status === 'number' ? status : null
}

/** Whether a retry may help: too many requests, a server error, no connection, a timeout, a response that is not JSON. */
function isPassing(error: unknown): boolean {
  const status = statusOf(error)
  return status === null || status === 408 || status === 409 || status === 429 || status >= 500
}

/** Milliseconds that the provider asks to wait (`retry-after`, which is in seconds), or null. */
function retryAfter(error: unknown): number | null {
  const headers = (error as { headers?: { get?(name: string): string | null } }).headers
  const seconds = Number.parseFloat(headers?.get?.('retry-after') ?? '')
  return Number.isFinite(seconds) && seconds >= 0 ? seconds * 1000 : null
}

function reasonOf(error: unknown): string {
  const status = statusOf(error)
  if (status === 401 || status === 403) return `it rejected the key (HTTP ${status})`
  if (status === 429) return 'too many requests (HTTP 429)'
  return status === null ? 'there was no usable response' : `HTTP ${status}`
}
