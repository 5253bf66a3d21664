/**
 * The one sum over transcripts: of the runs of `simulate`, and of the figures of cells, which are all else. It keeps neither, and
 * sums can be merged; neither order nor grouping affects the result. A figure that adds up is a line in `counts`.
 */
import { BillSum } from '../model/billed.ts'
import {
  type Against,
  addLosses,
  askedOf,
  type CostUnit,
  type Fault,
  faults,
  type LossTotals,
  percent,
  type Spent,
  type Sums,
  type Today,
  type TotalCost,
  type TotalSpent,
  type TraceRun,
} from '../model/run.ts'
import type { Figures } from '../simulator/figures.ts'

/** The key of the sum that a run belongs to: its policy with params, budget and estimator. */
export function groupOf(run: TraceRun): string {
  return JSON.stringify([run.policy, run.params, run.budgetAsked ?? run.budget, askedOf(run)])
}

/** What runs are held against. */
const standards = ['today', 'against'] as const
type Standard = (typeof standards)[number]

/** What is summed of a transcript. A run has it, too. */
export interface Summand extends Omit<Figures, 'watched' | 'references'> {
  /** Absent where they were not measured. */
  readonly references?: Figures['references']
  readonly spent?: Spent | null
}

const amounts = [
  'input',
  'inputFull',
  'output',
  'summaries',
  'todayInput',
  'todaySummaries',
  'againstInput',
  'againstSummaries',
] as const
type Amounts = Record<(typeof amounts)[number], number>

const zeros = <Key extends string>(keys: readonly Key[]) =>
  Object.fromEntries(keys.map((key) => [key, 0])) as Record<Key, number>

const counts = {
  requests: (of: Summand) => of.requests,
  fullTokens: (of: Summand) => of.fullTokens,
  sentTokens: (of: Summand) => of.sentTokens,
  overBudgetRequests: (of: Summand) => of.overBudgetRequests,
  overWindowRequests: (of: Summand) => of.overWindowRequests,
  cuts: (of: Summand) => of.cuts.length,
  invalidRequests: (of: Summand) => of.exact.invalidRequests,
  cacheHitTokens: (of: Summand) => of.exact.cacheHitTokens,
  prefixBreaks: (of: Summand) => of.cost.prefixBreaks,
  thinkingLostTokens: (of: Summand) => of.thinkingLostTokens ?? 0,
  ...(Object.fromEntries(faults.map((fault) => [fault, (of: Summand) => of.validity[fault]])) as Record<
    Fault,
    (of: Summand) => number
  >),
}
const countKeys = Object.keys(counts) as (keyof typeof counts)[]

const heldCounts = [
  'sentTokens',
  'overWindowRequests',
  'lostLatestUser',
  'headlineLost',
  'headlineTotal',
  'headlineLostOver',
] as const

/** The amounts in one unit, in integer millionths: integers add up exactly, fractions do not. */
class Money {
  transcripts = 0
  /** The oldest date; empty if there is none. */
  pricesAsOf = ''
  readonly millionths = zeros(amounts)

  add(transcripts: number, pricesAsOf: string, millionths: Amounts): void {
    if (transcripts === 0) return
    if (this.transcripts === 0 || pricesAsOf < this.pricesAsOf) this.pricesAsOf = pricesAsOf
    this.transcripts += transcripts
    for (const key of amounts) this.millionths[key] += millionths[key]
  }
}

export class CellSum {
  transcripts = 0
  readonly #counts = zeros(countKeys)
  #peakTokens = 0
  #references: LossTotals | undefined
  readonly #money: Readonly<Record<CostUnit, Money>> = { usd: new Money(), 'input-token-equivalents': new Money() }
  readonly #bills = new BillSum()
  readonly #standards = { today: zeros(heldCounts), against: zeros(heldCounts) }
  #baseline: string | undefined
  /** Some run tells how many uses of content found it gone. */
  #tellsLosses = false

  add(one: Summand): void {
    this.transcripts++
    for (const key of countKeys) this.#counts[key] += counts[key](one)
    this.#peakTokens = Math.max(this.#peakTokens, one.peakTokens)
    this.#baseline ??= one.against.baseline
    const { input, inputFull, output, summaries, unit, pricesAsOf } = one.cost
    const money = { ...zeros(amounts), input, inputFull, output, summaries }
    for (const standard of standards) {
      const held = one[standard]
      money[`${standard}Input`] = held.costInput
      money[`${standard}Summaries`] = held.summaries
      if (held.headlineLost !== undefined) this.#tellsLosses = true
      for (const key of heldCounts) this.#standards[standard][key] += held[key] ?? 0
    }
    for (const key of amounts) money[key] = millionths(money[key])
    this.#money[unit].add(1, pricesAsOf, money)
    if (one.spent) this.#bills.add(one.spent)
    if (one.references) this.#addReferences(one.references)
  }

