/**
 * Runs added up: the totals of `simulate`, the rows of `compare` and the points of `curve` are sums of this one kind. It
 * takes one run after the other and keeps none, and sums can be added up in turn: neither order nor grouping shows in
 * the result.
 */
import {
  addLosses,
  type Cost,
  type CostUnit,
  type LossCounts,
  type Losses,
  percent,
  type Run,
  type TotalCost,
  type TraceRun,
} from './run.ts'

/** Runs with the same key are added up: the same policy with the same params, budget and estimator. */
export function groupOf(run: TraceRun): string {
  return JSON.stringify([run.policy, run.params, run.budget, askedOf(run)])
}

/** One sum for `auto`, whatever it came to in each transcript. */
export function askedOf({ estimator, estimatorAsked }: Pick<Run, 'estimator' | 'estimatorAsked'>): string {
  return estimatorAsked ?? estimator
}

const amounts = ['input', 'inputFull', 'output', 'summaries'] as const

/** What is added up of a run. */
export interface Summand extends Pick<Run, 'fullTokens' | 'sentTokens' | 'peakTokens' | 'overBudgetRequests'> {
  readonly cost: Pick<Cost, 'unit' | 'pricesAsOf' | 'prefixBreaks' | (typeof amounts)[number]>
  readonly references?: LossCounts & { readonly headline: LossCounts }
}

export interface LossTotals extends Losses {
  /** Paths, urls, errors, ids and targets alone. */
  readonly headline: Losses
}

/** The figures of one unit; whole numbers of millionths, because those add up exactly and fractions do not. */
class Money {
  transcripts = 0
  /** The oldest date; empty if there is none. */
  pricesAsOf = ''
  readonly millionths = { input: 0, inputFull: 0, output: 0, summaries: 0 }

  add(transcripts: number, pricesAsOf: string, millionths: Money['millionths']): void {
    if (transcripts === 0) return
    if (this.transcripts === 0 || pricesAsOf < this.pricesAsOf) this.pricesAsOf = pricesAsOf
    this.transcripts += transcripts
    for (const key of amounts) this.millionths[key] += millionths[key]
  }
}

export class RunSum {
  transcripts = 0
  fullTokens = 0
  sentTokens = 0
  /** The largest request of all. */
  peakTokens = 0
  overBudgetRequests = 0
  /** Absent where no run has measured them. */
  references: LossTotals | undefined
  readonly #money: Readonly<Record<CostUnit, Money>> = { usd: new Money(), 'input-token-equivalents': new Money() }
  #prefixBreaks = 0

  add({ cost, references, ...run }: Summand): void {
    this.transcripts++
    this.#addTokens(run)
    const [input, inputFull, output, summaries] = amounts.map((key) => Math.round(cost[key] * 1e6)) as Four
    this.#money[cost.unit].add(1, cost.pricesAsOf, { input, inputFull, output, summaries })
    this.#prefixBreaks += cost.prefixBreaks
    if (references) this.#addReferences(references)
  }

  /** Adds what another sum has. */
  merge(other: RunSum): void {
    this.transcripts += other.transcripts
    this.#addTokens(other)
    for (const unit of Object.keys(this.#money) as CostUnit[]) {
      const { transcripts, pricesAsOf, millionths } = other.#money[unit]
      this.#money[unit].add(transcripts, pricesAsOf, millionths)
    }
    this.#prefixBreaks += other.#prefixBreaks
    if (other.references) this.#addReferences(other.references)
  }

  get savedTokens(): number {
    return this.fullTokens - this.sentTokens
  }

  get savedPercent(): number {
    return percent(this.savedTokens, this.fullTokens)
  }

  /**
   * Dollars and token equivalents have no sum: where any transcript has a price, the amounts are those of the priced ones
   * alone, and `transcripts` says how many these are.
   */
  get cost(): TotalCost {
    const unit = this.#money.usd.transcripts > 0 ? 'usd' : 'input-token-equivalents'
    const { transcripts, pricesAsOf, millionths } = this.#money[unit]
    const [input, inputFull, output, summaries] = amounts.map((key) => millionths[key] / 1e6) as Four
    return {
      unit,
      transcripts,
      pricesAsOf,
      input,
      inputFull,
      output,
      summaries,
      savedPercent: percent(millionths.inputFull - millionths.input - millionths.summaries, millionths.inputFull),
      prefixBreaks: this.#prefixBreaks,
    }
  }

  #addTokens(part: Pick<RunSum, 'fullTokens' | 'sentTokens' | 'peakTokens' | 'overBudgetRequests'>): void {
    this.fullTokens += part.fullTokens
    this.sentTokens += part.sentTokens
    this.peakTokens = Math.max(this.peakTokens, part.peakTokens)
    this.overBudgetRequests += part.overBudgetRequests
  }

  #addReferences(part: LossCounts & { readonly headline: LossCounts }): void {
    const sum = this.references
    this.references = sum
      ? { ...addLosses([sum, part]), headline: addLosses([sum.headline, part.headline]) }
      : { ...addLosses([part]), headline: addLosses([part.headline]) }
  }
}

type Four = [number, number, number, number]
