/** How far figures may be off that no recorded usage bears out: what stands beside their tokens and money. */
import { type Run, roundPercent } from './run.ts'

export interface WithoutUsage {
  readonly transcripts: number
  /** In percent of what is printed: in nine of ten cases it is between these. */
  readonly lowPercent: number
  readonly highPercent: number
}

/** The runs of one setting. One user's preambles are off together, so that ends add up with ends. */
export class WithoutUsageSum {
  #transcripts = 0
  #sent = 0
  #least = 0
  #most = 0

  add({
    foresightTest,
    predictionInterval,
    sentTokens,
  }: Pick<Run, 'foresightTest' | 'predictionInterval' | 'sentTokens'>): void {
    if (foresightTest !== 'no-usage' || predictionInterval === null) return
    this.#transcripts++
    this.#sent += sentTokens
    // The interval says how far off a prediction is of what it predicts; here it is the other way round.
    this.#least += sentTokens / (1 + predictionInterval.highPercent / 100)
    this.#most += sentTokens / (1 + predictionInterval.lowPercent / 100)
  }

  get total(): WithoutUsage | null {
    if (this.#sent === 0) return null
    const off = (end: number): number => roundPercent((100 * (end - this.#sent)) / this.#sent)
    return { transcripts: this.#transcripts, lowPercent: off(this.#least), highPercent: off(this.#most) }
  }
}
