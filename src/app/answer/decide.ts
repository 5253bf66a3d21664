/** Decides between candidates: which policy and budget to take, and what the odds are. docs/recommend.md explains the rules. */
import { compareTexts } from '../../base/compare.ts'
import { wilson } from '../../base/intervals.ts'
import { rounded } from '../../measures/cost.ts'
import {
  type Candidate,
  type CandidateLosses,
  type CandidateVerdict,
  type Decision,
  fewestUses,
  isFit,
  type Risk,
  risks,
} from '../../model/recommendation.ts'
import { percent, roundPercent } from '../../model/run.ts'
import { allowedBy, type Tolerance } from '../../model/tolerance.ts'
import { type ExtraLoss, extraLossIn, type Sample, type Saving, savingIn, type Tried } from './forecast.ts'

/** By how many points of money a point of later uses lost has to be paid. docs/truth.md has what each row of the menu obtained. */
const prices: Readonly<Record<Risk, number>> = { cautious: 7, balanced: 3, bold: 1.5 }

/** No choice loses more of the later uses, whatever it saves. */
const mostLost = 0.12

/** A choice saves in so many cases of ten, */
const surely = 0.9

/** and more than this, in percent. */
const noticed = 1

/** By transcript. Money is 0 for a transcript that is not in the amounts. */
export interface Columns {
  readonly paid: Float64Array
  /** What is read again beyond what the transcripts hold of it; negative where it is less. */
  readonly rereads: Float64Array
  /** How far the model may be off: a standard deviation. */
  readonly unsure: Float64Array
  /** Later uses of content lost, as if a summary of unknown text kept nothing; of those, such as a summary stands for. */
  readonly lost: Float64Array
  readonly summarised: Float64Array
  /** Lost, if summaries keep what recorded ones did. */
  readonly expected: Float64Array
  /** Tokens of the largest request. */
  readonly peak: Float64Array
}

/** A candidate before it is compared with the others. */
export interface Contender
  extends Pick<
    Candidate,
    | 'setting'
    | 'policy'
    | 'params'
    | 'budget'
    | 'budgetAsked'
    | 'turnOn'
    | 'composition'
    | 'refusedRequests'
    | 'promptGoneRequests'
    | 'overWindowRequests'
    | 'summaries'
    | 'summaryTokens'
    | 'total'
  > {
  /** How many params are not at their defaults. */
  readonly paramsTurned: number
  /** How often the window was edited. */
  readonly edits: number
  readonly columns: Columns
}

export interface Measurements
  extends Pick<
    Decision,
    | 'sessions'
    | 'transcripts'
    | 'requests'
    | 'unit'
    | 'bill'
    | 'costed'
    | 'presentPolicy'
    | 'keptPercent'
    | 'errorPercent'
    | 'newer'
    | 'withoutUsage'
    | 'rises'
  > {
  /** How many policies; of these `candidates` has those that ever did anything. */
  readonly tried: number
  /** By transcript: the number of its session. */
  readonly sessionOf: Int32Array
  /** By transcript: later uses of content that have a source. */
  readonly uses: Float64Array
  readonly baseline: Contender
  /** The present setting, replayed as a candidate. */
  readonly present: Columns
  readonly candidates: readonly Contender[]
}

/** How a choice is made. */
export interface Choice {
  readonly risk: Risk
  /** A limit of what may be lost, in place of a price. */
  readonly tolerance: Tolerance | null
}

export const usualChoice: Choice = { risk: 'balanced', tolerance: null }

/** What a candidate comes to. */
interface Graded {
  readonly contender: Contender
  readonly saving: Saving
  readonly extra: ExtraLoss
}

/**
 * What to take of these candidates: of those that add no request which fails, and that save in nine of ten cases, the one that
 * saves most beyond what its losses are priced at. `cautious`, `balanced` and `bold` are three such prices.
 */
