/** What `probe` plans, asks and finds: would a model have done the same with a policy's window as with the one that the agent had? */
import type { AnswerUsage, NextAction, ProbeApi } from './probe.ts'

/** Why a request whose windows differ is not asked about, in the order in which it is looked for. */
export const unprobedReasons = ['preamble', 'headless', 'sealed', 'unwritten', 'media', 'refused', 'large'] as const
export type UnprobedReason = (typeof unprobedReasons)[number]

/**
 * Where system prompt and tools are from: recorded; a request that was captured; the tools made up from the calls in the session,
 * without a system prompt that is not recorded; nothing is known of either.
 */
export const preambleKinds = ['recorded', 'given', 'rebuilt', 'none'] as const
export type PreambleKind = (typeof preambleKinds)[number]

/** What the recorded response used of what had left: content; at least a quarter of what it copied; neither that is known of. */
export const lossKinds = ['content', 'copied', 'none'] as const
export type LossKind = (typeof lossKinds)[number]

/** Requests since the policy last moved its cutoff: at most 5, at most 25, more; `none`: it never did. */
export const ageKinds = ['to 5', 'to 25', 'older', 'none'] as const
export type AgeKind = (typeof ageKinds)[number]

/** A request that is asked about. */
export interface PlannedProbe {
  /** From 0. */
  readonly request: number
  readonly loss: LossKind
  readonly age: AgeKind
  /** What the recorded response called first; null for an answer without a call. */
  readonly tool: string | null
  /** Tokens of both requests, estimated, and how many of them the one before of the same session and arm begins with, too. */
  readonly fullTokens: number
  readonly fullShared: number
  readonly policyTokens: number
  readonly policyShared: number
  /** Tokens of the recorded response; null where nobody counted. */
  readonly outputTokens: number | null
  /** For how many requests of the session it stands. */
  readonly weight: number
}

/** Tokens of a summary that has to be written for the probes of a session, estimated. */
export interface PlannedSummary {
  readonly readTokens: number
  readonly writtenTokens: number
}

export interface SessionPlan {
  /** Tells it from others of the run. */
  readonly key: string
  /** By which it is drawn: the same whatever it is called. */
  readonly drawing: number
  readonly file: string
  readonly conversation: string | null
  readonly requests: number
  /** Requests whose windows differ. */
  readonly differing: number
  readonly unprobed: Readonly<Record<UnprobedReason, number>>
  readonly preamble: PreambleKind
  readonly probes: readonly PlannedProbe[]
  readonly summaries: readonly PlannedSummary[]
}

/** What is asked, and of what it was drawn. */
export interface ProbeAbout {
  readonly policy: string
  readonly params: Readonly<Record<string, unknown>>
  readonly budget: number | string
  readonly model: string
  readonly api: ProbeApi
  readonly seed: number
  /** How many were read, and what of their requests differs or cannot be asked about: those without a probe, too. */
  readonly transcripts: number
  readonly requests: number
  readonly differing: number
  readonly unprobed: Readonly<Record<UnprobedReason, number>>
  /** How many requests of how many sessions are to be asked about. */
  readonly planned: number
  readonly among: number
}

export interface ProbePlan extends ProbeAbout {
  /** In the order in which they are asked about. */
  readonly sessions: readonly SessionPlan[]
}

/** US dollars; null where the model has no known price. */
export interface ProbeDollars {
  /** If no prompt cache helps, and if it serves all that was sent before. */
  readonly cold: number | null
  readonly cached: number | null
}

/** What had left the window, as far as the recorded response used it. */
export interface GoneUse {
  readonly line: number
  /** The beginning of the message that had left. */
  readonly text: string
}

/** Arms in the order in which they are asked. */
export const armNames = ['full', 'full again', 'policy', 'policy again'] as const

/** A request that all arms were asked about. */
export interface AskedProbe extends Pick<PlannedProbe, 'request' | 'loss' | 'age' | 'tool' | 'weight'> {
  /** Of its session. */
  readonly session: string
  readonly file: string
  readonly line: number
  readonly cwd: string | null
  readonly recorded: NextAction
  readonly preamble: PreambleKind
  /** How many messages of the full window are not as they were in the policy's, and those of them that the recorded response used. */
  readonly left: number
  readonly used: readonly GoneUse[]
  /** Where the answers stand in the journal, by arm. */
  readonly keys: readonly [string, string, string, string]
}

/** How estimated sizes of bodies differ from what the API counts. */
export interface CountedBodies {
  readonly window: 'full' | 'policy'
  readonly bodies: number
  readonly estimated: number
  readonly counted: number
  /** The mean of the distances of each body, in percent of what is counted. */
  readonly meanAbsolutePercent: number
}

/** What was used in all, of answers and of summaries. */
export interface ProbeUsage extends AnswerUsage {
  readonly answers: number
  readonly summaries: number
}

/** Why a request has no answers where a summary in its window was never written. Each try is an answer, so that none is made again. */
export const noSummary = 'it wrote no summary in two tries'
