/** Policies side by side: what `compare` found. The keys are a run's wherever they mean the same. */
import type { Cost, CostUnit, Diagnostic, Run, TotalCost, Validity } from './run.ts'
import type { LossTotals } from './sum.ts'

/** One policy with its params, at one budget, counted by one estimator: summed over all transcripts. */
export interface ComparisonRow {
  /** As it is typed, params at their defaults left out: `ikigai:target=0.5`. */
  readonly setting: string
  readonly policy: string
  readonly params: Run['params']
  readonly budget: number
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
  /** Requests with at least one fault of `validity`. */
  readonly invalidRequests: number
  readonly validity: Validity
  readonly cost: ComparisonCost
  /** Only when they were measured. */
  readonly references?: LossTotals
  /**
   * On the Pareto front of `cost.paid` against `references.headline.sourceLost`, or, where no row of the estimator has
   * lost one, `references.named.sourceLost`, or, where none has lost one of these or they were not measured, against tokens
   * kept, which are `sentTokens`, at most `fullTokens`: no other row of the estimator costs less and loses as little, or
   * loses less and costs as little.
   */
  readonly front: boolean
  /** Keys, with dots, in which no other row of the estimator is better. */
  readonly best: readonly string[]
}

/** The cache's figures are of all transcripts: they have no unit. */
export interface ComparisonCost extends TotalCost, Pick<Cost, 'cacheHitPercent'> {
  /** `input` + `summaries`: what the policy decides about. */
  readonly paid: number
}

/** The cheapest row that is within bounds, and what that rests on. */
export interface Recommendation {
  readonly setting: string
  readonly policy: string
  readonly params: Run['params']
  readonly budget: number
  readonly estimator: string
  readonly unit: CostUnit
  readonly paid: number
  readonly savedTokens: number
  readonly savedPercent: number
  readonly costSavedPercent: number
  readonly requests: number
  readonly overBudgetRequests: number
  readonly invalidRequests: number
  /** Of the headline, only when references were measured: which of how many uses are lost. */
  readonly headlineLost?: number
  readonly headlineTotal?: number
  readonly sourceLostPercent?: number
  /** The same figures of `keep-all`, at the same budget. */
  readonly keepAll: Pick<ComparisonRow, 'overBudgetRequests' | 'invalidRequests'> & { readonly paid: number }
}

/** The result of `compare`: a public contract, see docs/schema. */
export interface Comparison {
  readonly schemaVersion: 1
  readonly rows: readonly ComparisonRow[]
  /** Only when it was asked for; null when no row is within bounds. */
  readonly recommendation?: Recommendation | null
  readonly diagnostics: readonly Diagnostic[]
}

/** Which lost references tell the rows apart: of content, or else of what is named; null where none do. */
export function lossesThatTell(rows: readonly Pick<ComparisonRow, 'references'>[]): 'headline' | 'named' | null {
  const tells = (of: 'headline' | 'named') =>
    rows.some(({ references }) => references !== undefined && references[of].sourceLost > 0)
  return tells('headline') ? 'headline' : tells('named') ? 'named' : null
}
