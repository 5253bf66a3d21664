/** The results of `compare`. Keys with the same meaning as in a run have the same names. */
import type { Decision } from './recommendation.ts'
import type { Against, Cost, Diagnostic, LossTotals, PolicyBounds, Run, Today, TotalCost, Validity } from './run.ts'

/** One policy with its params, at one budget, counted by one estimator: summed over all transcripts. */
export interface ComparisonRow {
  /** As on the command line, without params at their defaults: `ikigai:target=0.5`. */
  readonly setting: string
  readonly policy: string
  readonly params: Run['params']
  /** The most of the transcripts, where it was not asked for in tokens. */
  readonly budget: number
  readonly budgetAsked?: string
  readonly estimator: string
  readonly transcripts: number
  readonly requests: number
  readonly fullTokens: number
  readonly sentTokens: number
  readonly savedTokens: number
  readonly savedPercent: number
  /** The largest request of all. */
  readonly peakTokens: number
  readonly overBudgetRequests: number
  readonly overWindowRequests: number
  /** How many. */
  readonly cuts: number
  /** Requests that a provider would refuse. */
  readonly invalidRequests: number
  readonly validity: Validity
  /** As of a run, of the transcripts of which it is known. */
  readonly thinkingLostTokens: number
  readonly cost: ComparisonCost
  readonly today: Today
  /** Not in the JSON. */
  readonly against: Against
  /** Only if they were measured. */
  readonly references?: LossTotals
  /** Only for `clairvoyant`, and if references were measured: what no other row can be below. */
  readonly bounds?: PolicyBounds
  /**
   * It is on the Pareto front of cost and loss: no other row of the estimator costs less and loses as little, or loses less
   * and costs as little. The cost is `cost.paid`. The loss is `references.headline.sourceLost`; if no row has such a loss, or
   * they were not measured, it is fewer tokens kept (`sentTokens`, at most `fullTokens`). A row that looks ahead is never on it: nobody can have it.
   */
  readonly front: boolean
  /** Keys (with dots) in which no other row of the estimator is better. */
  readonly best: readonly string[]
}

/** The cache's figures have no unit, and are for all transcripts. */
export interface ComparisonCost extends TotalCost, Pick<Cost, 'cacheHitPercent'> {}

/** The result of `compare`: a public contract, see docs/schema. */
export interface Comparison {
  readonly schemaVersion: 1
  /** What to set, as `recommend` says it; absent where the policies were named. */
  readonly decisions?: readonly Decision[]
  readonly rows: readonly ComparisonRow[]
  readonly diagnostics: readonly Diagnostic[]
}

/** Whether any row has lost content. */
export function losesAny(rows: readonly Pick<ComparisonRow, 'references'>[]): boolean {
  return rows.some(({ references }) => references !== undefined && references.headline.sourceLost > 0)
}
