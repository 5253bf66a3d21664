/**
 * What a cut makes an agent read again: learned from recorded compactions, by what reads of known files put into the
 * context behind one beyond what they did before it. `tools/fit/advice.mjs` writes the table.
 */
import data from './reread-of.data.json' with { type: 'json' }

export interface RereadRow {
  /** How many recorded compactions it was learned from. */
  readonly cuts: number
  /** For each 1,000 tokens dropped: tokens that are read again, and the requests that this takes. */
  readonly tokens: number
  readonly requests: number
}

export interface RereadTable {
  readonly all: RereadRow
  readonly programs: Readonly<Record<string, RereadRow>>
}

export const learnedRereads: RereadTable = data

/** Tokens that are read again, and in how many requests more. */
export interface Reread {
  readonly tokens: number
  readonly requests: number
}

/** @param program whose own record the session is; null for an agent of one's own */
export function rereadOf(program: string | null, droppedTokens: number, table: RereadTable = learnedRereads): Reread {
  const own = program !== null && Object.hasOwn(table.programs, program) ? table.programs[program] : undefined
  const { tokens, requests } = own ?? table.all
  const thousands = Math.max(0, droppedTokens) / 1000
  return { tokens: tokens * thousands, requests: requests * thousands }
}
