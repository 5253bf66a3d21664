/** What the windows of a command are of: the first line names it, or a note where the result has no room for a title. */
import { pluginWords } from '../../../check/labels.ts'
import type { Plan } from '../../../index.ts'
import { windowWords } from '../../../reports/window-words.ts'

/** "ikigai at 100k" */
export function windowsOf({ policies, budgets }: Plan): string {
  const names = policies.map(({ plugin, values }) => pluginWords(plugin, values))
  return windowWords(names, budgets)
}

/** A plan's first policy and budget, of which the pictures and requests of one transcript are. */
export function firstOf(plan: Plan): Plan {
  return { ...plan, policies: plan.policies.slice(0, 1), budgets: plan.budgets.slice(0, 1) }
}
