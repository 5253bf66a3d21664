/** What to set, decided by program: policies with their params and budgets, each against a baseline. */
import type { RisesFrom } from './quality.ts'
import type { CostUnit, Diagnostic, Sums, TotalSpent } from './run.ts'
import type { Tolerance } from './tolerance.ts'
import type { TurnOn } from './turn-on.ts'
import type { WithoutUsage } from './without-usage.ts'

/** How much a person is ready to lose for money: which row of the menu is taken. */
export const risks = ['cautious', 'balanced', 'bold'] as const
export type Risk = (typeof risks)[number]

/** Why a candidate is the one to take, or is not. Of several reasons the first holds. */
export const verdicts = [
  'baseline',
  /** Set it: it saves in nine of ten cases, and of such most beyond the price of what it loses. */
  'recommended',
  /** The same for who is ready to lose less, or more. */
  ...risks,
  /** Requests that a provider would refuse, or without the newest user message, that the transcripts do not have. */
  'refused',
  /** Requests over the model's window that are not over it under the baseline. */
  'over window',
  /** Or costs as much. */
  'dearer',
  /** Its saving may be chance. */
  'too few sessions',
  /** Than what is recommended; or next to nothing. */
  'saves less',
  /** It lost nothing here, where there was hardly anything to lose. */
  'too few uses',
  /** Than its saving pays for, or than may be lost. */
  'loses more',
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
  /**
   * To be expected beyond the present setting, in percent of all later uses: what `expected` says, drawn towards what other people's
   * sessions lose where there are few uses.
   */
  readonly extraPercent: number
}

/** Money against the baseline, after reading again: positive is cheaper. */
export interface CandidateSavings {
  readonly cost: number
  readonly percent: number
  /** Of `percent`, in 95 of 100 sets of sessions to come; null where there are fewer than two sessions. */
  readonly low: number | null
  readonly high: number | null
  /** In how many of a hundred cases it saves anything. */
  readonly chancePercent: number | null
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

/** Whether a candidate adds no request that fails or does not fit. */
export const isFit = ({
  refusedRequests,
  promptGoneRequests,
  overWindowRequests,
}: Pick<Candidate, 'refusedRequests' | 'promptGoneRequests' | 'overWindowRequests'>): boolean =>
  refusedRequests + promptGoneRequests + overWindowRequests === 0

/** Fewer later uses tell nothing by themselves. */
export const fewestUses = 20

/** Decisions are made on so many sessions, the last: habits change. */
export const lastSessions = 25

/**
 * `set`: something is worth it. `keep`: nothing is. `too-few-sessions`: what would be may be chance. `too-few-uses`: nobody can say
 * what it loses. `nothing-to-set`: the program has no setting that ctxwin knows of.
 */
export const outcomes = ['set', 'keep', 'too-few-sessions', 'too-few-uses', 'nothing-to-set'] as const

/** Why what there is should be kept: `none-fit`: each candidate makes requests that fail. `loses-more`: than what is saved pays for. */
export const keepReasons = ['none-fit', 'nothing-cheaper', 'loses-more'] as const

/** What a program was billed in the last thirty days of its sessions, in US dollars. */
export interface Month {
  /** From the first session in it to the last. */
  readonly days: number
  readonly usd: number
  readonly input: number
}

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
  /** The sessions that it goes by, with their sub-agents, and how many there are. */
  readonly sessions: number
  readonly allSessions: number
  readonly transcripts: number
  readonly requests: number
  readonly unit: CostUnit
  /** How many transcripts are in the amounts. */
  readonly costed: number
  /** What was billed, and what the model makes of it; null where no transcript has a bill. */
  readonly bill: TotalSpent | null
  /** What all sessions were billed, in US dollars; null where none was. */
  readonly spent: number | null
  /** Null where no transcript has a bill or a time. */
  readonly month: Month | null
  readonly risk: Risk
  /** A limit in place of a price of what is lost. */
  readonly tolerance: Tolerance | null
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
  /** The candidate to take, or that comes nearest; null if none is fit. */
  readonly best: Candidate | null
  /** The same, where it is to be taken. */
  readonly recommended: Candidate | null
  /** What all sessions would say, where that is something else: what to set, or to keep what there is. */
  readonly otherwise: Pick<Candidate, 'setting' | 'budget' | 'budgetAsked'> | 'keep' | null
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
