/**
 * The second witness of a check: what a transcript holds, and how that agrees with what the provider counted. A count that is
 * fitted to the recorded usage agrees with it whatever is missing, so both are told apart here: the sums that do not
 * depend on any fit, and the fit of today, which a baseline keeps and holds later sums against.
 */

export interface Witness {
  /** System prompt, tools, messages and summaries, each once, as the estimator counts them before usage corrects it. */
  readonly contentTokens: number
  /** Null where no request with recorded usage can be compared. */
  readonly usage: UsageSums | null
}

/** Sums over the recorded agent's own requests, whatever the policy: all that any fit's count of them follows from. */
export interface UsageSums {
  readonly requests: number
  /** What the provider counted. */
  readonly inputTokens: number
  /** Requests whose whole history is known; the others are compared by what they added to one that is taken as recorded. */
  readonly heads: number
  /** Uncorrected tokens of what is counted of them, and hidden reasoning beyond that. */
  readonly tokens: number
  readonly beyond: number
  /** What is taken as recorded. */
  readonly anchored: number
  /** By how much more the recorded input grew than what is counted of it, from request to request; null where nothing grew. */
  readonly growth: number | null
  /** What agrees with the sum of these very requests. */
  readonly fit: Fit
}

/** The numbers that recorded usage tells: see docs/estimators.md. */
export interface Fit {
  /** Tokens of each request that the transcript does not hold. */
  readonly preamble: number
  readonly factor: number
  readonly thought: number
}

/** How far a fit's count of the requests is from what the provider counted, in percent; negative where it is too little. */
export function offPercent(sums: Omit<UsageSums, 'fit' | 'growth'>, { preamble, factor, thought }: Fit): number {
  const { inputTokens, heads, tokens, beyond, anchored } = sums
  const counted = preamble * heads + factor * tokens + thought * beyond + anchored
  return inputTokens === 0 ? 0 : (100 * (counted - inputTokens)) / inputTokens
}
