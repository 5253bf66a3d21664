/**
 * Two watermarks. The budget is the high one: nothing happens until a request exceeds it. `target` is the low one: a
 * cut goes down to this fraction of the budget. 1 is the rule of most documents, to cut only the excess; but then the
 * next message exceeds the budget again, and every cut breaks the provider's prompt cache. Cutting to a half happens
 * less often.
 */
import { number } from '../base/param.ts'
import type { Window } from './policy.ts'

export const target = number({
  default: 1,
  min: 0,
  max: 1,
  help: 'once over the budget, cut down to this fraction of it',
})

/** The tokens to cut down to if the request is over the budget, else null. */
export function lowWater(window: Window, fraction = 1): number | null {
  return window.tokens > window.budget ? window.budget * fraction : null
}
