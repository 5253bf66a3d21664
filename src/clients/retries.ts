/** Sends requests to one provider: no faster than its rate, and again where a failure may pass. */

import { setTimeout as sleep } from 'node:timers/promises'
import { CtxwinError } from '../base/errors.ts'
import type { ProviderName } from '../model/message.ts'
import { access } from './transport.ts'

export interface Patience {
  /** Milliseconds before the first retry; each further retry waits twice as long. */
  readonly patience?: number
  /** Requests per minute; the provider's own limit if it is not given. */
  readonly perMinute?: number
}

const tries = 6
/** In milliseconds. If the provider asks for a longer pause, the run fails instead of waiting. */
const longestWait = 120_000

export class Retries {
  /** Requests that were sent, retries included. */
  sent = 0
  readonly #provider: ProviderName
  readonly #patience: number
  readonly #perMinute: number
  #nextStart = 0

  constructor(provider: ProviderName, { patience = 500, perMinute = access[provider].perMinute }: Patience) {
    this.#provider = provider
    this.#patience = patience
    this.#perMinute = perMinute
  }

  /**
   * @param request a CtxwinError of it is final
   * @throws CtxwinError if the provider refuses, or cannot be reached
   */
  async send<Response>(request: () => Promise<Response>): Promise<Response> {
    for (let attempt = 0; ; attempt++) {
      await this.#turn()
      this.sent++
      try {
        return await request()
      } catch (error) {
        if (error instanceof CtxwinError) throw error
        const wait = retryAfter(error) ?? this.#patience * 2 ** attempt
        // The SDK's message is not passed on: it may repeat what was sent.
        if (!isPassing(error) || attempt + 1 >= tries || wait > longestWait) {
          throw new CtxwinError('remote', this.#provider, reasonOf(error))
        }
        this.#nextStart = Math.max(this.#nextStart, performance.now() + wait)
      }
    }
  }

  /** Waits until the rate allows another request. */
  async #turn(): Promise<void> {
    const now = performance.now()
    const start = Math.max(now, this.#nextStart)
    this.#nextStart = start + 60_000 / this.#perMinute
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
