/** What providers billed, as reports print it above their rows; and the modelled cost beside it, as `calibrate` has it in a table. */
import { type CacheMode, cacheFits, type Spent, type TotalSpent } from './run.ts'

/** One transcript with a bill, in US dollars. Only requests with recorded usage are counted. */
export interface Billed {
  readonly format: string
  readonly requests: number
  /** What the input was billed at. */
  readonly spent: number
  /** The modelled cost of the same input, under each cache mode. */
  readonly modelled: Readonly<Record<CacheMode, number>>
}

/** All transcripts of one format, under one cache mode. */
export interface BillSummary {
  readonly format: string
  readonly cache: CacheMode
  readonly transcripts: number
  readonly requests: number
  readonly spent: number
  readonly modelled: number
  /** How far the modelled sum is off the billed one; below zero where it is less. */
  readonly offPercent: number
  /** The median of the transcripts' errors, each without its sign and in percent of its bill. */
  readonly medianPercent: number
  /** The share of transcripts that are off by at most 5 (10) percent, in percent. */
  readonly within5Percent: number
  readonly within10Percent: number
}

const amounts = ['input', 'output', 'beside'] as const
const counts = ['requests', 'sideCalls', 'estimatedOutputs', ...cacheFits] as const

/** Adds bills up, in whole millionths: those add up exactly in any order. */
export class BillSum {
  #transcripts = 0
  readonly #millionths = { input: 0, output: 0, beside: 0 }
  readonly #counts = Object.fromEntries(counts.map((key) => [key, 0])) as Record<(typeof counts)[number], number>

  add(spent: Spent): void {
    this.#transcripts++
    for (const key of amounts) this.#millionths[key] += Math.round(spent[key] * 1e6)
    for (const key of counts) this.#counts[key] += spent[key]
  }

  /** Adds another sum. */
  merge(other: BillSum): void {
    this.#transcripts += other.#transcripts
    for (const key of amounts) this.#millionths[key] += other.#millionths[key]
    for (const key of counts) this.#counts[key] += other.#counts[key]
  }

  /** Null if no bill was added. */
  get total(): TotalSpent | null {
    if (this.#transcripts === 0) return null
    const { input, output, beside } = this.#millionths
    return {
      usd: (input + output + beside) / 1e6,
      input: input / 1e6,
      output: output / 1e6,
      beside: beside / 1e6,
      ...this.#counts,
      transcripts: this.#transcripts,
    }
  }
}
