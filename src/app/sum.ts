/**
 * Adds up runs: the totals of `simulate`, the rows of `compare` and the points of `curve` are all such sums. A sum keeps no
 * runs, and sums can be merged; neither order nor grouping affects the result.
 */
import { BillSum } from '../model/billed.ts'
import {
  type Against,
  addCopied,
  addLosses,
  askedOf,
  type Copied,
  type Cost,
  type CostUnit,
  type Exact,
  type LossCounts,
  type LossTotals,
  type PolicyBounds,
  percent,
  type Run,
  type Spent,
  type Today,
  type TotalCost,
  type TotalSpent,
  type TraceRun,
  type Validity,
} from '../model/run.ts'

/** The key of the sum that a run belongs to: its policy with params, budget and estimator. */
export function groupOf(run: Omit<TraceRun, 'cuts'>): string {
  return JSON.stringify([run.policy, run.params, run.budgetAsked ?? run.budget, askedOf(run)])
}

/** What runs are held against. */
const standards = ['today', 'against'] as const
type Standard = (typeof standards)[number]

const amounts = [
  'input',
  'inputFull',
  'output',
  'summaries',
  'todayInput',
  'todaySummaries',
  'againstInput',
  'againstSummaries',
  'boundPaid',
  'boundPreamble',
] as const
type Amounts = Record<(typeof amounts)[number], number>
const noAmounts = () => Object.fromEntries(amounts.map((key) => [key, 0])) as Amounts

const counts = [
  'sentTokens',
  'overWindowRequests',
  'lostLatestUser',
  'headlineLost',
  'headlineTotal',
  'headlineLostOver',
] as const
type Counts = Record<(typeof counts)[number], number>
const noCounts = () => Object.fromEntries(counts.map((key) => [key, 0])) as Counts

/** The figures of a run that are summed. */
export interface Summand extends Pick<Run, 'fullTokens' | 'sentTokens' | 'peakTokens' | 'overBudgetRequests'> {
  readonly cost: Pick<Cost, 'unit' | 'pricesAsOf' | 'prefixBreaks' | 'input' | 'inputFull' | 'output' | 'summaries'>
  /** Absent counts as nothing. */
  readonly spent?: Spent | null
  readonly today?: Omit<Today, 'savedTokens' | 'savedPercent' | 'costSaved' | 'costSavedPercent'>
  readonly against?: Omit<Against, 'savedTokens' | 'savedPercent' | 'costSaved' | 'costSavedPercent'>
  readonly references?: LossParts
  readonly bounds?: PolicyBounds
  readonly validity?: Pick<Validity, 'lostLatestUser'>
  readonly exact?: Pick<Exact, 'invalidRequests'>
}

interface LossParts extends LossCounts {
  readonly headline: LossCounts
  readonly named: LossCounts
  readonly copied: Copied
}

/** The amounts in one unit, in integer millionths: integers add up exactly, fractions do not. */
class Money {
  transcripts = 0
  /** The oldest date; empty if there is none. */
  pricesAsOf = ''
  readonly millionths = noAmounts()

