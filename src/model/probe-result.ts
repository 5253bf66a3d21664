/** What a probe found. */
import type { AgreementShares, NextAction, ProbeEstimate, ProbePower } from './probe.ts'
import type {
  AskedProbe,
  CountedBodies,
  PreambleKind,
  ProbeAbout,
  ProbeDollars,
  ProbeUsage,
  SessionPlan,
} from './probed.ts'
import type { Diagnostic } from './run.ts'

/** Which probes a row is of: all, or those of one kind. */
export const strataBy = ['all', 'loss', 'age', 'tool', 'preamble'] as const
export type StrataBy = (typeof strataBy)[number]

/** Shares are of all requests that the probes stand for; null where there is nothing to tell one by. */
export interface ProbeStratum extends ProbeEstimate {
  readonly by: StrataBy
  readonly kind: string
}

/** A request where the policy's answers differ from those of the full window more than these do among each other. */
export interface ProbeDifference
  extends Pick<AskedProbe, 'file' | 'line' | 'request' | 'loss' | 'age' | 'left' | 'used' | 'recorded'> {
  readonly full: readonly [NextAction, NextAction]
  readonly policy: readonly [NextAction, NextAction]
}

/** Requests that were asked about and brought no usable answer in one of the arms. */
export interface FailedRequests {
  readonly requests: number
  /** The most common first. */
  readonly reasons: readonly { readonly reason: string; readonly requests: number }[]
}

/** A session of which something is to be asked. */
export interface PlannedSession extends Omit<SessionPlan, 'key' | 'drawing'> {
  readonly estimated: ProbeDollars
}

export interface ProbeResult {
  readonly schemaVersion: 1
  /** Nothing was asked. */
  readonly dryRun: boolean
  readonly about: ProbeAbout
  /** Sessions by what is known of system prompt and tools. */
  readonly preambles: Readonly<Record<PreambleKind, number>>
  /** How many requests were asked about in all arms. */
  readonly probes: number
  readonly failed: FailedRequests
  /** What was billed for the answers, in US dollars; null where nobody knows the price, and before anything was asked. */
  readonly dollars: number | null
  /** Of these, for requests that are not answered in all arms. */
  readonly unused: number | null
  /** Tries that went out and brought no answer, and the most that they may have cost beside `dollars`. */
  readonly lost: { readonly tries: number; readonly dollars: number | null }
  readonly used: ProbeUsage
  /** Before anything is asked. */
  readonly estimated: ProbeDollars
  /** What is to be asked of each session; empty once something was. */
  readonly sessions: readonly PlannedSession[]
  readonly power: ProbePower | null
  readonly strata: readonly ProbeStratum[]
  /** Pairs of answers: of the full window and the policy's, of the full window twice, and of what was recorded and the full window. */
  readonly across: AgreementShares
  readonly floor: AgreementShares
  readonly drift: AgreementShares
  /** Answers that were cut off because they were too long. */
  readonly cutOff: number
  readonly differences: readonly ProbeDifference[]
  /** Sizes as they were estimated, against what the API counts; empty where it was not asked. */
  readonly counted: readonly CountedBodies[]
  readonly diagnostics: readonly Diagnostic[]
}
