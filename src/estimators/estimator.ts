/**
 * The estimator contract: how many tokens a request has. Every estimator is additive: a request is its preamble plus its
 * messages plus their joins, so a step of the replay costs O(1). An estimator works in two steps: a *meter* sizes each
 * message once, while the transcript is read, in units of its own (bytes, tokens, …); a *scale* turns a sum of units into
 * tokens when the whole transcript is known.
 */

import type { Params, Values } from '../base/param.ts'
import type { Named } from '../base/registry.ts'
import type { ApiName, Message, Preamble, ProviderName } from '../model/message.ts'
import type { Passing } from '../model/passing.ts'
import type { Joins } from '../model/sizes.ts'
import type { Trace } from '../model/trace.ts'
import type { Guess } from './filter.ts'

export interface MeterContext {
  readonly provider: ProviderName
  readonly model: string | null
  /** By which its requests are sent; default: the provider's usual one. */
  readonly api?: ApiName
  /** What a request says besides what the model reads; default: the model, and that it may write little. */
  readonly settings?: { readonly model: string | null; readonly maxTokens: number }
  /** Tokens of what the program's requests usually have beside what transcripts record of them. */
  readonly usual?: Guess
  /** Puts the sizes that the transcript brings along in front of a meter, once the whole transcript is known. */
  readonly brought?: (meter: Meter) => Meter
}

export interface Meter {
  /** Units of one message alone. */
  message(message: Message): number
  /** Units of a request without messages. */
  preamble(preamble: Preamble): number
  joins(preamble: Preamble): Joins
}

/** Turns the units of one transcript into tokens. */
export interface Scale {
  /** Whole tokens of a request with that many units. Never decreases with more units. */
  tokens(units: number): number
  /** The inverse of `tokens`, for a preamble that is given in tokens. */
  units(tokens: number): number
  /** Units of transcript message `index`, if recorded usage tells more than the meter. */
  of?(index: number): number
  /** Units of hidden reasoning, where the model drops it at the next prompt. */
  readonly passing?: Passing
  /** The same, where it stays: a part of `of`. */
  thoughts?(index: number): number
  /**
   * Tokens by which nine of ten requests are off at most, where usage corrects the count.
   * @param units of its messages
   */
  reach?(units: number): number
  /** Tokens of one unit before recorded usage corrects that, where it does. */
  readonly uncorrected?: number
  /** Tokens of the preamble, if the estimator knows better than the recorded preamble. */
  readonly preambleTokens?: number
  /** The name in reports, if it is more than the estimator's: "calibrated(claude-4.6)". */
  readonly label?: string
}

export interface Estimator<P extends Params = Params> extends Named {
  /** Increased when the same content may give other figures: baselines made with another version are refused. */
  readonly version: number
  /** The document or program it follows. */
  readonly source: string
  readonly params: P
  /** Whether the figure is exact by definition, or an estimate of what the provider would count. */
  readonly exact: boolean
  meter(context: MeterContext, values: Values<P>): Meter
  /**
   * The estimator that counts a transcript in its place if too little usage is recorded to correct this one; null where it
   * does that itself. Both must be in tokens.
   */
  uncorrected?(context: MeterContext): Uncorrected | null
  /**
   * @param meter the index of this estimator's meter in the trace
   * @param context as for `meter`, now with the whole transcript known
   */
  scale(trace: Trace, meter: number, values: Values<P>, context: MeterContext): Scale
}

/** An estimator with values for its params. */
export interface Uncorrected {
  readonly plugin: Estimator
  readonly values: Readonly<Record<string, unknown>>
}

/** The scale of units that are tokens. */
export const tokenScale: Pick<Scale, 'tokens' | 'units'> = {
  tokens: (units) => Math.ceil(units),
  units: (tokens) => tokens,
}

export function defineEstimator<const P extends Params>(estimator: Estimator<P>): Estimator<P> {
  return estimator
}
