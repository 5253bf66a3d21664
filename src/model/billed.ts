/** The model of money against what providers billed: what app/bill.ts finds and `calibrate` prints. */
import type { CacheMode } from './run.ts'

/** One transcript with a bill, in US dollars. Only requests with recorded usage are counted. */
export interface Billed {
  readonly format: string
  readonly requests: number
  /** What the input was billed at, and what the model makes of it: as each mode has the cache. */
  readonly spent: number
  readonly modelled: Readonly<Record<CacheMode, number>>
}

/** The transcripts of one format, with the cache as one mode has it. */
export interface BillSummary {
  readonly format: string
  readonly cache: CacheMode
  readonly transcripts: number
  readonly requests: number
  readonly spent: number
  readonly modelled: number
  /** Of the sums: below zero where the model makes less of it. */
  readonly offPercent: number
  /** Of the errors of the transcripts, in percent of each one's bill, whatever their direction. */
  readonly medianPercent: number
  /** Transcripts whose error is at most so much, in percent of all. */
  readonly within5Percent: number
  readonly within10Percent: number
}
