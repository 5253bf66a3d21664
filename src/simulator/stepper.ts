/**
 * What a replay does at one place: it lets the policy act, adds a message to the window, ends an exchange. Who calls it
 * knows the order: `Steps` (step.ts) walks a transcript that was read, an agent (src/live/) has its messages as they
 * come.
 */
import { Exchanges } from '../model/exchanges.ts'
import type { Cut, Cutoff } from '../model/run.ts'
import type { Trace } from '../model/trace.ts'
import type { Moment, RestartableRun } from '../policies/policy.ts'
import type { EditableWindow, WindowSummary } from './window.ts'

/** A cut whose cost is not known yet. */
export type MovedCutoff = Omit<Cut, 'breakEvenRequests'>

/** What came of an act of the policy. */
export type Acted =
  /** A model has to write a summary before request `request` goes out. */
  | { readonly kind: 'summary'; readonly call: WindowSummary; readonly request: number }
  /** The policy moved the cutoff before message `next`. */
  | { readonly kind: 'cut'; readonly cut: MovedCutoff; readonly next: number }

export class Stepper<Window extends EditableWindow = EditableWindow> {
  readonly trace: Trace
  /** What a policy that acts edits; null for one that never does. */
  readonly window: Window | null
  readonly exchanges: Exchanges
  /** How many requests have gone out so far. */
  requests = 0
  /** The exchange that the walk is in; -1 before the first user message. */
  exchange = -1
  readonly #policy: RestartableRun
  /** Of the first `#told` requests: the input that the provider recorded for the last, and the most for any. */
  #recordedInput: number | null = null
  #largestInput: number | null = null
  #told = 0

  constructor(trace: Trace, policy: RestartableRun, window: Window | null) {
    this.trace = trace
    this.#policy = policy
    this.window = window
    this.exchanges = new Exchanges(trace)
  }

  /** The exchange and line of the first message that is still in the window; null if nothing was dropped. */
  get cutoff(): Cutoff | null {
    return this.window?.cutoff == null ? null : this.#place(this.window.cutoff)
  }

  /**
   * Whether the exchange that the walk is in has ended, now that message `next` follows or the transcript is at its
   * end.
   */
  protected get hasEnded(): boolean {
    return (this.exchanges.at(this.exchange)?.state ?? 'open') !== 'open'
  }

  /** The agent is idle: the exchange before message `next` is over. */
  protected end(next: number): readonly Acted[] | null {
    const policy = this.#policy
    if (!policy.exchangeEnd) return null
    const answered = this.exchanges.at(this.exchange)?.state === 'complete'
    return this.#act(next, (window) => policy.exchangeEnd?.(window, this.#moment(next, answered)))
  }

  /** The history starts anew. */
  protected clear(): void {
    this.window?.clear()
    if (this.window) this.#policy.restart?.()
  }

  /** A request is about to go out, with the messages before `next`. */
  protected prepare(next: number): readonly Acted[] | null {
    const policy = this.#policy
    if (!policy.request) return null
    return this.#act(next, (window) => policy.request?.(window, this.#moment(next, false)))
  }

  /** Message `index` comes. */
  protected append(index: number): readonly Acted[] | null {
    const { window } = this
    if (!window) return null
    const policy = this.#policy
    const entry = window.append(index)
    if (!policy.message || !entry.inside) return null
    return this.#act(index + 1, (window) => policy.message?.(window, entry))
  }

  /** Seconds from the latest response to the one that comes next; null if no times are known. */
  protected idleSeconds(): number | null {
    const { trace, requests } = this
    if (requests === 0 || requests >= trace.requests) return null
    const seconds = (trace.requestTime(requests) - trace.requestTime(requests - 1)) / 1000
    return Number.isNaN(seconds) ? null : Math.max(0, seconds)
  }

  /**
   * Lets the policy act.
   * @param next index of the next message
   * @returns the summaries and the cut that come of it; null, as nearly always, where there are none: an empty list
   * costs a walk
   */
  #act(next: number, act: (window: Window) => void): readonly Acted[] | null {
    const { window, requests } = this
    if (!window) return null
    const before = window.cutoff
    const tokensBefore = window.sentTokens
    window.beginOccasion()
    act(window)
    window.unbind()
    const calls = window.takeSummaries()
    const { cutoff } = window
    const hasMoved = cutoff !== before && cutoff !== null
    if (calls.length === 0 && !hasMoved) return null
    const told: Acted[] = calls.map((call) => ({ kind: 'summary', call, request: requests }))
    if (hasMoved) {
      const place = this.#place(cutoff)
      const evictedExchanges = window.takeEvicted()
      const cut = { request: requests, ...place, evictedExchanges, tokensBefore, tokensAfter: window.sentTokens }
      told.push({ kind: 'cut', cut, next })
    }
    return told
  }

  #moment(messages: number, answered: boolean): Moment {
    const { trace, requests } = this
    for (; this.#told < requests; this.#told++) {
      const input = trace.usage(this.#told)?.input ?? null
      this.#recordedInput = input
      if (input !== null) this.#largestInput = Math.max(input, this.#largestInput ?? 0)
    }
    return {
      messages,
      answered,
      recordedInput: this.#recordedInput,
      largestInput: this.#largestInput,
      idleSeconds: this.idleSeconds(),
    }
  }

  /** The exchange and line of message `index`. After the last message the line is 0. */
  #place(index: number): Cutoff {
    const { trace, exchanges } = this
    return { exchange: exchanges.holding(index), message: index, line: index < trace.length ? trace.line(index) : 0 }
  }
}
