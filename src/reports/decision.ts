/**
 * The words of a decision: what to set, by program. `ctxwin` alone, `recommend` and the page print these, so
 * that one file has one answer.
 */
import {
  type Candidate,
  type CandidateLosses,
  type CandidateSavings,
  type Decision,
  fewestUses,
} from '../model/recommendation.ts'
import { type TurnOn, turnOnByEmit } from '../model/turn-on.ts'
import { knownPrices } from './bill.ts'
import { askedBudget, compact, dollars, grouped, signed } from './numbers.ts'
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
  const { recommended, spent } = decision
  return {
    name: nameOf(decision),
    spent,
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
  const { outcome, recommended, program } = decision
  switch (outcome) {
    case 'nothing-to-set':
      return `Keep what you have: ctxwin knows no setting of ${program} that changes what its window holds.`
    case 'set':
      return `Set ${candidateName(recommended as Candidate)}: ${oddsWords(recommended as Candidate, decision, inShares)}.`
    case 'too-few-sessions':
      return `Too few sessions to tell (${grouped(decision.sessions)}).${insteadWords(decision, inShares)}`
    case 'too-few-uses':
      return `Too few later uses to tell what would be lost (${grouped(decision.baseline.losses.total)}).${insteadWords(decision, inShares)}`
    case 'keep':
      return `${keepWords(decision)}${insteadWords(decision, inShares)}`
  }
}

/** "Keep what you have: nothing cheaper is worth what it loses." */
function keepWords({ baseline, keepReason }: Decision): string {
  const keep = baseline.setting === 'today' ? 'Keep what you have' : `Keep ${baseline.setting}`
  if (keepReason === 'none-fit') return `${keep}: every other setting makes requests that fail.`
  return keepReason === 'loses-more'
    ? `${keep}: nothing cheaper is worth what it loses.`
    : `${keep}: nothing else is cheaper.`
}

/** " (claude-code-auto at 160k would save 12 % of the input, and about 1 in 8 later uses would need a second look.)" */
function insteadWords(decision: Decision, inShares: boolean): string {
  const { best, keepReason, outcome } = decision
  if (!best || keepReason === 'nothing-cheaper') return ''
  const loses = outcome === 'keep' ? `, and ${riskWords(best)}` : ''
  const { chancePercent } = best.saved
  const again =
    outcome === 'too-few-sessions' && chancePercent !== null
      ? `; about ${Math.min(9, Math.floor(chancePercent / 10))} in 10 that it saves again`
      : ''
  return ` (${candidateName(best)} would have saved ${amountWords(best, decision, inShares)} here${loses}${again}.)`
}

/** "saves $38 a month, 21 % of the input after re-reading (4 to 38 %), in about 9 of 10 cases; about 1 in 40 later uses …" */
function oddsWords(candidate: Candidate, decision: Decision, inShares: boolean): string {
  const { low, high } = candidate.saved
  const range = low === null || high === null ? '' : ` (${shareWords(low)} to ${shareWords(high)} %)`
  return `it saves ${amountWords(candidate, decision, inShares)} after re-reading${range}, in about 9 of 10 cases; ${riskWords(candidate)}`
}

/** "$38 a month, 21 % of the input"; "21 % of the input" for who pays no price by the token */
function amountWords({ saved }: Candidate, { month, unit }: Decision, inShares: boolean): string {
  const share = `${shareWords(saved.percent)} % of the input`
  if (inShares || unit !== 'usd' || month === null || month.input === 0) return share
  const amount = (saved.percent * month.input) / 100
  return month.days >= fewestDays
    ? `${about((amount * daysOfMonth) / month.days)} a month, ${share}`
    : `${about(amount)} of ${dollars(month.input)}, ${share}`
}

/** A month is told from so many days on. */
const fewestDays = 14
const daysOfMonth = 30

/** "$9.10", "$24": what is foretold is not known to the cent. */
function about(amount: number): string {
  return amount >= 10 ? `$${grouped(Math.round(amount))}` : dollars(Number(amount.toPrecision(2)))
}

/** "about 1 in 50 later uses of content would need a second look" */
export function riskWords({ losses: { extraPercent, total } }: Candidate): string {
  const said = 'later uses of content would need a second look'
  if (total < fewestUses)
    return `too few later uses to tell what it loses (in other people’s sessions ${oneIn(Math.max(extraPercent, leastTold))})`
  return extraPercent <= 0
    ? 'no more is lost than with what you have'
    : `about ${oneIn(toldRisk(extraPercent, total))} ${said}`
}

/** Only so many later uses tell of a risk below one in fifty. */
const manyUses = 400
const leastTold = 2

const toldRisk = (extraPercent: number, total: number): number =>
  total >= manyUses ? extraPercent : Math.max(extraPercent, leastTold)

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

type Named = Pick<Candidate, 'setting' | 'budget' | 'budgetAsked'>

/** "claude-code-auto at 160k" */
export function candidateName(candidate: Named): string {
  const budget = budgetOf(candidate)
  return budget === 'any' ? candidate.setting : `${candidate.setting} at ${budget}`
}

/** 160k, 50%; "any" for a policy that does not ask for it */
export function budgetOf({ budget, ...candidate }: Named): string {
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
