/** Decides between candidates: which policy and budget to take, and how sure that is. docs/recommend.md explains the rules. */
import { wilson } from '../../base/intervals.ts'
import { rounded } from '../../measures/cost.ts'
import {
  type Candidate,
  type CandidateLosses,
  type CandidateSavings,
  type CandidateVerdict,
  type Decision,
  fewestSessions,
} from '../../model/recommendation.ts'
import { fewestForPercent, percent, roundPercent } from '../../model/run.ts'
import { allowedBy, type Tolerance } from '../../model/tolerance.ts'
import { type ExtraLoss, extraLossIn, halves, type Sample, type Saving, savingIn, type Tried } from './forecast.ts'

export const noMoreThanBaseline: Tolerance = { over: 'baseline', percent: 0 }

/** Fewer later uses than one in two hundred is no more: no number of sessions can show that there is not one. */
const unnoticed = 0.005

/** What loses more than one in twenty later uses is not worth trying. */
const worthTrying = 0.05

/** Savings that differ by less, in percentage points, are as good as each other: the simpler one is taken. */
const alike = 1

/** A verdict must hold without so many of the dearest sessions. */
const dearest = 3

const draws = 40

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
  /** By transcript: later uses of content that have a source. */
  readonly uses: Float64Array
  readonly baseline: Contender
  /** The present setting, replayed as a candidate. */
  readonly present: Columns
  readonly candidates: readonly Contender[]
}

/** How good a candidate is: the first that holds. */
const grades = ['set', 'try', 'unsure', 'loses more', 'dearer'] as const
type Grade = (typeof grades)[number]

/** What a candidate comes to in some of the sessions. */
interface Graded {
  readonly contender: Contender
  readonly grade: Grade
  readonly saving: Saving
  readonly extra: ExtraLoss
}

/**
 * What to take of these candidates:
 *
 * 1. A candidate may add no request that a provider would refuse or that is without the newest user message, and none over
 *    the model's window.
 * 2. *Set* what saves surely and loses no more than the tolerance allows beyond the present setting; *try* what saves surely
 *    and loses up to one in twenty later uses more. Both are held by the far end of their intervals.
 * 3. Of the best of these the one that surely saves most; of what surely saves as much the simplest, by `simplestFirst`.
 * 4. A verdict must hold without the three dearest sessions, and takes ten.
 */
export function decide(measured: Measurements, tolerance: Tolerance): Omit<Decision, 'scope' | 'program'> {
  const { tried, baseline, candidates, present, uses: _, ...rest } = measured
  const choice = new Choice(measured, tolerance)
  const everywhere = Int32Array.from({ length: measured.transcripts }, (_, at) => at)
  const whole = choice.graded(everywhere)
  const chosen = choice.best(whole)
  const without = choice.withoutDearest(everywhere)
  const isEnough = measured.costed >= fewestSessions
  const heldOut = chosen && isEnough ? choice.heldOut(chosen) : null
  const isSure = heldOut !== null && heldOut.low > 0
  const holds = chosen !== null && isSure && choice.saving(chosen.contender, without.sessions).low > 0
  const verdict = holds && (chosen.grade === 'set' || chosen.grade === 'try') ? chosen.grade : 'keep'
  const outcome =
    tried === 0
      ? 'nothing-to-set'
      : !isEnough
        ? 'too-few-sessions'
        : choice.total < fewestForPercent
          ? 'too-few-uses'
          : verdict
  const taken = outcome === 'set' || outcome === 'try' ? chosen : null
  const likely = chosen ? choice.alike(whole, chosen) : []

  const verdictOf = ({ contender, grade: own }: Graded): CandidateVerdict => {
    if (contender === taken?.contender) return outcome === 'set' ? 'recommended' : 'worth trying'
    if (contender.refusedRequests + contender.promptGoneRequests > 0) return 'refused'
    if (contender.overWindowRequests > 0) return 'over window'
    if (own === 'loses more' || (own === 'try' && outcome === 'set')) return 'loses more'
    if (own === 'unsure') return 'not surely cheaper'
    if (own === 'dearer') return 'dearer'
    return taken !== null && likely.includes(contender) ? 'tie' : 'saves less'
  }
  const finished = (one: Graded, verdict: CandidateVerdict): Candidate => {
    const { columns, paramsTurned: __, edits: ___, ...own } = one.contender
    const saving = one.contender === chosen?.contender && heldOut ? heldOut : one.saving
    return {
      ...own,
      verdict,
      paid: sumOf(columns.paid),
      rereads: sumOf(columns.rereads),
      net: sumOf(columns.paid, columns.rereads),
      saved: choice.savings(one.contender, isEnough ? saving : null),
      losses: choice.losses(columns, one.extra),
      summaryTokens: own.summaries === 0 ? 0 : Math.round(own.summaryTokens / own.summaries),
    }
  }
  const finishedOnes = new Map(whole.map((one) => [one.contender, finished(one, verdictOf(one))]))
  const asItIs: Graded = {
    contender: baseline,
    grade: 'unsure',
    saving: { percent: 0, low: 0, high: 0 },
    extra: { share: 0, most: 0 },
  }
  return {
    outcome,
    keepReason: outcome === 'keep' ? keepReasonOf(chosen, isSure) : null,
    ...rest,
    tolerance,
    limitPercent: percent(choice.allowed, choice.total),
    baseline: finished(asItIs, 'baseline'),
    present: choice.losses(present, { share: 0, most: 0 }),
    dearestPercent: without.percent,
    best: chosen ? (finishedOnes.get(chosen.contender) as Candidate) : null,
    recommended: taken ? (finishedOnes.get(taken.contender) as Candidate) : null,
    candidates: [...finishedOnes.values()].sort(
      (a, b) => a.net - b.net || a.losses.lost - b.losses.lost || compare(a.setting, b.setting),
    ),
  }
}