export function decide(
  measured: Measurements,
  { risk, tolerance }: Choice,
): Omit<Decision, 'scope' | 'program' | 'allSessions' | 'otherwise' | 'spent' | 'month'> {
  const { tried, baseline, candidates, present, uses, sessionOf: _, ...rest } = measured
  const odds = new Odds(measured)
  const graded = candidates.map((contender) => odds.of(contender))
  const allowed = tolerance && odds.allowed(tolerance)
  const menu = new Map(
    tolerance
      ? [[risk, bestWithin(graded, allowed as number)]]
      : risks.map((one) => [one, bestAt(graded, one)] as const),
  )
  const taken = menu.get(risk) ?? null
  const nearest = taken ?? nearestOf(graded, risk)
  const named = new Map([...menu].reverse().map(([one, row]) => [row, one] as const))
  const verdictOf = (one: Graded): CandidateVerdict =>
    one === taken ? 'recommended' : (named.get(one) ?? reasonOf(one, { risk, allowed, taken }))
  const finished = (one: Graded, verdict: CandidateVerdict): Candidate => {
    const { columns, paramsTurned: __, edits: ___, ...own } = one.contender
    const paid = sumOf(columns.paid)
    const net = sumOf(columns.paid, columns.rereads)
    return {
      ...own,
      verdict,
      paid,
      rereads: sumOf(columns.rereads),
      net,
      saved: savings(one.saving, sumOf(baseline.columns.paid) - net),
      losses: losses(columns, one.extra, sumOf(uses)),
      summaryTokens: own.summaries === 0 ? 0 : Math.round(own.summaryTokens / own.summaries),
    }
  }
  const all = new Map(graded.map((one) => [one, finished(one, verdictOf(one))]))
  const asItIs = odds.of(baseline)
  return {
    ...(tried === 0
      ? { outcome: 'nothing-to-set', keepReason: null }
      : taken
        ? { outcome: 'set', keepReason: null }
        : keepIn(nearest && reasonOf(nearest, { risk, allowed, taken }))),
    ...rest,
    risk,
    tolerance,
    baseline: finished({ ...asItIs, extra: { ...asItIs.extra, share: 0, measured: 0 } }, 'baseline'),
    present: losses(present, { measured: 0, share: 0, uses: 0 }, sumOf(uses)),
    best: nearest && (all.get(nearest) as Candidate),
    recommended: taken && (all.get(taken) as Candidate),
    candidates: [...all.values()].sort(
      (a, b) => a.net - b.net || a.losses.lost - b.losses.lost || compareTexts(a.setting, b.setting),
    ),
  }
}

/** Compares candidates over sessions: a transcript by itself is part of one. */
class Odds {
  readonly #measured: Measurements
  readonly #sample: Sample
  readonly #peaks: Float64Array
  readonly #all: Int32Array

