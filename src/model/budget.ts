/** The ceiling of a window, as it is asked for. */
import { parseTokens } from '../base/param.ts'

/** Tokens, 0 = none; a share of the model's context window, such as `50%`; or the policy's own. */
export type Budget = number | `${number}%` | 'own'

/** Where nobody names one, of a policy that has none of its own. */
export const usualBudget = 100_000

/** The share that a budget is, above 0 and up to 1; null for tokens, and a policy's own. */
export function shareOf(budget: Budget): number | null {
  return typeof budget === 'number' || budget === 'own' ? null : Number(budget.slice(0, -1)) / 100
}

/**
 * Reads a budget as people write it: 100000, 100k, 0.2M, 50%, 12.5 %, own. Undefined if it is none.
 * @returns a share spelt in one way, so that the same share is the same word
 */
export function parseBudget(word: string): Budget | undefined {
  const [, digits] = /^(\d{1,3}(?:\.\d{1,4})?)\s*%$/.exec(word.trim()) ?? []
  if (digits === undefined) return word.trim() === 'own' ? 'own' : parseTokens(word)
  const percent = Number(digits)
  return percent > 0 && percent <= 100 ? `${percent}%` : undefined
}
