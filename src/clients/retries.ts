/** Sends requests to one place: no faster than its rate, and again where a failure may pass. */

import { setTimeout as sleep } from 'node:timers/promises'
import { CtxwinError } from '../base/errors.ts'
import { reasonOf as reasonOfSystem } from '../base/system-errors.ts'

export interface Patience {
  /** Milliseconds before the first retry; each further retry waits twice as long. */
  readonly patience?: number
  /** Requests per minute; the place's own limit if it is not given. */
  readonly perMinute?: number
}

/** Who is asked, as an error names it, and for what: "openai did not count the request". */
export interface Asking {
  readonly place: string
  readonly what: string
  /** Infinity where there is no limit. */
  readonly perMinute: number
}

/** Told of each try, so that who pays can stop before it goes out, and knows what it may have cost. */
export interface Watch {
  /** Before a try goes out. If it throws, nothing goes out and that is what the call throws. */
  starts?(): void
  /**
   * A try brought no answer.
   * @param isFree it was refused (HTTP 429, 500, …), or nobody was reached: nothing was generated. Else the answer was lost on
   * its way (also with HTTP 504 and the like), and may be billed all the same.
   */
  failed?(isFree: boolean): void
}

/** What came back cannot be used. */
export class NoAnswer extends Error {
  /** Whether another try may help. */
  readonly isPassing: boolean
  /** Whether nothing was generated, so that nothing is billed. */
  readonly isFree: boolean

  constructor(reason: string, { isPassing = true, isFree = false } = {}) {
    super(reason)
    this.isPassing = isPassing
    this.isFree = isFree
  }
}

const tries = 6
/** In milliseconds. If the provider asks for a longer pause, the run fails instead of waiting. */
const longestWait = 120_000

export class Retries {
  /** Requests that were sent, retries included. */
  sent = 0
  readonly #asking: Asking
  readonly #patience: number
  readonly #perMinute: number
  #nextStart = 0

  constructor(asking: Asking, { patience = 500, perMinute = asking.perMinute }: Patience) {
    this.#asking = asking
    this.#patience = patience
    this.#perMinute = perMinute
  }

  /**
   * @param request throws NoAnswer where the response is of no use
   * @throws CtxwinError if the place refuses, or cannot be reached
   */
  async send<Response>(request: () => Promise<Response>, watch: Watch = {}): Promise<Response> {
    for (let attempt = 0; ; attempt++) {
      await this.#turn()
      watch.starts?.()
      this.sent++
      try {
        return await request()
      } catch (thrown) {
        const error = ofOurs(thrown)
        watch.failed?.(isFree(error))
        const wait = retryAfter(error) ?? this.#patience * 2 ** attempt
        if (!isPassing(error) || attempt + 1 >= tries || wait > longestWait) {
          throw new CtxwinError('remote', this.#asking.place, this.#asking.what, reasonOf(error))
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
  if (error instanceof NoAnswer) return error.isPassing
  const status = statusOf(error)
  return status === null || status === 408 || status === 409 || status === 429 || status >= 500
}

/** Milliseconds that the provider asks to wait (`retry-after`, which is in seconds), or null. */
function retryAfter(error: unknown): number | null {
  const headers = (error as { headers?: { get?(name: string): string | null } }).headers
  const seconds = Number.parseFloat(headers?.get?.('retry-after') ?? '')
  return Number.isFinite(seconds) && seconds >= 0 ? seconds * 1000 : null
}

function isFree(error: unknown): boolean {
  if (error instanceof NoAnswer) return error.isFree
  const status = statusOf(error)
  return status === null ? unreached(error) !== null : !impatient.has(status)
}

/** Somebody on the way has waited long enough: what was asked may still have been answered. */
const impatient: ReadonlySet<number> = new Set([408, 504, 522, 524])

const neverThere: ReadonlySet<unknown> = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
])

/** The error of the system below the SDK's, where there was nobody to send to; else null. */
function unreached(error: unknown): unknown {
  return below(error).find(({ code }) => neverThere.has(code)) ?? null
}

/** What was thrown while the SDK sent is below an error of the SDK's own. */
function ofOurs(error: unknown): unknown {
  return below(error).find((one) => one instanceof NoAnswer) ?? error
}

/** An error with those that caused it. */
function below(error: unknown): NodeJS.ErrnoException[] {
  const errors: Error[] = []
  for (let one = error; one instanceof Error && errors.length < 5; one = one.cause) errors.push(one)
  return errors
}

/** The SDK's message is not passed on: it may repeat what was sent. */
function reasonOf(error: unknown): string {
  if (error instanceof NoAnswer) return error.message
  const status = statusOf(error)
  if (status !== null) return `${statusWords[status] ?? 'it failed'} (HTTP ${status})`
  const system = unreached(error)
  return system === null ? 'there was no usable response' : reasonOfSystem(system, 'read')
}

const statusWords: Readonly<Record<number, string>> = {
  400: 'it does not take such a request: see that the model has that window and takes tools',
  401: 'it rejected the key: see that the environment has the one for this address',
  403: 'it rejected the key: see that it may use this model',
  404: 'it does not know the model or the path: see how both are spelled',
  413: 'the request is too large for it',
  429: 'too many requests',
}
