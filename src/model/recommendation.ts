/** What to set, decided by program: policies with their params and budgets, each against a baseline. */
import type { BillTotal } from './billed.ts'
import type { Judge } from './judged.ts'
import type { CostUnit, Diagnostic } from './run.ts'
import type { Tolerance } from './tolerance.ts'
import type { TurnOn } from './turn-on.ts'

/** Why a candidate is the one to take, or is not. Of several reasons the first holds. */
export const verdicts = [
  'baseline',
  'recommended',
  /** Requests that a provider would refuse, or without the newest user message, that the transcripts do not have. */
  'refused',
  /** Requests over the model's window that are not over it under the baseline. */
  'over window',
  /** Than it may. */
  'loses more',
  /** Not surely dearer than the cheapest, and not simpler than what is recommended. */
  'tie',
  'dearer',
] as const
export type CandidateVerdict = (typeof verdicts)[number]

/** Later uses of what the window would have lost. The interval is Wilson's, 95 %, in percent. */
export interface CandidateLosses {
  readonly lost: number
  readonly total: number
  readonly percent: number
  readonly low: number
  readonly high: number
  /** How many would be lost if each summary of unknown text kept everything; `lost` is as if it kept nothing. */
  readonly ifSummariesKeepAll: number
}

/** Money against the baseline: positive is cheaper. The interval is a bootstrap over transcripts, 95 %. */
export interface CandidateSavings {
  readonly cost: number
  readonly percent: number
  /** Of `percent`; null where there are too few transcripts for an interval. */
  readonly low: number | null
  readonly high: number | null
}

/** A policy with its params at one budget, over all transcripts. */
export interface Candidate {
  /** As on the command line, without params at their defaults. */
  readonly setting: string
  readonly policy: string
  readonly params: Readonly<Record<string, unknown>>
  /** Tokens, the most of all transcripts; null for a policy that does the same at every budget. */
  readonly budget: number | null
  /** The budget as it was asked for, where that is no number of tokens: `50%`. */
  readonly budgetAsked?: string
  readonly verdict: CandidateVerdict
  /** Cost of the input and of summaries, in `unit`. */
  readonly paid: number
  readonly saved: CandidateSavings
  readonly losses: CandidateLosses
  /** Only what the policy adds to the faults that the transcripts have. */
  readonly refusedRequests: number
  readonly promptGoneRequests: number
  /** Requests over the model's window which are not over it under the baseline. */
  readonly overWindowRequests: number
  /** Summaries that a model would write, of which no word is known, and their mean size in tokens. */
  readonly summaries: number
  readonly summaryTokens: number
  /** How a person makes a program do it; null where no program does. */
  readonly turnOn: TurnOn | null
  /** For an agent of one's own: the composition of knobs that does the same, as `--policy` takes it. */
  readonly composition: string | null
}

/**
 * `found`: a candidate is recommended. `stay`: nothing within the tolerance is surely cheaper than the baseline. `none`:
 * nothing is within it. `too-few`: there are too few later uses to tell. `nothing-to-set`: the program has no setting that
 * ctxwin knows of.
 */
export const outcomes = ['found', 'stay', 'none', 'too-few', 'nothing-to-set'] as const

/** Whose transcripts a decision is about: those of one program, of agents of one's own, or all that were read. */
export const scopes = ['program', 'own', 'all'] as const

/** What to set in one program; in an agent of one's own; or, of policies that the user named, for all transcripts as one. */
export interface Decision {
  readonly scope: (typeof scopes)[number]
  /** Null for the other scopes. */
  readonly program: string | null
  readonly outcome: (typeof outcomes)[number]
  readonly transcripts: number
  readonly requests: number
  readonly unit: CostUnit
  /** How many transcripts are in the amounts. */
  readonly costed: number
  /** What was billed, and what the model makes of it; null where no transcript has a bill. */
  readonly bill: BillTotal | null
  /** The later uses that are judged. */
  readonly of: Judge
  readonly tolerance: Tolerance
  /** The most of the later uses that may be lost, in percent. */
  readonly limitPercent: number
  readonly baseline: Candidate
  readonly recommended: Candidate | null
  /** The cheapest first. */
  readonly candidates: readonly Candidate[]
}

/** The result of `recommend`. */
export interface Recommendation {
  readonly schemaVersion: 1
  /** The one with most money first. */
  readonly decisions: readonly Decision[]
  readonly diagnostics: readonly Diagnostic[]
}
