/** How far figures may be off that no recorded usage bears out: what stands beside their tokens and money. */
import { type IntervalBasis, intervalBases, type Run, roundPercent } from './run.ts'

export interface WithoutUsage {
  readonly transcripts: number
  /** In percent of what is printed: in nine of ten cases it is between these. */
  readonly lowPercent: number
  readonly highPercent: number
  /**
   * Whose sessions say that, in the order of `intervalBases`: how many of the transcripts rest on those, and from the fewest to the
   * most sessions that one of them rests on.
   */
  readonly basis: readonly {
    readonly of: IntervalBasis
    readonly transcripts: number
    readonly fewest: number
    readonly most: number
  }[]
}

/** The runs of one setting. One user's preambles are off together, so that ends add up with ends. */
export class WithoutUsageSum {
  readonly #basis = new Map<IntervalBasis, WithoutUsage['basis'][number]>()
  #sent = 0
  #least = 0
  #most = 0

  add({
    foresightTest,
    predictionInterval,
    sentTokens,
  }: Pick<Run, 'foresightTest' | 'predictionInterval' | 'sentTokens'>): void {
    if (foresightTest !== 'no-usage' || predictionInterval === null) return
    const { basis: of, transcripts: sessions } = predictionInterval
    const { transcripts, fewest, most } = this.#basis.get(of) ?? { transcripts: 0, fewest: sessions, most: sessions }
    const now = { transcripts: transcripts + 1, fewest: Math.min(fewest, sessions), most: Math.max(most, sessions) }
    this.#basis.set(of, { of, ...now })
    this.#sent += sentTokens
    // The interval says how far off a prediction is of what it predicts; here it is the other way round.
    this.#least += sentTokens / (1 + predictionInterval.highPercent / 100)
    this.#most += sentTokens / (1 + predictionInterval.lowPercent / 100)
  }

  get total(): WithoutUsage | null {
    if (this.#sent === 0) return null
    const off = (end: number): number => roundPercent((100 * (end - this.#sent)) / this.#sent)
    const basis = intervalBases.flatMap((of) => this.#basis.get(of) ?? [])
    const transcripts = basis.reduce((sum, one) => sum + one.transcripts, 0)
    return { transcripts, lowPercent: off(this.#least), highPercent: off(this.#most), basis }
  }
}
