/** What `tune` finds: the policy that is cheapest on the user's sessions within a tolerance, and what it has to beat. */
import type { CostUnit, Diagnostic } from './run.ts'
import type { Tolerance } from './tolerance.ts'

/** Fewer sessions than this cannot be parted into some to choose on and some to judge by. */
export const fewestTuned = 5
/** A shorter session has no request from which much can be used later. */
export const fewestRequests = 10

/**
 * `learned`: by the chance that a message is used later. `aged`: by its age alone; `stay`: so many requests by its kind. `preset`:
 * common practice, and the settings of the programs. `foresight`: told what will be used, which nobody is.
 */
export const tunedKinds = ['learned', 'aged', 'stay', 'preset', 'foresight'] as const
export type TunedKind = (typeof tunedKinds)[number]

/**
 * `better`: on sessions that it was not chosen on the learned policy costs less than the best of the others. `no better`: it does not.
 * `nothing fits`: none is within the tolerance. `too few sessions`: nothing can be said.
 */
export const tuningOutcomes = ['better', 'no better', 'nothing fits', 'too few sessions'] as const
export type TuningOutcome = (typeof tuningOutcomes)[number]

/** A policy at a budget, over all sessions. */
export interface TunedRow {
  readonly kind: TunedKind
  /** As it is typed. */
  readonly setting: string
  readonly policy: string
  readonly params: Readonly<Record<string, unknown>>
  readonly budget: number
  readonly paid: number
  /** Against today. */
  readonly changePercent: number
  /** Later uses of content, and of what is only named, that are lost beyond today's, in percent of all of them. */
  readonly contentPercent: number
  readonly namesPercent: number
  /** Both are within the tolerance, and no request is refused, without the newest prompt or over the window that is not so today. */
  readonly fits: boolean
  /** No other of its kind, foresight apart, costs less and loses less. */
  readonly front: boolean
}

/** What was chosen on some sessions, held against today on the others. */
export interface HeldOut {
  readonly changePercent: number
  /** In 95 of 100 sets of sessions to come `changePercent` is between these; null for fewer than two sessions. */
  readonly low: number | null
  readonly high: number | null
  readonly contentPercent: number
  readonly namesPercent: number
}

/** The best of some kinds: chosen on all sessions, and judged by choices that were made without those they are judged on. */
export interface Tuned {
  readonly row: TunedRow
  readonly heldOut: HeldOut | null
}

export interface Tuning {
  readonly schemaVersion: 1
  readonly outcome: TuningOutcome
  readonly tolerance: Tolerance
  /** How many were read. */
  readonly transcripts: number
  /** How many of them count, of how many with enough requests; the requests of those that count, and the first and the last day. */
  readonly sessions: number
  readonly read: number
  readonly requests: number
  readonly first: string | null
  readonly last: string | null
  readonly unit: CostUnit
  /** What was done there costs so much, and loses so many of so many later uses. */
  readonly todayPaid: number
  readonly contentLost: number
  readonly contentUses: number
  readonly namesLost: number
  readonly namesUses: number
  /** How many times as often something is used as in the sessions that taught the coefficients, by odds. */
  readonly odds: number
  readonly folds: number
  /** Policies at budgets that were tried on every session; and whether the search came to its end. */
  readonly tried: number
  readonly complete: boolean
  readonly tuned: Tuned | null
  readonly others: Tuned | null
  /** The cheapest of each kind within the tolerance, and the front. */
  readonly rows: readonly TunedRow[]
  readonly diagnostics: readonly Diagnostic[]
}
