/** Where Claude Code compacts. */

/** Tokens between the threshold and the room for the answer. */
export const buffer = 13_000

/**
 * Tokens of a request at which it compacts: of the window, what is kept for the answer and a buffer are not used. A
 * percentage can only make it earlier.
 */
export function threshold(of: { readonly window: number; readonly reserve: number; readonly pct: number }): number {
  const room = of.window - of.reserve
  return Math.min(room - buffer, of.pct > 0 ? Math.floor((room * of.pct) / 100) : Infinity)
}
