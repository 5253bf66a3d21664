/**
 * The words of a decision: what to set, by program. `ctxwin` alone, `recommend`, `compare`, `curve` and the page print these, so
 * that one file has one answer.
 */
import {
  type Candidate,
  type CandidateLosses,
  type CandidateSavings,
  type Decision,
  fewestSessions,
} from '../model/recommendation.ts'
import { fewestForPercent } from '../model/run.ts'
import { type TurnOn, turnOnByEmit } from '../model/turn-on.ts'
import { knownPrices } from './bill.ts'
import { askedBudget, compact, dollars, grouped, moreOrLess, signed } from './numbers.ts'
import type { Line } from './report.ts'

/** What to set in one program. */
export interface DecisionWords {
  /** The program; for transcripts of none "your own agent", and where policies were named "all". */
  readonly name: string
  /** In US dollars: what was billed, null where nothing was. */
  readonly spent: number | null
  /** What to do, in a sentence or two. */
  readonly words: string
  /** How to turn on what is to be set, if there is a way. */
  readonly turnOn: TurnOn | null
}

/** @param inShares no dollars: who has a plan pays none */
export function decisionWords(decision: Decision, inShares = false): DecisionWords {
  const { recommended, bill } = decision
  return {
    name: nameOf(decision),
    spent: bill?.usd ?? null,
    words: [verdictWords(decision, inShares), ...pricedWords(decision)].join(' '),
    turnOn: recommended && turnOnOf(recommended),
  }
}

/** "claude-code: Keep what you have: …", each in one line, the one with most money first; below it what turns it on. */
export function decisionLines(decisions: readonly Decision[], inShares = false): Line[] {
  const all = decisions.map((decision) => decisionWords(decision, inShares))
  return all.flatMap(({ name, words, turnOn }): Line[] => {
    const said = `${name === 'all' ? '' : `${name}: `}${words}`
    return turnOn ? [`${said} Turn it on ${whereWords(turnOn)}`, { verbatim: turnOn.text }] : [said]
  })
}

/** "in ~/.claude/settings.json (compacts at 127k):", behind which the text to paste stands by itself. */
export function whereWords({ file, note }: TurnOn): string {
  return `in ${file}${note === null ? '' : ` (${note})`}:`
}

function nameOf({ scope, program }: Decision): string {
  return scope === 'program' ? (program as string) : scope === 'own' ? 'your own agent' : 'all'
}

function verdictWords(decision: Decision, inShares: boolean): string {
  const { outcome, recommended, baseline, program, costed } = decision
  switch (outcome) {
    case 'nothing-to-set':
      return `Keep what you have: ctxwin knows no setting of ${program} that changes what its window holds.`
    case 'too-few-uses':
      return `Too few later uses of content to say (${grouped(baseline.losses.total)} of the ${fewestForPercent} needed).`
    case 'too-few-sessions':
      return [
        `Too few sessions to say (${grouped(costed)} of the ${fewestSessions} needed).`,
        ...hereWords(decision),
      ].join(' ')
    case 'set':
      return `Set this: ${candidateName(recommended as Candidate)}. It saves ${savedWords(recommended as Candidate, decision, inShares)}, and loses ${noMoreWords(decision)}.`
    case 'try':
      return `Worth trying: ${candidateName(recommended as Candidate)}. It saves ${savedWords(recommended as Candidate, decision, inShares)}; ${riskWords(recommended as Candidate, decision)}.`
    case 'keep':
      return [keepWords(decision), ...insteadWords(decision, inShares)].join(' ')
  }
}

/** "Keep what you have: nothing cheaper is as safe." */
function keepWords({ baseline, best, keepReason }: Decision): string {
  const keep = baseline.setting === 'today' ? 'Keep what you have' : `Keep ${baseline.setting}`
  if (!best) return `${keep}: every other setting makes requests that fail.`
  if (keepReason === 'nothing-cheaper') return `${keep}: nothing else is cheaper.`
  if (keepReason === 'loses-more') return `${keep}: nothing cheaper is as safe.`
  return keepReason === 'not-sure' ? `${keep}: nothing is surely cheaper.` : `${keep}.`
}

/** What comes nearest, and why it is not enough. */
function insteadWords(decision: Decision, inShares: boolean): string[] {
  const { best, keepReason, dearestPercent } = decision
  if (!best || keepReason === 'nothing-cheaper') return []
  const name = candidateName(best)
  const might = `${name} might ${mightWords(best, decision, inShares)}`
  if (keepReason === 'loses-more') return [`(${might}, but ${riskWords(best, decision)}.)`]
  if (keepReason === 'not-sure') return [`(${might}.)`]
  const without =
    dearestPercent > 50
      ? `three sessions are ${Math.round(dearestPercent)} % of the money: too few to be sure`
      : 'without the three dearest sessions that is not sure'
  return [`(${might}, but ${without}.)`]
}

/** "(claude-code-auto at 160k would have saved 12 % here.)" */
function hereWords({ best }: Decision): string[] {
  return best && best.saved.percent >= 1
    ? [`(${candidateName(best)} would have saved ${shareWords(best.saved.percent)} % of the cost of input here.)`]
    : []
}

/** "$9.10", "$24": an end of an interval is not known to the cent. */
function about(amount: number): string {
  return amount >= 10 ? `$${grouped(Math.round(amount))}` : dollars(Number(amount.toPrecision(2)))
}

