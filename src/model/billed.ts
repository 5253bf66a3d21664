/** The model of money against what providers billed: what stands above a report, and what `calibrate` prints. */
import type { CacheMode, Spent, TotalSpent } from './run.ts'

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

/** Bills, and what the model makes of the input of the same requests today, in US dollars. */
export interface BillTotal extends TotalSpent {
  readonly modelled: number
}

/** Adds bills up, in whole millionths: those add up exactly in any order. */
export class BillSum {
  #transcripts = 0
  #requests = 0
  #estimatedOutputs = 0
  readonly #millionths = { input: 0, output: 0, modelled: 0 }

  add({ input, output, requests, estimatedOutputs }: Spent, modelled: number): void {
    this.#transcripts++
    this.#requests += requests
    this.#estimatedOutputs += estimatedOutputs
    this.#millionths.input += Math.round(input * 1e6)
    this.#millionths.output += Math.round(output * 1e6)
    this.#millionths.modelled += Math.round(modelled * 1e6)
  }

  /** Adds the bills of another. */
  merge(other: BillSum): void {
    this.#transcripts += other.#transcripts
    this.#requests += other.#requests
    this.#estimatedOutputs += other.#estimatedOutputs
    for (const key of ['input', 'output', 'modelled'] as const) this.#millionths[key] += other.#millionths[key]
  }

  /** Null where there is none. */
  get total(): BillTotal | null {
    if (this.#transcripts === 0) return null
    const { input, output, modelled } = this.#millionths
    return {
      usd: (input + output) / 1e6,
      input: input / 1e6,
      output: output / 1e6,
      requests: this.#requests,
      estimatedOutputs: this.#estimatedOutputs,
      transcripts: this.#transcripts,
      modelled: modelled / 1e6,
    }
  }
}
