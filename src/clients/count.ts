/** Counts request bodies with the provider's counting API, a few at a time. Counts are cached by the hash of the body. */

import { createHash } from 'node:crypto'
import { jsonText } from '../base/json-text.ts'
import type { ProviderName } from '../model/message.ts'
import { NoAnswer, type Patience, Retries } from './retries.ts'
import { access, type Client, openClient } from './transport.ts'

/** Stores counts between runs. It receives only hashes and numbers. */
export interface CountCache {
  get(key: string): number | null
  set(key: string, tokens: number): void
}

export interface RemoteOptions extends Patience {
  readonly provider: ProviderName
  readonly env: Readonly<Record<string, string | undefined>>
  readonly cache: CountCache
  /** Milliseconds to wait for a response. */
  readonly timeout?: number
}

const atOnce = 4

export class RemoteCounter {
  readonly #options: RemoteOptions
  readonly #retries: Retries
  #client: Promise<Client> | undefined

  constructor(options: RemoteOptions) {
    this.#options = options
    const { provider } = options
    const { perMinute } = access[provider]
    this.#retries = new Retries({ place: provider, what: 'count the request', perMinute }, options)
  }

  /** Requests that were sent, retries included. */
  get asked(): number {
    return this.#retries.sent
  }

  /** The variable that has another place asked than the provider's own; null where none has. */
  get elsewhere(): string | null {
    const { provider, env } = this.#options
    const { baseUrl } = access[provider]
    return env[baseUrl] ? baseUrl : null
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
    this.#client ??= openClient(provider, env, { timeout: this.#options.timeout })
    const client = await this.#client
    const tokens = await this.#retries.send(async () => {
      const count = await client.count(model, body)
      if (Number.isSafeInteger(count) && (count as number) >= 0) return count as number
      throw new NoAnswer('its response holds no count', { isPassing: false })
    })
    cache.set(key, tokens)
    return tokens
  }
}
