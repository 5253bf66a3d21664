/**
 * Two watermarks. The budget is the high one: nothing happens until it is passed. `target` is the low one: how far a cut
 * then goes, as a fraction of the budget. 1 is the brief's rule, cut only what is too much; but then the next message is
 * over budget again, and every cut breaks the provider's prompt cache. Cutting to a half, seldom, keeps it.
 */
import { number } from '../base/param.ts'
import type { Window } from './policy.ts'

export const target = number({
  default: 1,
  min: 0,
  max: 1,
  help: 'once the budget is passed, cut down to this fraction of it',
})

/** The tokens to come down to, once the request is over the budget; null while it is not. */
export function lowWater(window: Window, fraction = 1): number | null {
  return window.tokens > window.budget ? window.budget * fraction : null
}
