/** What a picture, a list or a note begins with: the policy and the budget that made its windows. */
import type { Budget } from '../model/budget.ts'
import { type NamedBudget, shortBudget } from './numbers.ts'

/**
 * "ikigai:keepLast=2 at 100k", "mimir at its own budget of 128k", "ikigai, keep-all at 50k, 100k"; and "as-recorded"
 * alone, as what the agent did has no budget of ours.
 * @param policies as they are typed
 */
export function windowWords(policies: readonly string[], budgets: readonly (Budget | NamedBudget)[]): string {
  const names = `${policies.join(', ')}${policies.length > 1 && budgets.includes('own') ? ', each' : ''}`
  const ceilings = budgets.filter((budget) => budget !== 0).map(shortWord)
  const none = ceilings.length === budgets.length ? [] : ['without a budget']
  if (ceilings.length > 0) return [`${names} at ${ceilings.join(', ')}`, ...none].join(', and ')
  return policies.every((name) => name === 'as-recorded') ? names : [names, ...none].join(' ')
}

function shortWord(budget: Budget | NamedBudget): string {
  if (typeof budget === 'object') return shortBudget(budget)
  return shortBudget(typeof budget === 'string' ? { budget: 1, budgetAsked: budget } : { budget })
}
