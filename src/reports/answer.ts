/** The first lines of a report answer what people ask: what was read and spent, and what a policy makes of it. */
import type { ShownUnit } from '../model/run.ts'
import { lossesOf, type Outcome } from './columns/outcome.ts'
import { compact, dollars, grouped, type NamedBudget, percentWords, several, shortBudget } from './numbers.ts'

/** A policy at a budget. */
export interface Answer extends Omit<Outcome, 'cost'>, NamedBudget {
  readonly cost: { readonly unit: ShownUnit; readonly paid: number }
  readonly name: string
  /** System prompt and tools, which no policy prunes; where there is one transcript. */
  readonly preambleTokens?: number
}

/**
 * "ikigai at 100k: $292 for input, 20.7 % less than today ($368) · loses 12 of 727 later uses (today 3) · 1,387 requests
 * still over 100k"
 */
export function answerSentence(answer: Answer): string {
  const { name, budget, against, cost } = answer
  const standard = against.costInput + against.summaries
  const at = budget === 0 ? '' : ` at ${shortBudget(answer)}`
  const price = `${name}${at}: ${amountWords(cost.paid, cost.unit)} for input, ${differenceWords(answer, standard)}`
  return [price, ...lossWords(answer), ...overWords(answer), ...harmWords(answer)].join(' · ')
}

/** "20.7 % less than today ($368)" */
function differenceWords({ against, cost }: Answer, standard: number): string {
  const { baseline, costSavedPercent } = against
  const than = `${baseline} (${amountWords(standard, cost.unit)})`
  if (costSavedPercent === 0) return cost.paid === standard ? `the same as ${baseline}` : `as much as ${than}`
  return `${Math.abs(costSavedPercent).toFixed(1)} % ${costSavedPercent > 0 ? 'less' : 'more'} than ${than}`
}

function lossWords(answer: Answer): string[] {
  const losses = lossesOf(answer)
  if (!losses || losses.whole === 0) return []
  const { baseline, headlineLost = 0 } = answer.against
  return [`loses ${grouped(losses.part)} of ${grouped(losses.whole)} later uses (${baseline} ${grouped(headlineLost)})`]
}

function overWords(answer: Answer): string[] {
  const { budget, overBudgetRequests, preambleTokens = 0 } = answer
  if (budget === 0) return []
  const limit = answer.budgetAsked === 'own' ? 'it' : shortBudget(answer)
  if (overBudgetRequests === 0) return [`no request over ${limit}`]
  // System prompt and tools that take more than half of the budget are named, because they are why requests are over it.
  const why = 2 * preambleTokens > budget ? ` (system prompt and tools alone: ${compact(preambleTokens)})` : ''
  return [`${several(overBudgetRequests, 'request')} still over ${limit}${why}`]
}

function harmWords({ invalidRequests, validity: { lostLatestUser } }: Answer): string[] {
  return [
    ...(invalidRequests > 0 ? [`a provider would refuse ${several(invalidRequests, 'request')}`] : []),
    ...(lostLatestUser > 0 ? [`${several(lostLatestUser, 'request')} without the newest prompt`] : []),
  ]
}

/** What bills are shown in, beside costs in this unit. */
export function moneyUnit(unit: ShownUnit): ShownUnit {
  return unit === 'percent' ? unit : 'usd'
}

/** "$292"; without a price "1.2M token equivalents"; for who has a plan "12.3 %". */
export function amountWords(amount: number, unit: ShownUnit): string {
  return `${figureWords(amount, unit)}${unit === 'input-token-equivalents' ? ' token equivalents' : ''}`
}

/** The same where something else says what is counted without a price: "1.2M". */
export function figureWords(amount: number, unit: ShownUnit): string {
  if (unit === 'percent') return percentWords(amount)
  return unit === 'usd' ? dollars(amount) : compact(amount)
}

/** What was billed, beside costs in this unit. */
export function billedWords(amount: number, unit: ShownUnit): string {
  return amountWords(amount, moneyUnit(unit))
}
