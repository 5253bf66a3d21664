/** Names the policies and budgets of a result, for its first line, or for a note if the result has no title. */

import type { Plan } from '../../../app/index.ts'
import { pluginWords } from '../../../check/labels.ts'
import { windowWords } from '../../../reports/window-words.ts'

/** "ikigai at 100k" */
export function windowsOf({ policies, budgets }: Plan): string {
  const names = policies.map(({ plugin, values }) => pluginWords(plugin, values))
  const own = policies.length === 1 && policies[0]?.plugin.ownBudget
  // What goes by the window, or by the model's name, is known by transcript.
  const known = typeof own === 'number' ? { budget: own, budgetAsked: 'own' } : 'own'
  return windowWords(
    names,
    budgets.map((budget) => (budget === 'own' ? known : budget)),
  )
}

/** A plan with its first policy and budget only, for the picture or the request of one transcript. */
export function firstOf(plan: Plan): Plan {
  return { ...plan, policies: plan.policies.slice(0, 1), budgets: plan.budgets.slice(0, 1) }
}
