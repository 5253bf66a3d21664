/**
 * The plain driver of a replay: it walks the steps from the first to the last, shows each request to the measures and
 * to the observers, and folds what they count into a run. Policies decide, measures count.
 */

import type { CacheBehaviour } from '../measures/cache-behaviour.ts'
import { CostMeter } from '../measures/cost.ts'
import type { Request, Sent } from '../measures/measure.ts'
import { Tokens, type TokenTotals } from '../measures/tokens.ts'
import { ValidityCounts } from '../measures/validity.ts'
import { WholeBill } from '../measures/whole-bill.ts'
import type { Cut, Exact, FirstFault, Run } from '../model/run.ts'
import type { Sizes } from '../model/sizes.ts'
import type { RequestBill } from '../model/stored.ts'
import type { Trace } from '../model/trace.ts'
import type { Pricing } from '../models/pricing.ts'
import type { Contents } from './contents.ts'
import { CutColumns } from './cut-columns.ts'
import { type Occasion, type StepSettings, Steps } from './step.ts'
import type { MovedCutoff } from './stepper.ts'
import type { WindowSummary } from './window.ts'

export interface Settings extends StepSettings {
  /** The model's context window in tokens, or null. */
  readonly modelWindow: number | null
  readonly pricing: Pricing
  /** See `Policy`. */
  readonly summariesShareThePrompt?: true
  /** Which part of what the cache could serve it does serve. */
  readonly cache: CacheBehaviour
  /** What runs share that count and price alike; without it, the run works it out for itself. */
  readonly wholeBill?: WholeBill
  /** The provider refuses a request that begins with the model; default false. */
  readonly beginsWithUser?: boolean
  /** See `Policy`. */
  readonly repeats?: true
}

/** Watches the replay: for rows, `history`, and optional measures. */
export interface Observer {
  /**
   * It can wait: of the requests before the first edit it wants to know their figures alone, and may be shown them at
   * that edit, or at the end, with the whole history as their window. Default: no.
   */
  readonly waits?: true
  /** A request goes out with the current contents of the window. */
  request?(request: Request, window: Contents): void
  /** What the request costs that is about to go out: called right before `request`. */
  billed?(bill: RequestBill): void
  /**
   * The policy moved the cutoff before message `next`. Called when the cut's cost is known: right before the next
   * request goes out, or before the end.
   */
  cut?(cut: Cut, next: number): void
  /** A model has to write a summary before request `request` goes out. */
  summary?(call: WindowSummary, request: number): void
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
    readonly thinkingLostTokens: number
    readonly exact: Omit<Exact, 'todayRecorded'> & { readonly inputRecorded: number }
    readonly believedTokens: number
    readonly firstFaults: readonly FirstFault[]
  }

/** Replays a trace under one policy, one way of counting and one budget. */
export function replay(trace: Trace, settings: Settings, observers: readonly Observer[] = []): Replayed {
  const steps = new Steps(trace, settings)
  const fold = new Fold(steps, settings, observers)
  for (const occasion of steps.occasions()) fold.take(occasion)
  return fold.result()
}

/** Folds the occasions of a replay into its figures. */
export class Fold {
  readonly #steps: Steps
  readonly #observers: readonly Observer[]
  readonly #tokens: Tokens
  readonly #validity: ValidityCounts
  readonly #cost: CostMeter
  readonly #cuts = new CutColumns()
  readonly #preambleTokens: number
  readonly #sharesThePrompt: boolean
  /** Its requests are those that were recorded, as large as the provider counted them. */
  readonly #repeats: boolean
  readonly #sizes: Sizes
  /** Units, by the latest request. */
  #lostThoughts = 0

  constructor(steps: Steps, settings: Settings, observers: readonly Observer[]) {
    const { trace, window, history } = steps
    const { budget, sizes, pricing, cache, modelWindow } = settings
    this.#steps = steps
    this.#sizes = sizes
    this.#observers = observers
    this.#tokens = new Tokens(budget, modelWindow)
    this.#validity = new ValidityCounts({
      whole: history,
      beginsWithUser: settings.beginsWithUser === true,
      taken: settings.repeats === true,
    })
    const billed = observers.some((observer) => observer.billed)
      ? (bill: RequestBill) => {
          for (const observer of observers) observer.billed?.(bill)
        }
      : null
    const wholeBill = settings.wholeBill ?? new WholeBill(trace, sizes, pricing, cache)
    this.#cost = new CostMeter(wholeBill, window !== null, billed)
    this.#preambleTokens = sizes.tokens(sizes.preamble)
    this.#sharesThePrompt = settings.summariesShareThePrompt === true
    this.#repeats = settings.repeats === true
  }

  take(occasion: Occasion): void {
    if (occasion.kind === 'request') this.#request(occasion.request)
    else if (occasion.kind === 'summary') this.#summary(occasion.call, occasion.request)
    else if (occasion.kind === 'cut') this.#cut(occasion.cut, occasion.next)
  }

  /**
   * The requests before the first edit of the window, all at once.
   * @param requests each with the whole history as `sent`
   */
  takeUnedited(requests: readonly Request[]): void {
    const { history } = this.#steps
    this.#cost.unedited(requests)
    for (const request of requests) {
      this.#tokens.request(request, this.#recordedOf(request))
      this.#cost.bill(request, null)
      for (const observer of this.#observers) observer.request?.(request, history)
    }
  }

  /** After the last occasion. */
  result(): Replayed {
    const { trace, exchanges, requests, window, sent, cutoff } = this.#steps
    const [tokens, validity, cost, observers] = [this.#tokens, this.#validity, this.#cost, this.#observers]
    cost.end()
    for (const observer of observers) observer.end?.(sent)
    const replayed: Replayed = {
      messages: trace.length,
      exchanges: exchanges.length,
      requests,
      preambleTokens: this.#preambleTokens,
      ...tokens.result(),
      cuts: this.#cuts,
      cutoff,
      thinkingLostTokens: this.#sizes.tokens(this.#lostThoughts),
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
      this.#steps.prepareNext()
      for (const observer of observers) observer.next?.(sent)
    }
    return replayed
  }

  #request(request: Request): void {
    this.#lostThoughts = this.#steps.window?.lostThoughts ?? 0
    this.#tokens.request(request, this.#recordedOf(request))
    this.#validity.request(request)
    this.#cost.request(request)
    for (const observer of this.#observers) observer.request?.(request, this.#steps.sent)
  }

  #recordedOf({ index }: Request): number | null {
    return this.#repeats ? (this.#steps.trace.usage(index)?.input ?? null) : null
  }

  #summary(call: WindowSummary, request: number): void {
    this.#cost.summary(call, request, this.#sharesThePrompt)
    for (const observer of this.#observers) observer.summary?.(call, request)
  }

  #cut(cut: MovedCutoff, next: number): void {
    this.#cost.cut(cut, (breakEvenRequests) => {
      this.#cuts.push(cut, breakEvenRequests)
      for (const observer of this.#observers) observer.cut?.(this.#cuts.at(-1) as Cut, next)
    })
  }
}
