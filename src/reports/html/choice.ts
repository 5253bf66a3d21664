/** What can be chosen on the page, and the figures of a choice. They are looked up: nothing is interpolated. */
import { isHarmless, type Page, type PageCells, type PagePolicy, type PageSession } from '../../model/page.ts'
import { noFaults, percent } from '../../model/run.ts'
import { type Answer, answerSentence } from '../answer.ts'
import { shortBudget } from '../numbers.ts'

export interface Choice {
  /** Indices of the page's lists; null stands for all sessions. */
  readonly policy: number
  readonly budget: number
  readonly session: number | null
}

/** A policy at a budget, and what it is held against. Money is in the unit of the page. */
export interface Chosen {
  readonly answer: Answer
  readonly paid: number
  readonly today: number
  readonly unpruned: number
  readonly savedPercent: number
  readonly sentTokens: number
  readonly lost: number
  readonly uses: number
}

/**
 * What is shown first: the setting that the answer names; else the cheapest that saves money and loses no more than
 * today; else, of those that save money, the one that loses least; else the cheapest of all.
 */
export function firstChoice({ policies, today, opensAt }: Page): Choice {
  if (opensAt !== null) return { ...opensAt, session: null }
  const all = policies.flatMap(({ points, accepted }, policy) =>
    points
      .map((point, budget) => ({ paid: point.costInput + point.summaries, point, policy, budget }))
      .filter(({ budget }) => accepted[budget] === true),
  )
  const harmless = all.filter(({ point }) => isHarmless(point))
  const cheaper = harmless.filter(({ paid }) => paid < today.costInput + today.summaries)
  const within = cheaper.filter(({ point }) => point.lost <= today.lost)
  const [first] =
    within.length > 0 || cheaper.length === 0
      ? ([within, harmless, all].find(({ length }) => length > 0)?.toSorted((a, b) => a.paid - b.paid) ?? [])
      : cheaper.toSorted((a, b) => a.point.lost - b.point.lost || a.paid - b.paid)
  return { policy: first?.policy ?? 0, budget: first?.budget ?? 0, session: null }
}

export function chosen(page: Page, { policy, budget, session }: Choice): Chosen {
  const { setting, points, accepted } = page.policies[policy] as PagePolicy
  const point = points[budget] as PagePolicy['points'][number]
  // Against a budget that the program does not accept nothing is held.
  const name = { name: setting, ...(accepted[budget] === false ? { budget: 0 } : budgetOf(page, budget)) }
  const one = session === null ? null : (page.sessions[session] as PageSession)
  if (one) return ofSession(page, one, policy, budget, name)
  const { today, unpruned, unit } = page
  return {
    answer: {
      ...name,
      ...point,
      validity: point,
      cost: { unit, paid: point.costInput + point.summaries },
      against: against(
        { paid: today.costInput + today.summaries, savedPercent: point.costSavedPercent, ...today },
        point.lost,
      ),
    },
    paid: point.costInput + point.summaries,
    today: today.costInput + today.summaries,
    unpruned: unpruned.costInput + unpruned.summaries,
    savedPercent: point.costSavedPercent,
    sentTokens: point.sentTokens,
    lost: point.lost,
    uses: today.uses,
  }
}

function ofSession(
  { unit }: Page,
  { today, unprunedPaid, cells }: PageSession,
  policy: number,
  budget: number,
  name: Pick<Answer, 'name' | 'budget' | 'budgetAsked'>,
): Chosen {
  const { paid, lost, sent, over } = cellAt(cells[policy] as PageCells, budget)
  const savedPercent = percent(today.paid - paid, today.paid)
  return {
    answer: {
      ...name,
      cost: { unit, paid: paid / 1e6 },
      against: against({ ...today, paid: today.paid / 1e6, savedPercent }, lost),
      overBudgetRequests: over,
      invalidRequests: 0,
      validity: noFaults(),
    },
    paid: paid / 1e6,
    today: today.paid / 1e6,
    unpruned: unprunedPaid / 1e6,
    savedPercent,
    sentTokens: sent,
    lost,
    uses: today.uses,
  }
}

/** What the sentences of reports are made of. */
function against(
  today: { readonly paid: number; readonly savedPercent: number; readonly lost: number; readonly uses: number },
  lost: number,
): Answer['against'] {
  return {
    baseline: 'today',
    costInput: today.paid,
    summaries: 0,
    costSavedPercent: today.savedPercent,
    headlineLost: today.lost,
    headlineLostOver: lost - today.lost,
    headlineTotal: today.uses,
  }
}

/** The figures of a session at a budget; the last value of a column holds for all larger budgets. */
export function cellAt({ paid, lost, sent, over }: PageCells, budget: number): Record<keyof PageCells, number> {
  const at = (column: readonly number[]): number => column[Math.min(budget, column.length - 1)] ?? 0
  return { paid: at(paid), lost: at(lost), sent: at(sent), over: at(over) }
}

export function budgetOf({ budgets }: Page, at: number): Pick<Answer, 'budget' | 'budgetAsked'> {
  const budget = budgets[at]
  return typeof budget === 'string' ? { budget: 1, budgetAsked: budget } : { budget: budget ?? 0 }
}

/** "100k", "50%" */
export const budgetWord = (page: Page, at: number): string => shortBudget(budgetOf(page, at))

/** "ikigai at 100k" */
export function choiceWords(page: Page, { policy, budget }: Pick<Choice, 'policy' | 'budget'>): string {
  const { setting, heedsBudget } = page.policies[policy] as PagePolicy
  return heedsBudget ? `${setting} at ${budgetWord(page, budget)}` : setting
}

/** The sentence that `simulate` begins with, in its parts. */
export const sentencesOf = ({ answer }: Chosen): string[] => answerSentence(answer).split(' · ')

/**
 * The budgets that a policy can be tried at on this page: those that its program accepts, and that make a difference.
 */
export function stopsOf({ policies, budgets }: Page, policy: number): number[] {
  const { heedsBudget, accepted, points } = policies[policy] as PagePolicy
  const all = budgets.flatMap((_, budget) => (accepted[budget] === true ? [budget] : []))
  const [first = 0] = all
  return heedsBudget && points.length > 1 && all.length > 0 ? all : [first]
}
