/**
 * A policy of the user's own at work. Whatever it does wrong is one sentence that says in which occasion and at which
 * line of which transcript, so that one bad file does not end a run over many; and it sees the window through views that
 * refuse what would break the window's totals. Built-in policies run bare.
 *
 * A policy that never returns is ended by V8 itself, which takes a script with a time limit. One such call costs 0.3 ms
 * (it starts a thread), so there is one for a whole replay and not one for each occasion. A worker could be ended too,
 * but the transcript would have to be copied into it.
 */
import { types } from 'node:util'
import { createContext, runInContext } from 'node:vm'
import { CtxwinError } from '../base/errors.ts'
import type { Trace } from '../model/trace.ts'
import type { Entry, Moment, Policy, PolicyContext, PolicyRun, Window } from '../policies/policy.ts'
import { frozen, Misuse, WindowView } from './window-view.ts'

/** Seconds that a replay of one transcript may take, where the policy does not say. */
const defaultSeconds = 30

const occasions = ['message', 'request', 'exchangeEnd', 'reset'] as const

export interface GuardOptions {
  /** The module, as the user named it. */
  readonly module: string
  readonly seconds?: number | undefined
  /** Of a message of the transcript, for the sentence about what went wrong there. */
  readonly place: (message: number) => string
  /**
   * On a small conversation of ours, and not on a transcript: the words of an error repeat nothing private, so they are
   * told, and no word of the policy's makes the time longer.
   */
  readonly trial: boolean
}

/** What `act` comes to; code of the user's that is still at work after so many seconds is ended, and `late` is called. */
export function withinTime<T>(seconds: number, act: () => T, late: () => never): T {
  try {
    return runInContext('act()', createContext({ act }), { timeout: Math.ceil(seconds * 1000) }) as T
  } catch (error) {
    if ((error as NodeJS.ErrnoException | null)?.code !== 'ERR_SCRIPT_EXECUTION_TIMEOUT') throw error
    return late()
  }
}

/** Whether a value is a promise, of whatever library. What it comes to is of no use, and must not end the process. */
export function comesLater(value: unknown): boolean {
  // Some libraries' promises begin their work when `then` is called; theirs is left alone.
  if (types.isPromise(value)) Promise.prototype.then.call(value, undefined, () => {})
  return typeof (value as Partial<PromiseLike<unknown>> | null | undefined)?.then === 'function'
}

/** Where message `index` of a transcript stands, in words. */
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
   * What `work` makes of the policy's run.
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
      const remedy = this.#options.trial ? '' : ': if it needs more, say so with `seconds` in it'
      return this.#fail(`was at work when ${seconds} seconds were over${remedy}`)
    })
  }

  #checked(value: unknown): PolicyRun {
    if (value === null || typeof value !== 'object') return this.#fail('returns no object of occasions')
    const run = value as PolicyRun
    for (const name of occasions) {
      if (run[name] !== undefined && typeof run[name] !== 'function') {
        this.#fail(`returns an occasion "${name}" that is no function`)
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
      // Always there, because only here is it told which message has come.
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