/** Why the best candidate is not good enough. @param isSure that it saves, with all sessions */
function keepReasonOf(chosen: Graded | null, isSure: boolean): NonNullable<Decision['keepReason']> {
  if (!chosen) return 'none-fit'
  if (chosen.grade === 'loses more') return 'loses-more'
  if (chosen.grade === 'dearer') return 'nothing-cheaper'
  return chosen.grade === 'unsure' || !isSure ? 'not-sure' : 'few-dear-ones'
}

/** Compares the candidates over some of the sessions. */
class Choice {
  /** All later uses; and how many the tolerance allows to be lost. */
  readonly total: number
  readonly allowed: number
  readonly #measured: Measurements
  readonly #sample: Sample
  readonly #tried: ReadonlyMap<Contender, Tried>
  readonly #allowedShare: number

  constructor(measured: Measurements, tolerance: Tolerance) {
    const { baseline, present, uses, candidates } = measured
    this.#measured = measured
    this.#sample = { paid: baseline.columns.paid, uses, lost: present.expected }
    this.#tried = new Map(candidates.map((contender) => [contender, triedOf(contender)]))
    this.total = sumOf(uses)
    const now = sumOf(present.expected)
    this.allowed = allowedBy(tolerance, now, this.total)
    this.#allowedShare = this.total === 0 ? 0 : (this.allowed - now) / this.total
  }

  /** Every candidate in these sessions. */
  graded(sessions: ArrayLike<number>): Graded[] {
    return this.#measured.candidates.map((contender) => this.#grade(contender, sessions))
  }