  /** Adds another sum. */
  merge(other: CellSum): void {
    this.transcripts += other.transcripts
    for (const key of countKeys) this.#counts[key] += other.#counts[key]
    this.#peakTokens = Math.max(this.#peakTokens, other.#peakTokens)
    for (const unit of Object.keys(this.#money) as CostUnit[]) {
      const { transcripts, pricesAsOf, millionths } = other.#money[unit]
      this.#money[unit].add(transcripts, pricesAsOf, millionths)
    }
    this.#bills.merge(other.#bills)
    this.#baseline ??= other.#baseline
    this.#tellsLosses ||= other.#tellsLosses
    for (const standard of standards) {
      for (const key of heldCounts) this.#standards[standard][key] += other.#standards[standard][key]
    }
    if (other.#references) this.#addReferences(other.#references)
  }

  /** Null if no transcript has a bill. */
  get spent(): TotalSpent | null {
    return this.#bills.total
  }

  result(): Sums {
    const { fullTokens, sentTokens, prefixBreaks: _, cacheHitTokens: __, ...rest } = this.#counts
    const { requests, overBudgetRequests, overWindowRequests, cuts, invalidRequests, thinkingLostTokens, ...validity } =
      rest
    return {
      transcripts: this.transcripts,
      requests,
      fullTokens,
      sentTokens,
      savedTokens: fullTokens - sentTokens,
      savedPercent: percent(fullTokens - sentTokens, fullTokens),
      peakTokens: this.#peakTokens,
      overBudgetRequests,
      overWindowRequests,
      cuts,
      invalidRequests,
      validity,
      thinkingLostTokens,
      cost: this.#cost(),
      today: this.#heldAgainst('today'),
      against: { baseline: this.#baseline ?? 'today', ...this.#heldAgainst('against') } satisfies Against,
      ...(this.#references && { references: this.#references }),
    }
  }

  /**
   * Dollars and token equivalents cannot be added. If any transcript has a price, the amounts are for the priced ones only,
   * and `transcripts` is their number.
   */
  #cost(): TotalCost {
    const unit = this.#unit
    const { transcripts, pricesAsOf, millionths } = this.#money[unit]
    const { prefixBreaks, cacheHitTokens, sentTokens } = this.#counts
    return {
      unit,
      transcripts,
      pricesAsOf,
      paid: (millionths.input + millionths.summaries) / 1e6,
      input: millionths.input / 1e6,
      inputFull: millionths.inputFull / 1e6,
      output: millionths.output / 1e6,
      summaries: millionths.summaries / 1e6,
      savedPercent: percent(millionths.inputFull - millionths.input - millionths.summaries, millionths.inputFull),
      cacheHitPercent: percent(cacheHitTokens, sentTokens),
      prefixBreaks,
    }
  }

  /** Tokens are for all transcripts, money for those in `cost`. */
  #heldAgainst(standard: Standard): Today {
    const { millionths } = this.#money[this.#unit]
    const { sentTokens, overWindowRequests, lostLatestUser, ...losses } = this.#standards[standard]
    const costInput = millionths[`${standard}Input`]
    const summaries = millionths[`${standard}Summaries`]
    const paid = costInput + summaries
    const costSaved = paid - millionths.input - millionths.summaries
    const savedTokens = sentTokens - this.#counts.sentTokens
    return {
      sentTokens,
      costInput: costInput / 1e6,
      summaries: summaries / 1e6,
      ...(this.#tellsLosses && losses),
      overWindowRequests,
      lostLatestUser,
      savedTokens,
      savedPercent: percent(savedTokens, sentTokens),
      costSaved: costSaved / 1e6,
      costSavedPercent: percent(costSaved, paid),
    }
  }

  get #unit(): CostUnit {
    return this.#money.usd.transcripts > 0 ? 'usd' : 'input-token-equivalents'
  }

  #addReferences(part: NonNullable<Summand['references']>): void {
    const sum = this.#references
    const all = sum ? [sum, part] : [part]
    this.#references = {
      ...addLosses(all),
      headline: addLosses(all.map(({ headline }) => headline)),
      named: addLosses(all.map(({ named }) => named)),
    }
  }
}

/** Each of these, added up. */
export function sumOf(all: Iterable<Summand>): CellSum {
  const sum = new CellSum()
  for (const one of all) sum.add(one)
  return sum
}

function millionths(amount: number): number {
  return Math.round(amount * 1e6)
}
