/** What to set, decided by program: policies with their params and budgets, each against a baseline. */
import type { RisesFrom } from './quality.ts'
import type { CostUnit, Diagnostic, Sums, TotalSpent } from './run.ts'
import type { Tolerance } from './tolerance.ts'
import type { TurnOn } from './turn-on.ts'
import type { WithoutUsage } from './without-usage.ts'

/** Why a candidate is the one to take, or is not. Of several reasons the first holds. */
export const verdicts = [
  'baseline',
  /** Set it: it saves surely, and loses no more than it may. */
  'recommended',
  /** It saves surely, and may lose more. */
  'worth trying',
  /** Requests that a provider would refuse, or without the newest user message, that the transcripts do not have. */
  'refused',
  /** Requests over the model's window that are not over it under the baseline. */
  'over window',
  /** Than it may. */
  'loses more',
  /** Its saving may be none. */
  'not surely cheaper',
  /** It surely saves as much as what is recommended, and is not simpler. */
  'tie',
  /** Surely something, and less than what is recommended. */
  'saves less',
  /** Or costs as much. */
  'dearer',
] as const
export type CandidateVerdict = (typeof verdicts)[number]

/** Later uses of content that the window would have lost. The interval is Wilson's, 95 %, in percent. */
export interface CandidateLosses {
  readonly lost: number
  readonly total: number
  readonly percent: number
  readonly low: number
  readonly high: number
  /** How many would be lost if each summary of unknown text kept everything; `lost` is as if it kept nothing. */
  readonly ifSummariesKeepAll: number
  /** How many would be lost if summaries kept what recorded ones did. */
  readonly expected: number
  /** Of `expected`, how many more than under the present setting, in percent of `total`; and the most that it may be. */
  readonly extraPercent: number
  readonly extraMostPercent: number
}

/**
 * Money against the baseline, after reading again: positive is cheaper. In nine of ten sets of as many sessions to come the saving
 * is between `low` and `high`; of what was chosen `percent` is what the choice came to on sessions that it was not made on.
 */
export interface CandidateSavings {
  readonly cost: number
  readonly percent: number
  /** Of `percent`; null where there are fewer than ten sessions. */
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
  /** The budget as it was asked for, where that is no number of tokens: `50%`, `own`. */
  readonly budgetAsked?: string
  readonly verdict: CandidateVerdict
  /** Cost of the input and of summaries, in `unit`. */
  readonly paid: number
  /** What is read again behind its cuts, beyond what the transcripts hold of it; negative where it is less. */
  readonly rereads: number
  /** Both together. */
  readonly net: number
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
  /** All else that it comes to; of a policy that does the same at every budget, over the smallest that was tried. */
  readonly total: Sums
}

/** A verdict takes so many sessions with a known price. */
export const fewestSessions = 10

/**
 * `set`: something saves surely and loses no more than it may. `try`: something saves surely, and may lose more. `keep`: nothing
 * does. `too-few-sessions`, `too-few-uses`: there are too few to tell. `nothing-to-set`: the program has no setting that ctxwin
 * knows of.
 */
export const outcomes = ['set', 'try', 'keep', 'too-few-sessions', 'too-few-uses', 'nothing-to-set'] as const

/**
 * Why what there is should be kept: `none-fit`: each candidate makes requests that fail. `nothing-cheaper`. `loses-more`: what would save loses too
 * much. `not-sure`: the saving may be none. `few-dear-ones`: it is not sure without the three dearest sessions.
 */
export const keepReasons = ['none-fit', 'nothing-cheaper', 'loses-more', 'not-sure', 'few-dear-ones'] as const

/** Whose transcripts a decision is about: those of one program, of agents of one's own, or all that were read. */
export const scopes = ['program', 'own', 'all'] as const

/** What to set in one program; in an agent of one's own; or, of policies that the user named, for all transcripts as one. */
export interface Decision {
  readonly scope: (typeof scopes)[number]
  /** Null for the other scopes. */
  readonly program: string | null
  readonly outcome: (typeof outcomes)[number]
  /** Null where the outcome is not `keep`. */
  readonly keepReason: (typeof keepReasons)[number] | null
  readonly transcripts: number
  readonly requests: number
  readonly unit: CostUnit
  /** How many transcripts are in the amounts. */
  readonly costed: number
  /** What was billed, and what the model makes of it; null where no transcript has a bill. */
  readonly bill: TotalSpent | null
  readonly tolerance: Tolerance
  /** The most of the later uses of content that may be lost, in percent. */
  readonly limitPercent: number
  readonly baseline: Candidate
  /** What the present setting would lose, replayed as a candidate. */
  readonly present: CandidateLosses
  /** The program's own policy, with the settings that the transcripts show; null where they show none. */
  readonly presentPolicy: string | null
  /** Of later uses that a summary stands for, how many it is taken to keep. */
  readonly keptPercent: number
  /** How far off the model is where nobody has sent a window yet: of the money of a session, a standard deviation. */
  readonly errorPercent: number
  /** How far the money may be off of transcripts without recorded usage, as they were sent; null where all have some. */
  readonly withoutUsage: WithoutUsage | null
  /** How many transcripts are by a newer version of the program than its reader's rules were learned up to; null for none. */
  readonly newer: { readonly transcripts: number; readonly newest: string; readonly learned: string } | null
  /** What surely failed more often in large windows, and from which size of the recorded window on; null where nothing did. */
  readonly rises: RisesFrom | null
  /** How much of the money is in the three dearest sessions. */
  readonly dearestPercent: number
  /** The best candidate, whether or not it is good enough; null if none is fit. */
  readonly best: Candidate | null
  /** The same, where it is. */
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