  saving(contender: Contender, sessions: ArrayLike<number>): Saving {
    return savingIn(this.#sample, this.#tried.get(contender) as Tried, sessions)
  }

  #grade(contender: Contender, sessions: ArrayLike<number>): Graded {
    const tried = this.#tried.get(contender) as Tried
    const saving = this.saving(contender, sessions)
    const extra = extraLossIn(this.#sample, tried, sessions)
    const isSure = saving.low > 0
    const grade =
      saving.percent <= 0
        ? 'dearer'
        : extra.most > this.#allowedShare + worthTrying
          ? 'loses more'
          : !isSure
            ? 'unsure'
            : extra.most > this.#allowedShare + unnoticed
              ? 'try'
              : 'set'
    return { contender, grade, saving, extra }
  }

  /** Of the best grade, what surely saves most; of those that surely save as much, the simplest. Null if none is fit. */
  best(all: readonly Graded[]): Graded | null {
    const [most] = all.filter(isFit).sort((a, b) => gradeOf(a) - gradeOf(b) || merit(b) - merit(a))
    if (!most) return null
    const likely = this.alike(all, most)
    const among = all.filter(({ contender }) => likely.includes(contender))
    return among.sort((a, b) => simplestFirst(a, b) || merit(b) - merit(a))[0] as Graded
  }

  /** Which candidates are as good as one of them. */
  alike(all: readonly Graded[], one: Graded): Contender[] {
    const isAs = (other: Graded): boolean =>
      other.grade === one.grade && isFit(other) && Math.abs(merit(other) - merit(one)) < merits[one.grade]
    return all.filter(isAs).map(({ contender }) => contender)
  }

  /** All sessions but the dearest, and how much of the money those are, in percent. */
  withoutDearest(sessions: Int32Array): { readonly sessions: Int32Array; readonly percent: number } {
    const { paid } = this.#sample
    const ordered = sessions.toSorted((a, b) => (paid[b] as number) - (paid[a] as number))
    const all = sumOf(paid)
    const top = ordered.subarray(0, dearest).reduce((sum, at) => sum + (paid[at] as number), 0)
    return { sessions: ordered.subarray(dearest), percent: all === 0 ? 0 : roundPercent((100 * top) / all) }
  }

  /**
   * What is chosen looks better than it is, because it was chosen: the same choice is made on one half of the sessions, again and
   * again, and what it comes to in the other half says by how much.
   */
  heldOut({ saving }: Graded): Saving {
    let [beyond, count] = [0, 0]
    for (const [one, other] of halves(this.#measured.transcripts, draws)) {
      const chosen = this.best(this.graded(one))
      if (!chosen) continue
      beyond += chosen.saving.percent - this.saving(chosen.contender, other).percent
      count++
    }
    // The choice was made on half of the sessions: on all of them chance has less of a say in it, by the root of two.
    const less = count === 0 ? 0 : beyond / count / Math.SQRT2
    return { percent: saving.percent - less, low: saving.low - less, high: saving.high - less }
  }

  savings({ columns }: Contender, saving: Saving | null): CandidateSavings {
    const before = sumOf(this.#sample.paid)
    const cost = before - sumOf(columns.paid, columns.rereads)
    return {
      cost: rounded(cost),
      percent: roundPercent(saving ? saving.percent : before === 0 ? 0 : (100 * cost) / before),
      low: saving && roundPercent(saving.low),
      high: saving && roundPercent(saving.high),
    }
  }

  losses(columns: Columns, extra: ExtraLoss): CandidateLosses {
    const [lost, summarised] = [sumOf(columns.lost), sumOf(columns.summarised)]
    const { low, high } = wilson(lost, this.total)
    return {
      lost,
      total: this.total,
      percent: percent(lost, this.total),
      low: roundPercent(100 * low),
      high: roundPercent(100 * high),
      ifSummariesKeepAll: lost - summarised,
      expected: Math.round(sumOf(columns.expected)),
      extraPercent: roundPercent(100 * extra.share),
      extraMostPercent: roundPercent(100 * extra.most),
    }
  }
}

function triedOf({ columns, edits }: Contender): Tried {
  const { paid, rereads, unsure, expected } = columns
  return { paid: paid.map((own, at) => own + (rereads[at] as number)), unsure, lost: expected, cuts: edits > 0 }
}

const isFit = ({ contender }: Graded): boolean =>
  contender.refusedRequests + contender.promptGoneRequests + contender.overWindowRequests === 0

const gradeOf = ({ grade }: Graded): number => grades.indexOf(grade)
/** By what those of a grade are compared: where all lose too much, the one that loses least. */
const merit = ({ grade, saving, extra }: Graded): number => (grade === 'loses more' ? -100 * extra.most : saving.low)

/** Which difference of these counts for nothing. */
const merits: Readonly<Record<Grade, number>> = {
  set: alike,
  try: alike,
  unsure: alike,
  'loses more': 1e-9,
  dearer: alike,
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
    (b.budget ?? 0) - (a.budget ?? 0)
  )
}

function isSettable({ turnOn, composition }: Contender): boolean {
  return turnOn !== null || composition !== null
}

/** In whole millionths, which add up exactly. */
function sumOf(...columns: readonly Float64Array[]): number {
  let sum = 0
  for (const column of columns) for (const amount of column) sum += Math.round(amount * 1e6)
  return sum / 1e6
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}
