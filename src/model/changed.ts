/** What was promised before a setting changed, and what came: what `sessions --changed` tells. */
import type { Decision } from './recommendation.ts'
import type { Diagnostic } from './run.ts'

/** A difference takes so many sessions with a known price before the day, and behind it. */
export const fewestSessions = 10

/**
 * What is compared of sessions. Each is a mean by session, but for the money for input by request; and for the window that
 * the agent compacted, of which it is the median.
 */
export const changedFigures = [
  'inputUsd',
  'inputUsdByRequest',
  'usd',
  'requests',
  'compactions',
  'rereadTokens',
  'compactedTokens',
] as const

/** One figure of a program. */
export interface ChangedFigure {
  readonly figure: (typeof changedFigures)[number]
  /** Null where it is of no session. */
  readonly before: number | null
  readonly after: number | null
  /** Of so many sessions; of the window that was compacted, of so many that compacted by themselves. */
  readonly sessionsBefore: number
  readonly sessionsAfter: number
  /** From before to after, in percent; null where there was nothing on one side. The interval is of 95 %. */
  readonly percent: number | null
  readonly low: number | null
  readonly high: number | null
}

/**
 * What came of what was promised, for the money for input by session: `as-promised`: it surely got less, and may have by as much as was
 * promised. `more`, `less`: than was promised, for sure. `cheaper`, `dearer`: for sure, where nothing was promised. `untold`: too
 * little tells. `too-few`: there are fewer than ten sessions on one side.
 */
export const changedVerdicts = ['as-promised', 'more', 'less', 'cheaper', 'dearer', 'untold', 'too-few'] as const

export interface ChangedProgram {
  /** Null for agents of one's own. */
  readonly program: string | null
  readonly verdict: (typeof changedVerdicts)[number]
  readonly sessionsBefore: number
  readonly sessionsAfter: number
  /** What `recommend` would have said then, of the transcripts that had ended; null where there were none. */
  readonly told: Decision | null
  readonly figures: readonly ChangedFigure[]
}

export interface Changed {
  readonly schemaVersion: 1
  /** The beginning of the day, as ISO 8601 has it. */
  readonly changed: string
  readonly transcripts: number
  /** Sessions that began before it and went on behind it, and sessions without a time: they are on neither side. */
  readonly straddling: number
  readonly undated: number
  /** The one with most money first. */
  readonly programs: readonly ChangedProgram[]
  readonly diagnostics: readonly Diagnostic[]
}

/** From some day on an agent compacts elsewhere than before. */
export interface ThresholdMove {
  readonly program: string | null
  readonly model: string | null
  /** The first day on which it does, in UTC. */
  readonly day: string
  /** Medians of the windows that were compacted, of so many sessions. */
  readonly tokensBefore: number
  readonly tokensAfter: number
  readonly sessionsBefore: number
  readonly sessionsAfter: number
}