  constructor(measured: Measurements) {
    const { baseline, present, uses } = measured
    this.#measured = measured
    this.#sample = {
      paid: this.#added(baseline.columns.paid),
      uses: this.#added(uses),
      lost: this.#added(present.expected),
    }
    this.#peaks = this.#largest(baseline.columns.peak)
    this.#all = Int32Array.from(this.#peaks, (_, at) => at)
  }

  of(contender: Contender): Graded {
    const tried = this.#triedOf(contender)
    return {
      contender,
      saving: savingIn(this.#sample, tried, this.#all),
      extra: extraLossIn(this.#sample, tried, this.#all),
    }
  }

  /** How much more than now may be lost, as a share of all later uses. */
  allowed(tolerance: Tolerance): number {
    const [total, now] = [sumOf(this.#sample.uses), sumOf(this.#sample.lost)]
    return total === 0 ? 0 : (allowedBy(tolerance, now, total) - now) / total
  }

  #triedOf({ columns, edits, budget }: Contender): Tried {
    const { paid, rereads, unsure, expected, peak } = columns
    const squares = this.#added(unsure.map((own) => own * own))
    const largest = this.#largest(peak)
    return {
      paid: this.#added(paid.map((own, at) => own + (rereads[at] as number))),
      unsure: squares.map(Math.sqrt),
      lost: this.#added(expected),
      // A policy that asks for no budget has the one that it keeps to.
      depth: this.#peaks.map((own, at) => (own === 0 ? 0 : Math.max(0, 1 - (budget ?? (largest[at] as number)) / own))),
      cuts: edits > 0,
    }
  }

  /** By session. */
  #added(column: Float64Array): Float64Array {
    const sums = new Float64Array(this.#measured.sessions)
    for (const [at, session] of this.#measured.sessionOf.entries())
      sums[session] = (sums[session] as number) + (column[at] as number)
    return sums
  }

  #largest(column: Float64Array): Float64Array {
    const most = new Float64Array(this.#measured.sessions)
    for (const [at, session] of this.#measured.sessionOf.entries())
      most[session] = Math.max(most[session] as number, column[at] as number)
    return most
  }
}

const isSure = ({ saving }: Graded): boolean => saving.chance >= surely

/** What it saves beyond the price of what it loses, as a share of what was paid. */
const worthAt = ({ saving, extra }: Graded, risk: Risk): number =>
  saving.percent / 100 - prices[risk] * Math.max(0, extra.share)

const isWorthIt = (one: Graded, risk: Risk): boolean => worthAt(one, risk) > 0 && one.extra.share <= mostLost

function bestAt(graded: readonly Graded[], risk: Risk): Graded | null {
  return first(
    graded.filter((one) => isPossible(one) && isWorthIt(one, risk)),
    (one) => worthAt(one, risk),
  )
}

/** Of those that are seen to lose no more, the one that saves most. */
function bestWithin(graded: readonly Graded[], allowed: number): Graded | null {
  return first(
    graded.filter((one) => isPossible(one) && isWithin(one, allowed)),
    ({ saving }) => saving.percent,
  )
}

const isPossible = (one: Graded): boolean => isFit(one.contender) && isSure(one) && one.saving.percent > noticed

const isWithin = ({ extra }: Graded, allowed: number): boolean => extra.measured <= allowed + 1e-9

/** The one that comes nearest to being taken; null where each makes requests that fail. */
function nearestOf(graded: readonly Graded[], risk: Risk): Graded | null {
  const fit = graded.filter(({ contender }) => isFit(contender))
  const saving = fit.filter((one) => one.saving.percent > noticed)
  return first(saving.length > 0 ? saving : fit, (one) => worthAt(one, risk))
}

/** The one of most merit; of equals the simplest. */
function first(graded: readonly Graded[], merit: (one: Graded) => number): Graded | null {
  return graded.toSorted((a, b) => merit(b) - merit(a) || simplestFirst(a, b))[0] ?? null
}

/** Why a candidate is not the one to take. */
function reasonOf(one: Graded, { risk, allowed, taken }: Taken): CandidateVerdict {
  const { contender, saving } = one
  if (contender.refusedRequests + contender.promptGoneRequests > 0) return 'refused'
  if (contender.overWindowRequests > 0) return 'over window'
  if (saving.percent <= 0) return 'dearer'
  if (saving.percent <= noticed) return 'saves less'
  if (tellsNothing(one)) return isSure(one) ? 'too few uses' : 'too few sessions'
  const pays = allowed === null ? isWorthIt(one, risk) : isWithin(one, allowed)
  if (!pays) return 'loses more'
  if (!isSure(one)) return 'too few sessions'
  // What saves more, and pays by itself, loses too much more for it.
  return saving.percent > (taken?.saving.percent ?? 0) ? 'loses more' : 'saves less'
}

interface Taken {
  readonly risk: Risk
  /** How much more than now may be lost; null where losses have a price. */
  readonly allowed: number | null
  readonly taken: Graded | null
}

/** It may lose too much, as others did; in these sessions it lost nothing, and had hardly anything to lose. */
const tellsNothing = ({ extra }: Graded): boolean => extra.measured <= 0 && extra.uses < fewestUses

/** What to do where nothing is taken, by why the nearest is not. */
function keepIn(reason: CandidateVerdict | null): Pick<Decision, 'outcome' | 'keepReason'> {
  if (reason === null) return { outcome: 'keep', keepReason: 'none-fit' }
  if (reason === 'too few sessions') return { outcome: 'too-few-sessions', keepReason: null }
  if (reason === 'too few uses') return { outcome: 'too-few-uses', keepReason: null }
  return { outcome: 'keep', keepReason: reason === 'loses more' ? 'loses-more' : 'nothing-cheaper' }
}

/**
 * What a setting turns on before what takes code; no call of a model before one; fewer params to set; fewer losses; the larger
 * budget.
 */
function simplestFirst({ contender: a, extra: one }: Graded, { contender: b, extra: other }: Graded): number {
  return (
    Number(isSettable(b)) - Number(isSettable(a)) ||
    Number(a.summaries > 0) - Number(b.summaries > 0) ||
    a.paramsTurned - b.paramsTurned ||
    one.share - other.share ||
    (b.budget ?? 0) - (a.budget ?? 0) ||
    compareTexts(a.setting, b.setting)
  )
}

function isSettable({ turnOn, composition }: Contender): boolean {
  return turnOn !== null || composition !== null
}

function savings({ percent: share, low, high, chance }: Saving, cost: number): Candidate['saved'] {
  return {
    cost: rounded(cost),
    percent: roundPercent(share),
    low: low && roundPercent(low),
    high: high && roundPercent(high),
    chancePercent: low === null ? null : roundPercent(100 * chance),
  }
}

function losses(columns: Columns, extra: ExtraLoss, total: number): CandidateLosses {
  const [lost, summarised] = [sumOf(columns.lost), sumOf(columns.summarised)]
  const { low, high } = wilson(lost, total)
  return {
    lost,
    total,
    percent: percent(lost, total),
    low: roundPercent(100 * low),
    high: roundPercent(100 * high),
    ifSummariesKeepAll: lost - summarised,
    expected: Math.round(sumOf(columns.expected)),
    extraPercent: roundPercent(100 * extra.share),
  }
}

/** In whole millionths, which add up exactly. */
function sumOf(...columns: readonly Float64Array[]): number {
  let sum = 0
  for (const column of columns) for (const amount of column) sum += Math.round(amount * 1e6)
  return sum / 1e6
}
