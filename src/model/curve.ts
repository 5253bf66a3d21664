/** What every budget of a grid would save and lose: the figures of `curve`. */

import type { Decision } from './recommendation.ts'
import type { Copied, Cost, CostUnit, Diagnostic, LossCounts, LossTotals, Run, TotalCost, TotalSpent } from './run.ts'
import type { Tolerance } from './tolerance.ts'

/** What a curve is held against: the same transcripts under another policy, at no budget. */
export interface CurveBaseline {
  /** `today`, `unpruned`. */
  readonly name: string
  readonly unit: CostUnit
  /** Of input and summaries. */
  readonly paid: number
  /** Later uses that found what they need gone, of the kind by which the curve is judged; 0 of 0 if they were not measured. */
  readonly lost: number
  readonly total: number
}

/** All transcripts under one policy, estimator and budget. */
export interface CurvePoint {
  /** The most of the transcripts, where it was asked for as a share of the model's window. */
  readonly budget: number
  readonly budgetAsked?: string
  readonly fullTokens: number
  readonly sentTokens: number
  readonly savedTokens: number
  readonly savedPercent: number
  readonly peakTokens: number
  readonly overBudgetRequests: number
  /** Exchanges with at least one request over the budget. */
  readonly overBudgetExchanges: number
  readonly cost: TotalCost
  /** Of input and summaries, against the baseline; negative if it is dearer. */
  readonly saved: { readonly cost: number; readonly percent: number }
  /** Absent if references were not measured. */
  readonly references?: LossTotals & {
    readonly exchangesHit: number
    /** Uses of content of which only a part was inside. */
    readonly partlyLost: number
    /** Fetches of what had not changed and was no longer inside. */
    readonly faults: number
    /** Repeated reads, and those of them of which nothing was inside. */
    readonly known: number
    readonly foretold: number
  }
}

/** The figures of one transcript at one budget. */
export interface CurvePart extends Pick<Run, 'fullTokens' | 'sentTokens' | 'peakTokens' | 'overBudgetRequests'> {
  readonly overBudgetExchanges: number
  readonly cost: Cost
  readonly references?: LossCounts & {
    readonly exchangesHit: number
    readonly partlyLost: number
    readonly faults: number
    readonly known: number
    readonly foretold: number
    readonly headline: LossCounts
    readonly named: LossCounts
    readonly copied: Copied
  }
}

/** The smallest budget of the grid of which the share of content that is lost is within the tolerance. */
export interface Knee {
  readonly budget: number
  readonly budgetAsked?: string
  /** What the window still held of the content that was used later, in percent. */
  readonly heldPercent: number
}

export interface Curve {
  readonly policy: string
  readonly params: Readonly<Record<string, unknown>>
  readonly estimator: string
  /** All budgets side by side in one pass, or a replay for each. The figures are the same. */
  readonly method: 'one-pass' | 'replay'
  readonly transcripts: number
  readonly exchanges: number
  readonly requests: number
  /** Null if no transcript has a bill. */
  readonly bill: TotalSpent | null
  readonly baseline: CurveBaseline
  /** Ascending by budget. */
  readonly points: readonly CurvePoint[]
  /** Null where no budget is within the tolerance, or no content was used again. */
  readonly knee: Knee | null
}

/** The result of `curve`. */
export interface Curves {
  readonly schemaVersion: 1
  /** What to set, as `recommend` says it; absent where losses are not measured. */
  readonly decisions?: readonly Decision[]
  readonly tolerance: Tolerance
  /** Of `tolerance`. */
  readonly tolerancePercent: number
  readonly curves: readonly Curve[]
  readonly diagnostics: readonly Diagnostic[]
}
