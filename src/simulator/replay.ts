/**
 * The core of the simulator: replays a trace under one policy, one way of counting and one budget. It walks the messages
 * once. Before each response the policy acts, and then a request goes out. Policies decide, measures count.
 */

import type { CacheBehaviour } from '../measures/cache-behaviour.ts'
import { CostMeter } from '../measures/cost.ts'
import type { Request, Sent } from '../measures/measure.ts'
import { Tokens, type TokenTotals } from '../measures/tokens.ts'
import { ValidityCounts } from '../measures/validity.ts'
import { WholeBill } from '../measures/whole-bill.ts'
import { Exchanges } from '../model/exchanges.ts'
import type { Cut, Cutoff, Exact, FirstFault, Run } from '../model/run.ts'
import type { Sizes } from '../model/sizes.ts'
import type { RequestBill } from '../model/stored.ts'
import type { Trace } from '../model/trace.ts'
import type { Pricing } from '../models/pricing.ts'
import type { Moment, PolicyRun } from '../policies/policy.ts'
import type { Contents } from './contents.ts'
import { CutColumns } from './cut-columns.ts'
import type { Rewritten } from './rewritten.ts'
import { WholeHistory } from './whole.ts'
import { EditableWindow, type SummaryCall } from './window.ts'

export interface Settings {
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
  /** The model's context window in tokens, or null. */
  readonly modelWindow: number | null
  readonly pricing: Pricing
  /** See `Policy`. */
  readonly summariesShareThePrompt?: true
  /** Which part of what the cache could serve it does serve. */
  readonly cache: CacheBehaviour
  /** What runs share that count and price alike; without it, the run works it out for itself. */
  readonly wholeBill?: WholeBill
  readonly rewritten?: Rewritten
  /** The provider refuses a request that begins with the model; default false. */
  readonly beginsWithUser?: boolean
  /** See `Policy`. */
  readonly repeats?: true
}

/** Watches the replay: for rows, `history`, and optional measures. */
export interface Observer {
  /** A request goes out with the current contents of the window. */
  request?(request: Request, window: Contents): void
  /** What the request costs that is about to go out: called right before `request`. */
  billed?(bill: RequestBill): void
  /**
   * The policy moved the cutoff before message `next`. Called when the cut's cost is known: right before the next request
   * goes out, or before the end.
   */
  cut?(cut: Cut, next: number): void
  /** A model has to write a summary before request `request` goes out. */
  summary?(call: SummaryCall, request: number): void
  /** The transcript is at its end. */
  end?(window: Sent & Contents): void
  /**
   * The request that would follow the last response, after the policy has acted for it. It was never made, so no figure
   * counts it.
   */
  next?(window: Contents): void
}

export type Replayed = TokenTotals &
  Pick<Run, 'messages' | 'exchanges' | 'requests' | 'preambleTokens' | 'cuts' | 'cutoff' | 'validity' | 'cost'> & {
    readonly exact: Omit<Exact, 'todayRecorded'> & { readonly inputRecorded: number }
    readonly believedTokens: number
    readonly firstFaults: readonly FirstFault[]
  }

/**
 * @param whole what is known of the run of a policy that never edits. Where it is given, measures wait until the policy edits:
 * one that never does has that run, if it is known. Observers are then shown the requests before the first edit at that edit,
 * with the whole history as their window, or not at all.
 */
