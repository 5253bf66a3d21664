/**
 * A replay that can be stepped: it walks the messages of a trace once, lets a policy edit the window at its occasions, and
 * hands each occasion out before it goes on. It measures nothing: a driver (`replay.ts`) folds the occasions into figures.
 * Between two occasions everything stands still, so a driver may look at the window for as long as it likes.
 */

import type { Request, Sent } from '../measures/measure.ts'
import { Exchanges } from '../model/exchanges.ts'
import type { Cut, Cutoff } from '../model/run.ts'
import type { Sizes } from '../model/sizes.ts'
import type { Trace } from '../model/trace.ts'
import type { Moment, PolicyRun } from '../policies/policy.ts'
import type { Contents } from './contents.ts'
import type { Rewritten } from './rewritten.ts'
import { WholeHistory } from './whole.ts'
import { EditableWindow, type SummaryCall } from './window.ts'

/** What the steps of a replay depend on. What they cost depends on more: see `Settings`. */
export interface StepSettings {
  readonly policy: PolicyRun
  /** The policy's edits stand (`sticky`), or it may ask for the history back (`view`). */
  readonly kind: 'sticky' | 'view'
  /** The policy acts also where there is no budget. */
  readonly budgetless?: boolean
  /** Tokens; 0 = no pruning. */
  readonly budget: number
  readonly sizes: Sizes
  /** How the policy counts, if that differs from `sizes`. */
  readonly believed?: Sizes
  readonly rewritten?: Rewritten
}

/** What has just happened. Wherever the policy acts, its summaries and its cut come first, then the occasion that it acted for. */
export type Occasion =
  /** Message `index` was added to the window. */
  | { readonly kind: 'message'; readonly index: number }
  /** A request goes out with the contents of the window. */
  | { readonly kind: 'request'; readonly request: Request }
  /** The exchange before message `next` is over. The one that is still open at the end of the trace is not: its agent would go on. */
  | { readonly kind: 'exchangeEnd'; readonly next: number }
  /** The history starts anew with message `next` (`/clear`). */
  | { readonly kind: 'reset'; readonly next: number }
  /** A model has to write a summary before request `request` goes out. */
  | { readonly kind: 'summary'; readonly call: SummaryCall; readonly request: number }
  /** The policy moved the cutoff before message `next`. */
  | { readonly kind: 'cut'; readonly cut: MovedCutoff; readonly next: number }

/** A cut whose cost is not known yet. */
export type MovedCutoff = Omit<Cut, 'breakEvenRequests'>

export class Steps {
  readonly trace: Trace
  /** What a policy that acts edits; null for one that never does. */
  readonly window: EditableWindow | null
  readonly history: WholeHistory
  /** What goes out: the window, or the whole history where no policy acts. */
  readonly sent: Sent & Contents
  readonly exchanges: Exchanges
  /** How many requests have gone out so far. */
  requests = 0
  /** The exchange that the walk is in; -1 before the first user message. */
  exchange = -1
  readonly #policy: PolicyRun

  constructor(trace: Trace, settings: StepSettings) {
    const { policy, budget, sizes, believed = null, kind, rewritten } = settings
    this.trace = trace
    this.#policy = policy
    const acts = budget > 0 || settings.budgetless === true
    const prunes = acts && Boolean(policy.message || policy.request || policy.exchangeEnd)
    this.window = prunes
      ? new EditableWindow(trace, {
          ...{ budget, sent: sizes, believed, keepsDropped: kind === 'view' },
          ...(rewritten && { rewritten }),
        })
      : null
    this.history = new WholeHistory(trace, sizes)
    this.sent = this.window ?? this.history
    this.exchanges = new Exchanges(trace)
  }

