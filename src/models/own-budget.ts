/** The budget of a program where nobody sets one. */
import { windowByName } from './lookup.ts'

/** Tokens; the model's window; or what duragent takes for that, by the model's name. */
export type OwnBudget = number | 'window' | 'named-window'

/**
 * In tokens; null where there is none, or the window is not known.
 * @param window of the model
 */
export function ownTokens(own: OwnBudget | undefined, model: string | null, window: number | null): number | null {
  if (own === 'window') return window
  return own === 'named-window' ? windowByName(model ?? '').window : (own ?? null)
}