  add(transcripts: number, pricesAsOf: string, millionths: Amounts): void {
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
  invalidRequests = 0
  lostLatestUser = 0
  /** Undefined if no run has measured them. */
  references: LossTotals | undefined
  readonly #money: Readonly<Record<CostUnit, Money>> = { usd: new Money(), 'input-token-equivalents': new Money() }
  #prefixBreaks = 0
  readonly #bills = new BillSum()
  readonly #standards: Readonly<Record<Standard, Counts>> = { today: noCounts(), against: noCounts() }
  #baseline: string | undefined
  /** Uses of content that every policy loses; null if no run says. */
  #boundLost: number | null = null
  /** Some run tells how many uses of content found it gone. */
  #tellsLosses = false

  add({ cost, spent, references, bounds, ...run }: Summand): void {
    this.transcripts++
    this.#addTokens(run)
    const { input, inputFull, output, summaries } = cost
    const money = { ...noAmounts(), input, inputFull, output, summaries }
    this.#baseline ??= run.against?.baseline
    for (const standard of standards) {
      const held = run[standard]
      if (!held) continue
      money[`${standard}Input`] = held.costInput
      money[`${standard}Summaries`] = held.summaries
      if (held.headlineLost !== undefined) this.#tellsLosses = true
      for (const key of counts) this.#standards[standard][key] += held[key] ?? 0
    }
    if (bounds) {
      this.#boundLost = (this.#boundLost ?? 0) + bounds.lost
      money.boundPaid = bounds.paid
      money.boundPreamble = bounds.preamble
    }
    for (const key of amounts) money[key] = millionths(money[key])
    this.#money[cost.unit].add(1, cost.pricesAsOf, money)
    if (spent) this.#bills.add(spent)
    this.#prefixBreaks += cost.prefixBreaks
    this.invalidRequests += run.exact?.invalidRequests ?? 0
    this.lostLatestUser += run.validity?.lostLatestUser ?? 0
    if (references) this.#addReferences(references)
  }

  /** Adds another sum. */
  merge(other: RunSum): void {
    this.transcripts += other.transcripts
    this.#addTokens(other)
    for (const unit of Object.keys(this.#money) as CostUnit[]) {
      const { transcripts, pricesAsOf, millionths } = other.#money[unit]
      this.#money[unit].add(transcripts, pricesAsOf, millionths)
    }
    this.#bills.merge(other.#bills)
    this.#baseline ??= other.#baseline
    this.#tellsLosses ||= other.#tellsLosses
    for (const standard of standards) {
      for (const key of counts) this.#standards[standard][key] += other.#standards[standard][key]
    }
    if (other.#boundLost !== null) this.#boundLost = (this.#boundLost ?? 0) + other.#boundLost
    this.#prefixBreaks += other.#prefixBreaks
    this.invalidRequests += other.invalidRequests
    this.lostLatestUser += other.lostLatestUser
    if (other.references) this.#addReferences(other.references)
  }

  get savedTokens(): number {
    return this.fullTokens - this.sentTokens
  }

  get savedPercent(): number {
    return percent(this.savedTokens, this.fullTokens)
  }

  /**
   * Dollars and token equivalents cannot be added. If any transcript has a price, the amounts are for the priced ones only,
   * and `transcripts` is their number.
   */
  get cost(): TotalCost {
    const unit = this.#unit
    const { transcripts, pricesAsOf, millionths } = this.#money[unit]
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
      prefixBreaks: this.#prefixBreaks,
    }
  }

  /** Null if no transcript has a bill. */
  get spent(): TotalSpent | null {
    return this.#bills.total
  }

  /** Undefined if no run has them. Losses are for all transcripts, money for those in `cost`. */
  get bounds(): PolicyBounds | undefined {
    if (this.#boundLost === null) return undefined
    const { boundPaid, boundPreamble } = this.#money[this.#unit].millionths
    return { lost: this.#boundLost, paid: boundPaid / 1e6, preamble: boundPreamble / 1e6 }
  }

  /** Tokens are for all transcripts, money for those in `cost`. */
  get today(): Today {
    return this.#heldAgainst('today')
  }

  get against(): Against {
    return { baseline: this.#baseline ?? 'today', ...this.#heldAgainst('against') }
  }

  #heldAgainst(standard: Standard): Today {
    const { millionths } = this.#money[this.#unit]
    const { sentTokens, overWindowRequests, lostLatestUser, ...losses } = this.#standards[standard]
    const costInput = millionths[`${standard}Input`]
    const summaries = millionths[`${standard}Summaries`]
    const paid = costInput + summaries
    const costSaved = paid - millionths.input - millionths.summaries
    const savedTokens = sentTokens - this.sentTokens
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

  #addTokens(part: Pick<RunSum, 'fullTokens' | 'sentTokens' | 'peakTokens' | 'overBudgetRequests'>): void {
    this.fullTokens += part.fullTokens
    this.sentTokens += part.sentTokens
    this.peakTokens = Math.max(this.peakTokens, part.peakTokens)
    this.overBudgetRequests += part.overBudgetRequests
  }

  #addReferences(part: LossParts): void {
    const sum = this.references
    const all = sum ? [sum, part] : [part]
    this.references = {
      ...addLosses(all),
      headline: addLosses(all.map(({ headline }) => headline)),
      named: addLosses(all.map(({ named }) => named)),
      copied: all.map(({ copied }) => copied).reduce(addCopied),
    }
  }
}

function millionths(amount: number): number {
  return Math.round(amount * 1e6)
}