  /** All occasions, in order. They can be walked once. */
  *occasions(): Generator<Occasion, void> {
    const { trace, window, history } = this
    const policy = this.#policy
    for (let index = 0; index < trace.length; index++) {
      if (trace.isPrompt(index)) {
        yield* this.#endExchange(index)
        this.exchange++
      }
      if (trace.isReset(index)) {
        window?.clear()
        if (window) policy.reset?.()
        history.clear()
        yield { kind: 'reset', next: index }
      }
      if (trace.isResponse(index)) {
        const told =
          policy.request && this.#act(index, (window) => policy.request?.(window, this.#moment(index, false)))
        if (told) yield* told
        const request = this.#requestAt(index)
        this.requests++
        yield { kind: 'request', request }
      }
      history.append(index)
      if (window) {
        const entry = window.append(index)
        const told = policy.message && this.#act(index + 1, (window) => policy.message?.(window, entry))
        if (told) yield* told
      }
      yield { kind: 'message', index }
    }
    yield* this.#endExchange(trace.length)
  }

  /** After the last occasion: lets the policy act for the request that would follow, which was never made. */
  prepareNext(): void {
    if (this.window) this.#policy.request?.(this.window, this.#moment(this.trace.length, false))
  }

  /** The exchange and line of the first message that is still in the window; null if nothing was dropped. */
  get cutoff(): Cutoff | null {
    return this.window?.cutoff == null ? null : this.#place(this.window.cutoff)
  }

  *#endExchange(index: number): Generator<Occasion, void> {
    const state = this.exchanges.at(this.exchange)?.state ?? 'open'
    if (state === 'open') return
    const policy = this.#policy
    const told = this.#act(index, (window) => policy.exchangeEnd?.(window, this.#moment(index, state === 'complete')))
    if (told) yield* told
    yield { kind: 'exchangeEnd', next: index }
  }

  /**
   * Lets the policy act.
   * @param next index of the next message
   * @returns the summaries and the cut that come of it; null, as nearly always, where there are none: an empty list costs a walk
   */
  #act(next: number, act: (window: EditableWindow) => void): readonly Occasion[] | null {
    const { window, requests } = this
    if (!window) return null
    const before = window.cutoff
    const tokensBefore = window.sentTokens
    window.beginOccasion()
    act(window)
    const calls = window.takeSummaries()
    const { cutoff } = window
    const hasMoved = cutoff !== before && cutoff !== null
    if (calls.length === 0 && !hasMoved) return null
    const told: Occasion[] = calls.map((call) => ({ kind: 'summary', call, request: requests }))
    if (hasMoved) {
      const place = this.#place(cutoff)
      const evictedExchanges = window.takeEvicted()
      const cut = { request: requests, ...place, evictedExchanges, tokensBefore, tokensAfter: window.sentTokens }
      told.push({ kind: 'cut', cut, next })
    }
    return told
  }

  #requestAt(message: number): Request {
    const { trace, window, history, sent } = this
    const fullTokens = history.sentTokens
    return {
      index: this.requests,
      message,
      line: trace.line(message),
      exchange: this.exchange,
      fullTokens,
      sentTokens: sent.sentTokens,
      believedTokens: window ? window.tokens : fullTokens,
      sent,
    }
  }

  #moment(messages: number, answered: boolean): Moment {
    const { trace, requests } = this
    return {
      messages,
      answered,
      recordedInput: requests === 0 ? null : (trace.usage(requests - 1)?.input ?? null),
      idleSeconds: idleBefore(trace, requests),
    }
  }

  /** The exchange and line of message `index`. After the last message the line is 0. */
  #place(index: number): Cutoff {
    const { trace, exchanges } = this
    return { exchange: exchanges.holding(index), message: index, line: index < trace.length ? trace.line(index) : 0 }
  }
}

/** Seconds from the response before request `request` to the one after it; null where the transcript has no times. */
function idleBefore(trace: Trace, request: number): number | null {
  if (request === 0 || request >= trace.requests) return null
  const seconds = (trace.requestTime(request) - trace.requestTime(request - 1)) / 1000
  return Number.isNaN(seconds) ? null : Math.max(0, seconds)
}
