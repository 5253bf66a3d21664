/** Estimators compared with recorded usage: what `calibrate` prints. */
import type { RecordedUsage, Run } from './run.ts'

/** One estimator and one transcript. */
export interface Calibrated
  extends Pick<
      Run,
      | 'transcript'
      | 'conversation'
      | 'format'
      | 'model'
      | 'estimator'
      | 'preambleTokens'
      | 'foresight'
      | 'foresightTest'
      | 'predictionInterval'
    >,
    RecordedUsage {
  /** The estimator's name as the user gave it. */
  readonly asked: string
  /** Fitted to the transcript's own usage, whatever the estimator. */
  readonly tokensPerByte: number | null
  /** How many requests are not compared, by reason: see docs/estimators.md. */
  readonly leftOut: { readonly withoutUsage: number; readonly cut: number; readonly aside: number }
  /** The requests whose prediction was furthest off, worst first. */
  readonly worst: readonly Worst[]
}

export interface Worst {
  readonly request: number
  readonly line: number
  readonly recorded: number
  readonly errorPercent: number
}

/** The errors of one estimator over the transcripts in which it could be tested, in percent. */
export interface CalibrationSummary {
  readonly estimator: string
  readonly transcripts: number
  readonly requests: number
  /** Null where nothing could be tested. */
  readonly median: number | null
  readonly p90: number | null
  readonly worst: number | null
}