/** "$9.10 to $24 of $236 for input after re-reading"; "4 to 10 % of the cost of input after re-reading" */
function savedWords({ saved }: Candidate, { baseline, unit }: Decision, inShares: boolean): string {
  const { low, high } = endsOf(saved)
  if (inShares || unit !== 'usd')
    return `${shareWords(low)} to ${shareWords(high)} % of the cost of input after re-reading`
  const amount = (share: number): string => about((share * baseline.paid) / 100)
  return `${amount(low)} to ${amount(high)} of ${dollars(baseline.paid)} for input after re-reading`
}

/** "save $9.10 to $24 of $236 for …"; "cost between $173 more and $169 less than the $538 for input, after re-reading" */
function mightWords(candidate: Candidate, decision: Decision, inShares: boolean): string {
  const { low, high } = endsOf(candidate.saved)
  if (low >= 0) return `save ${savedWords(candidate, decision, inShares)}`
  const { baseline, unit } = decision
  if (inShares || unit !== 'usd')
    return `cost ${moreOrLess(low, high, (share) => `${shareWords(share)} %`)} for input, after re-reading`
  const change = moreOrLess(low, high, (share) => about((share * baseline.paid) / 100))
  return `cost ${change} than the ${dollars(baseline.paid)} for input, after re-reading`
}

function endsOf({ low, high, percent }: CandidateSavings): { readonly low: number; readonly high: number } {
  return { low: low ?? percent, high: high ?? percent }
}

function noMoreWords({ tolerance }: Decision): string {
  return tolerance.over === 'baseline' && tolerance.percent === 0
    ? 'no more than what you have'
    : 'no more than you allow'
}

/**
 * "1 in 50 later uses of content would need a second look (at most 1 in 26)"; of what writes summaries "(1 in 90 to 1 in 20,
 * depending on the summaries)", or "up to 1 in 13 …, depending on the summaries" where the figure is itself the far end
 */
function riskWords(candidate: Candidate, decision: Decision): string {
  const { extraPercent, extraMostPercent } = candidate.losses
  const said = 'later uses of content would need a second look'
  if (extraPercent <= 0) return `at most ${oneIn(extraMostPercent)} ${said}`
  const usual = oneIn(extraPercent)
  if (candidate.summaries === 0) return `${usual} ${said} (at most ${oneIn(extraMostPercent)})`
  if (isFarEnd(candidate, decision)) return `up to ${usual} ${said}, depending on the summaries`
  return `${usual} ${said} (${endsWords(candidate, decision)}, depending on the summaries)`
}

/** Whether what is likely to be lost is also the most, and nothing the least: so it is where little is known of summaries. */
export function isFarEnd(candidate: Candidate, decision: Pick<Decision, 'present'>): boolean {
  const { extraPercent } = candidate.losses
  const [least, most] = summaryEnds(candidate, decision)
  // The same as they are said, that is.
  return candidate.summaries > 0 && extraPercent > 0 && least <= 0 && oneIn(most) === oneIn(extraPercent)
}

/** "1 in 90 to 1 in 20": if summaries kept all that is used later, or nothing of it. */
export function endsWords(candidate: Candidate, decision: Pick<Decision, 'present'>): string {
  const [least, most] = summaryEnds(candidate, decision)
  return `${least <= 0 ? 'none' : oneIn(least)} to ${oneIn(most)}`
}

/** The same in percent. */
function summaryEnds({ losses }: Candidate, { present }: Pick<Decision, 'present'>): readonly [number, number] {
  const { total, lost, ifSummariesKeepAll, extraPercent } = losses
  const least = (100 * (ifSummariesKeepAll - present.ifSummariesKeepAll)) / total
  const most = Math.max((100 * (lost - present.lost)) / total, extraPercent)
  return [least, most]
}

/** "1 in 50" */
function oneIn(percent: number): string {
  return `1 in ${grouped(Math.max(1, Math.round(100 / percent)))}`
}

function pricedWords({ costed, transcripts }: Decision): string[] {
  return costed < transcripts ? [`${knownPrices(costed, transcripts)}.`] : []
}

/** Of what no program does the command that prints it for an agent of one's own. */
export function turnOnOf(candidate: Candidate): TurnOn | null {
  const { turnOn, composition, setting, budget } = candidate
  if (turnOn !== null || composition === null) return turnOn
  // In tokens: a share of a window would ask for the model, too.
  return turnOnByEmit(setting, budget === null ? null : String(budget))
}

/** "claude-code-auto at 160k" */
export function candidateName(candidate: Candidate): string {
  const budget = budgetOf(candidate)
  return budget === 'any' ? candidate.setting : `${candidate.setting} at ${budget}`
}

/** 160k, 50%; "any" for a policy that does not ask for it */
export function budgetOf({ budget, ...candidate }: Candidate): string {
  const asked = budget === null ? 'any' : askedBudget({ budget, ...candidate })
  return typeof asked === 'string' ? asked : compact(asked).replace('.0', '')
}

const shareWords = (percent: number): string => signed(percent).replace('+', '')

/** Between what the change of the cost is, in percent: "-13 to -7.0"; null where that is not known. */
export function rangeWords({ low, high }: CandidateSavings): string | null {
  return low === null || high === null ? null : `${signed(-high)} to ${signed(-low)}`
}

/** "1.94 (1.62…2.32)" */
export function rateWords({ percent, low, high, total }: CandidateLosses): string {
  return total === 0 ? '' : `${percent.toFixed(1)} (${low.toFixed(1)}…${high.toFixed(1)})`
}
