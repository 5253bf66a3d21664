/** Counts tokens: full, sent, saved, the peak, and the requests over the budget or over the model's window. */
import { percent, type Run } from '../model/run.ts'
import type { Measure, Request } from './measure.ts'

export type TokenTotals = Pick<
  Run,
  | 'fullTokens'
  | 'sentTokens'
  | 'savedTokens'
  | 'savedPercent'
  | 'peakTokens'
  | 'overBudgetRequests'
  | 'overWindowRequests'
>

export class Tokens implements Measure<TokenTotals> {
  believed = 0
  /** Requests that were sent with more tokens than the model's window has. */
  overWindowSent = 0
  readonly #budget: number
  readonly #window: number
  #full = 0
  #sent = 0
  #peak = 0
  #overBudget = 0
  #overWindow = 0

  /**
   * @param budget in tokens; 0 means no budget, and nothing is over it
   * @param window the model's context window in tokens; null if it is not known, and then nothing is over it
   */
  constructor(budget: number, window: number | null) {
    this.#budget = budget || Infinity
    this.#window = window ?? Infinity
  }

  /**
   * @param recorded its tokens as the provider counted them, where it was sent just so; null where it was not, or
   * nobody counted
   */
  request(
    { fullTokens, sentTokens, believedTokens }: Pick<Request, 'fullTokens' | 'sentTokens' | 'believedTokens'>,
    recorded: number | null = null,
  ): void {
    const size = recorded ?? sentTokens
    this.#full += fullTokens
    this.#sent += sentTokens
    this.believed += believedTokens
    this.#peak = Math.max(this.#peak, size)
    if (size > this.#budget) this.#overBudget++
    // Unpruned requests count here: one over the window would have failed without a policy.
    if (fullTokens > this.#window) this.#overWindow++
    if (size > this.#window) this.overWindowSent++
  }

  result(): TokenTotals {
    const saved = this.#full - this.#sent
    return {
      fullTokens: this.#full,
      sentTokens: this.#sent,
      savedTokens: saved,
      savedPercent: percent(saved, this.#full),
      peakTokens: this.#peak,
      overBudgetRequests: this.#overBudget,
      overWindowRequests: this.#overWindow,
    }
  }
}