export function replay(
  trace: Trace,
  settings: Settings,
  observers: readonly Observer[] = [],
  whole: { readonly known: Replayed | null } | null = null,
): Replayed {
  const { policy, sizes } = settings
  const acts = settings.budget > 0 || settings.budgetless === true
  const prunes = acts && Boolean(policy.message || policy.request || policy.exchangeEnd)
  const window = prunes
    ? new EditableWindow(trace, {
        budget: settings.budget,
        sent: sizes,
        believed: settings.believed ?? null,
        keepsDropped: settings.kind === 'view',
        ...(settings.rewritten && { rewritten: settings.rewritten }),
      })
    : null
  const history = new WholeHistory(trace, sizes)
  if (whole?.known && !window) return whole.known
  const sent: Sent & Contents = window ?? history
  const tokens = new Tokens(settings.budget, settings.modelWindow)
  const validity = new ValidityCounts({
    whole: history,
    beginsWithUser: settings.beginsWithUser === true,
    taken: settings.repeats === true,
  })
  const billed = observers.some((observer) => observer.billed)
    ? (bill: RequestBill) => {
        for (const observer of observers) observer.billed?.(bill)
      }
    : null
  const wholeBill = settings.wholeBill ?? new WholeBill(trace, sizes, settings.pricing, settings.cache)
  const cost = new CostMeter(wholeBill, window !== null, billed)
  const cuts = new CutColumns()
  const exchanges = new Exchanges(trace)
  let requests = 0
  let exchange = -1
  /** The requests before the first edit, if they wait for it. */
  let unedited: Request[] | null = whole && window ? [] : null

  const measure = (request: Request): void => {
    tokens.request(request)
    validity.request(request)
    cost.request(request)
    for (const observer of observers) observer.request?.(request, sent)
  }

  const measureUnedited = (waiting: readonly Request[]): void => {
    unedited = null
    cost.unedited(waiting)
    for (const request of waiting) {
      tokens.request(request)
      cost.bill(request, null)
      for (const observer of observers) observer.request?.(request, history)
    }
  }

  const moment = (index: number, answered: boolean): Moment => ({
    messages: index,
    answered,
    recordedInput: requests === 0 ? null : (trace.usage(requests - 1)?.input ?? null),
    idleSeconds: idleBefore(trace, requests),
  })

  /** Lets the policy act, and records a cut if the cutoff has moved. @param next index of the next message */
  const occasion = (next: number, act: (window: EditableWindow) => void): void => {
    if (!window) return
    const before = window.cutoff
    const tokensBefore = window.sentTokens
    window.beginOccasion()
    act(window)
    if (unedited && window.edits > 0) measureUnedited(unedited)
    for (const call of window.takeSummaries()) {
      cost.summary(call, requests, settings.summariesShareThePrompt === true)
      for (const observer of observers) observer.summary?.(call, requests)
    }
    if (window.cutoff === before || window.cutoff === null) return
    const { exchange, message, line } = place(trace, exchanges, window.cutoff)
    const evictedExchanges = window.takeEvicted()
    const { sentTokens: tokensAfter } = window
    const cut = { request: requests, exchange, message, line, evictedExchanges, tokensBefore, tokensAfter }
    cost.cut(cut, (breakEvenRequests) => {
      cuts.push(cut, breakEvenRequests)
      for (const observer of observers) observer.cut?.(cuts.at(-1) as Cut, next)
    })
  }

  // An open exchange has not ended: the agent would continue with the same window.
  const endExchange = (index: number): void => {
    const state = exchanges.at(exchange)?.state ?? 'open'
    if (state === 'open') return
    occasion(index, (window) => policy.exchangeEnd?.(window, moment(index, state === 'complete')))
  }

  for (let index = 0; index < trace.length; index++) {
    if (trace.isPrompt(index)) {
      endExchange(index)
      exchange++
    }
    if (trace.isReset(index)) {
      window?.clear()
      if (window) policy.reset?.()
      history.clear()
    }
    if (trace.isResponse(index)) {
      if (policy.request) occasion(index, (window) => policy.request?.(window, moment(index, false)))
      const fullTokens = history.sentTokens
      const request: Request = {
        index: requests,
        message: index,
        line: trace.line(index),
        exchange,
        fullTokens,
        sentTokens: sent.sentTokens,
        believedTokens: window ? window.tokens : fullTokens,
        sent: unedited ? history : sent,
      }
      requests++
      if (unedited) unedited.push(request)
      else measure(request)
    }
    history.append(index)
    if (window) {
      const entry = window.append(index)
      if (policy.message) occasion(index + 1, (window) => policy.message?.(window, entry))
    }
  }
  endExchange(trace.length)
  if (unedited && whole?.known) {
    return { ...whole.known, exact: { ...whole.known.exact, heedsBudget: window?.heedsBudget ?? false } }
  }
  if (unedited) measureUnedited(unedited)
  cost.end()
  for (const observer of observers) observer.end?.(sent)

  const replayed: Replayed = {
    messages: trace.length,
    exchanges: exchanges.length,
    requests,
    preambleTokens: sizes.tokens(sizes.preamble),
    ...tokens.result(),
    cuts,
    cutoff: window?.cutoff == null ? null : place(trace, exchanges, window.cutoff),
    validity: validity.result(),
    cost: cost.result(),
    believedTokens: tokens.believed,
    exact: {
      cacheHitTokens: cost.hitTokens,
      inputRecorded: cost.inputRecorded,
      overWindowSent: tokens.overWindowSent,
      invalidRequests: validity.refused,
      edits: window?.edits ?? 0,
      heedsBudget: window?.heedsBudget ?? false,
    },
    firstFaults: validity.first,
  }
  if (observers.some(({ next }) => next)) {
    if (window) policy.request?.(window, moment(trace.length, false))
    for (const observer of observers) observer.next?.(sent)
  }
  return replayed
}

/** Seconds from the response before request `request` to the one after it; null where the transcript has no times. */
function idleBefore(trace: Trace, request: number): number | null {
  if (request === 0 || request >= trace.requests) return null
  const seconds = (trace.requestTime(request) - trace.requestTime(request - 1)) / 1000
  return Number.isNaN(seconds) ? null : Math.max(0, seconds)
}

/** The exchange and line of message `index`. After the last message the line is 0. */
function place(trace: Trace, exchanges: Exchanges, index: number): Cutoff {
  return { exchange: exchanges.holding(index), message: index, line: index < trace.length ? trace.line(index) : 0 }
}
