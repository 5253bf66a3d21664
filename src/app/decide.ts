/** Decides between candidates: which policy and budget to take, and how sure that is. docs/recommend.md explains the rules. */
import { bootstrapSums, middleOf, wilson } from '../base/intervals.ts'
import { rounded } from '../measures/cost.ts'
import { fewest, type Judge, judgeOf } from '../model/judged.ts'
import type {
  Candidate,
  CandidateLosses,
  CandidateSavings,
  CandidateVerdict,
  Decision,
} from '../model/recommendation.ts'
import { type LossCounts, percent, roundPercent, sourced } from '../model/run.ts'
import { allowedBy, type Tolerance } from '../model/tolerance.ts'

/** For fewer transcripts a bootstrap says nothing. */
export const fewestTranscripts = 5

export const noMoreThanBaseline: Tolerance = { over: 'baseline', percent: 0 }

/** A candidate before it is compared with the others. */
export interface Figures
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
  > {
  /** How many params are not at their defaults. */
  readonly paramsTurned: number
  /** By transcript, of those in the amounts. */
  readonly paid: Float64Array
  readonly losses: Readonly<Record<Judge, LossCounts>>
  readonly summarised: Readonly<Record<Judge, number>>
}

export interface Measurements extends Pick<Decision, 'transcripts' | 'requests' | 'unit' | 'bill'> {
  /** How many policies; of these `candidates` has those that ever did anything. */
  readonly tried: number
  readonly baseline: Figures
  readonly candidates: readonly Figures[]
}

/**
 * What to take of these candidates:
 *
 * 1. A candidate may lose no more than the tolerance allows, may add no request that a provider would refuse or that is
 *    without the newest user message, and none over the model's window.
 * 2. Of these, and the baseline if it keeps to the tolerance, the cheapest; and with it all whose cost is not surely higher:
 *    the 95 % interval of the difference reaches down to nothing.
 * 3. Of these the simplest, by `simplestFirst`.
 */
export function decide(
  { tried, baseline, candidates, ...measured }: Measurements,
  tolerance: Tolerance,
): Omit<Decision, 'scope' | 'program'> {
  const of = judgeOf([{ ...baseline.losses.all, ...baseline.losses }])
  const lost = ({ losses }: Figures): number => losses[of].sourceLost
  const total = sourced(baseline.losses[of])
  const allowed = allowedBy(tolerance, lost(baseline), total)
  const all = [baseline, ...candidates]
  const draws = baseline.paid.length < fewestTranscripts ? null : bootstrapSums(all.map(({ paid }) => paid))
  const sums = new Map(all.map((figures) => [figures, sumOf(figures.paid)]))
  const cost = (figures: Figures): number => sums.get(figures) as number

  // The baseline may exceed the window: it was really sent, or is what the others are compared with.
  const isFit = (figures: Figures): boolean =>
    figures === baseline || figures.refusedRequests + figures.promptGoneRequests + figures.overWindowRequests === 0
  const isWithin = (figures: Figures): boolean => isFit(figures) && lost(figures) <= allowed
  const options = all.filter(isWithin)
  const cheapest = options.reduce<Figures | null>((best, one) => (best && cost(best) <= cost(one) ? best : one), null)
  const tied = options.filter((one) => cheapest !== null && !isSurelyDearer(one, cheapest))
  const [simplest] = tied.sort((a, b) => simplestFirst(a, b, baseline, lost) || cost(a) - cost(b))
  const taken = total < fewest || tried === 0 ? undefined : simplest

  const verdictOf = (figures: Figures): CandidateVerdict => {
    if (figures === baseline) return 'baseline'
    if (figures === taken) return 'recommended'
    if (figures.refusedRequests + figures.promptGoneRequests > 0) return 'refused'
    if (figures.overWindowRequests > 0) return 'over window'
    if (!isWithin(figures)) return 'loses more'
    return tied.includes(figures) ? 'tie' : 'dearer'
  }
  const finished = (figures: Figures): Candidate => {
    const { paid: _, losses, summarised, paramsTurned: __, ...rest } = figures
    return {
      ...rest,
      verdict: verdictOf(figures),
      paid: cost(figures),
      saved: savedBy(figures),
      losses: lossesIn(losses[of], summarised[of]),
      summaryTokens: figures.summaries === 0 ? 0 : Math.round(figures.summaryTokens / figures.summaries),
    }
  }

  function isSurelyDearer(one: Figures, than: Figures): boolean {
    if (one === than || cost(one) === cost(than)) return false
    if (!draws) return true
    const [a, b] = [all.indexOf(one), all.indexOf(than)]
    return middleOf(draws.map((sums) => (sums[a] as number) - (sums[b] as number))).low > 0
  }

  function savedBy(figures: Figures): CandidateSavings {
    const at = all.indexOf(figures)
    const share = (paid: number, before: number): number => (before === 0 ? 0 : (100 * (before - paid)) / before)
    const interval = draws && middleOf(draws.map((sums) => share(sums[at] as number, sums[0] as number)))
    return {
      cost: rounded(cost(baseline) - cost(figures)),
      percent: roundPercent(share(cost(figures), cost(baseline))),
      low: interval && roundPercent(interval.low),
      high: interval && roundPercent(interval.high),
    }
  }

  const byCost = candidates.toSorted((a, b) => cost(a) - cost(b) || lost(a) - lost(b) || compare(a.setting, b.setting))
  return {
    outcome:
      tried === 0
        ? 'nothing-to-set'
        : total < fewest
          ? 'too-few'
          : !taken
            ? 'none'
            : taken === baseline
              ? 'stay'
              : 'found',
    ...measured,
    costed: baseline.paid.length,
    of,
    tolerance,
    limitPercent: percent(allowed, total),
    baseline: finished(baseline),
    recommended: taken && taken !== baseline ? finished(taken) : null,
    candidates: byCost.map(finished),
  }
}

/**
 * What is there already, before what a setting turns on, before what takes code; no call of a model before one; fewer params
 * to set; fewer losses; the larger budget.
 */
function simplestFirst(a: Figures, b: Figures, baseline: Figures, lost: (figures: Figures) => number): number {
  return (
    Number(b === baseline) - Number(a === baseline) ||
    Number(isSettable(b)) - Number(isSettable(a)) ||
    Number(a.summaries > 0) - Number(b.summaries > 0) ||
    a.paramsTurned - b.paramsTurned ||
    lost(a) - lost(b) ||
    (b.budget ?? 0) - (a.budget ?? 0)
  )
}

function isSettable({ turnOn, composition }: Figures): boolean {
  return turnOn !== null || composition !== null
}

function lossesIn(counts: LossCounts, summarised: number): CandidateLosses {
  const [lost, total] = [counts.sourceLost, sourced(counts)]
  const { low, high } = wilson(lost, total)
  return {
    lost,
    total,
    percent: percent(lost, total),
    low: roundPercent(100 * low),
    high: roundPercent(100 * high),
    ifSummariesKeepAll: lost - summarised,
  }
}

/** In whole millionths, which add up exactly. */
function sumOf(amounts: Float64Array): number {
  return amounts.reduce((sum, amount) => sum + Math.round(amount * 1e6), 0) / 1e6
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}
