/**
 * Guards a user's own policy. Anything it does wrong becomes one line of error with the occasion and the line of the
 * transcript, so that the other files can still be read. It sees the window through views that refuse whatever would break
 * the window's totals. Built-in policies run without a guard.
 *
 * A policy that never returns is stopped by V8, which can run a script with a time limit. Such a call costs 0.3 ms (it
 * starts a thread), so there is one per replay, not per occasion. A worker could be stopped too, but the transcript would
 * have to be copied into it.
 */
import { types } from 'node:util'
import { createContext, runInContext } from 'node:vm'
import { CtxwinError } from '../base/errors.ts'
import type { Trace } from '../model/trace.ts'
import type { Entry, Moment, Policy, PolicyContext, PolicyRun, Window } from '../policies/policy.ts'
import { frozen, Misuse, WindowView } from './window-view.ts'

/** Seconds that a policy may take for one transcript if it does not set `seconds`. */
const defaultSeconds = 30

const occasions = ['message', 'request', 'exchangeEnd', 'reset'] as const

export interface GuardOptions {
  /** The module, as the user named it. */
  readonly module: string
  readonly seconds?: number | undefined
  /** The place of a message of the transcript, for error messages. */
  readonly place: (message: number) => string
  /**
   * The run is over the built-in conversation, not a transcript: errors contain nothing private, so their text is shown,
   * and the policy cannot extend the time.
   */
  readonly trial: boolean
}

/** The result of `act`. If it runs longer than `seconds`, it is stopped, and `late` is called. */
export function withinTime<T>(seconds: number, act: () => T, late: () => never): T {
  try {
    return runInContext('act()', createContext({ act }), { timeout: Math.ceil(seconds * 1000) }) as T
  } catch (error) {
    if ((error as NodeJS.ErrnoException | null)?.code !== 'ERR_SCRIPT_EXECUTION_TIMEOUT') throw error
    return late()
  }
}

/** Whether a value is a promise of any kind. A native one is handled, so that its rejection does not end the process. */
export function comesLater(value: unknown): boolean {
  // Not called on other promises: some libraries begin their work when `then` is called.
  if (types.isPromise(value)) Promise.prototype.then.call(value, undefined, () => {})
  return typeof (value as Partial<PromiseLike<unknown>> | null | undefined)?.then === 'function'
}

/** The file and line of message `index`, for error messages. */
export function placeIn(trace: Trace): (index: number) => string {
  return (index) => `${trace.head.file}, line ${trace.length === 0 ? 0 : trace.line(Math.min(index, trace.length - 1))}`
}

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
    work: (run: PolicyRun) => T,
  ): T {
    const seconds = this.#options.seconds ?? defaultSeconds
    const act = (): T => {
      const run = this.#call('its `start`', 0, () => policy.start(frozen({ ...values }), frozen(context)))
      return work(this.#watched(this.#checked(run), policy))
    }
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
      this.#fail(`returns none of the occasions ${occasions.slice(0, 3).join(', ')}`)
    }
    return run
  }

  #watched(run: PolicyRun, policy: Pick<Policy, 'kind' | 'text'>): PolicyRun {
    const view = (window: Window): WindowView => {
      this.#view ??= new WindowView(window, policy)
      return this.#view
    }
    const watched: PolicyRun = {
      // Always present, even if the policy lacks it: it keeps track of the current message for errors.
      message: (window: Window, entry: Entry) =>
        this.#call('its occasion "message"', entry.index, () => run.message?.(view(window), view(window).entry(entry))),
      reset: () => this.#call('its occasion "reset"', this.#message + 1, () => run.reset?.()),
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
    let result: T
    let isLate: boolean
    try {
      result = act()
      isLate = comesLater(result)
    } catch (error) {
      return this.#fail(this.#wordsOf(error))
    }
    return isLate ? this.#fail('returns a promise: a policy decides at once') : result
  }

  #wordsOf(error: unknown): string {
    if (error instanceof Misuse) return error.message
    if (!(error instanceof Error)) return `threw ${error === null ? 'null' : `a value of type ${typeof error}`}`
    const name = /^[A-Za-z]{1,40}$/.test(error.name) ? error.name : 'Error'
    if (this.#options.trial) return `threw ${name}: ${String(error.message).split('\n')[0]}`
    const file = this.#options.module.split(/[\\/]/).at(-1) ?? ''
    const [, line] = String(error.stack).split(`${file}:`)
    const at = /^\d+/.exec(line ?? '')
    return `threw ${name}${at ? ` in its line ${at[0]}` : ''}`
  }

  #fail(what: string): never {
    const { module, place } = this.#options
    throw new CtxwinError('bad-policy', module, `${place(this.#message)}: ${this.#doing} ${what}`)
  }
}
