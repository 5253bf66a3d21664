/**
 * Guards a user's own policy. Anything it does wrong becomes one line of error with the occasion and the line of the
 * transcript, so that the other files can still be read. It sees the window through views that refuse whatever would
 * break the window's totals. Built-in policies run without a guard.
 *
 * A policy that never returns is stopped by a time limit (`base/own-code.ts`), whose price is why there is one per
 * replay, not per occasion. A worker could be stopped too, but the transcript would have to be copied into it.
 */
import { CtxwinError } from '../base/errors.ts'
import { atOnce, threwWhat, threwWords, withinTime } from '../base/own-code.ts'
import type { Trace } from '../model/trace.ts'
import type { Entry, Moment, Policy, PolicyContext, PolicyRun, RestartableRun, Window } from '../policies/policy.ts'
import { frozen, Misuse, WindowView } from './window-view.ts'

/** Seconds that a policy may take for one transcript if it does not set `seconds`. */
const defaultSeconds = 30

const occasions = ['message', 'request', 'exchangeEnd'] as const

export interface GuardOptions {
  /** The module, as the user named it. */
  readonly module: string
  readonly seconds?: number | undefined
  /** The place of a message of the transcript, for error messages. */
  readonly place: (message: number) => string
  /**
   * The run is over the built-in conversation, not a transcript: errors contain nothing private, so their text is
   * shown, and the policy cannot extend the time.
   */
  readonly trial: boolean
}

/** The file and line of message `index`, for error messages. */
export const placeIn =
  (trace: Trace): ((index: number) => string) =>
  (index) =>
    `${trace.head.file}, line ${trace.length === 0 ? 0 : trace.line(Math.min(index, trace.length - 1))}`

export class Guard {
  readonly #options: GuardOptions
  #doing = 'its `start`'
  #message = 0
  #view: WindowView | null = null

  constructor(options: GuardOptions) {
    this.#options = options
  }

  /**
   * Starts the policy and passes its guarded run to `work`.
   * @throws CtxwinError `bad-policy`
   */
  run<T>(
    policy: Pick<Policy, 'kind' | 'text' | 'start'>,
    values: Readonly<Record<string, unknown>>,
    context: PolicyContext,
    work: (run: RestartableRun) => T,
  ): T {
    const seconds = this.#options.seconds ?? defaultSeconds
    const start = () =>
      this.#checked(
        this.#call('its `start`', this.#message, () => policy.start(frozen({ ...values }), frozen(context))),
      )
    const act = (): T => work(this.#watched(start, policy))
    return withinTime(seconds, act, () => {
      const remedy = this.#options.trial ? '' : ': set `seconds` in the policy to allow more'
      return this.#fail(`was still running after ${seconds} seconds${remedy}`)
    })
  }

  #checked(value: unknown): PolicyRun {
    if (value === null || typeof value !== 'object') return this.#fail('does not return an object of occasions')
    const run = value as PolicyRun
    for (const name of occasions) {
      if (run[name] !== undefined && typeof run[name] !== 'function') {
        this.#fail(`returns an occasion "${name}" that is not a function`)
      }
    }
    if (!occasions.some((name) => run[name])) {
      this.#fail(`returns none of the occasions ${occasions.join(', ')}`)
    }
    return run
  }

  #watched(start: () => PolicyRun, policy: Pick<Policy, 'kind' | 'text'>): RestartableRun {
    let run = start()
    const view = (window: Window): WindowView => {
      this.#view ??= new WindowView(window, policy)
      return this.#view
    }
    const watched: RestartableRun = {
      // Always present, even if the policy lacks it: it keeps track of the current message for errors.
      message: (window: Window, entry: Entry) =>
        this.#call('its occasion "message"', entry.index, () => run.message?.(view(window), view(window).entry(entry))),
      restart: () => {
        this.#message++
        run = start()
      },
    }
    for (const name of ['request', 'exchangeEnd'] as const) {
      watched[name] = (window: Window, moment: Moment) =>
        this.#call(`its occasion "${name}"`, moment.messages, () => run[name]?.(view(window), moment))
    }
    return run.message || run.request || run.exchangeEnd ? watched : {}
  }

  #call<T>(doing: string, message: number, act: () => T): T {
    this.#doing = doing
    this.#message = message
    return atOnce(
      act,
      () => this.#fail('returns a promise: a policy decides at once'),
      (error) => this.#fail(this.#wordsOf(error)),
    )
  }

  #wordsOf(error: unknown): string {
    if (error instanceof Misuse || error instanceof CtxwinError) return error.message
    return (this.#options.trial ? threwWords : threwWhat)(error, this.#options.module)
  }

  #fail(what: string): never {
    const { module, place } = this.#options
    throw new CtxwinError('bad-policy', module, `${place(this.#message)}: ${this.#doing} ${what}`)
  }
}
