/**
 * What agents did behind their own compactions: how much of what had left they read again, and how much of the content
 * they used later stood in the summary. Learned from recorded compactions, and used to charge a policy for cuts that
 * nobody has made yet.
 */
import type { Forgotten } from './forgotten.ts'
import learned from './recorded-compactions.data.json' with { type: 'json' }

/** What recorded compactions came to, in sums, so that those of several transcripts can be added. */
export interface Compactions {
  /** Those with requests enough in front and behind to be compared. */
  readonly cuts: number
  /** That left the window. */
  readonly droppedTokens: number
  /**
   * Of results of reads of something known before: those behind the cuts over those in front of them. Negative where
   * there were fewer.
   */
  readonly rereadTokens: number
  /** Requests that made such reads, counted the same way. */
  readonly rereadRequests: number
  /** Later uses of content whose source had left, and those of them whose text stood in the summary. */
  readonly uses: number
  readonly kept: number
}

export const noCompactions: Compactions = {
  cuts: 0,
  droppedTokens: 0,
  rereadTokens: 0,
  rereadRequests: 0,
  uses: 0,
  kept: 0,
}

export function addCompactions(one: Compactions, other: Compactions): Compactions {
  return {
    cuts: one.cuts + other.cuts,
    droppedTokens: one.droppedTokens + other.droppedTokens,
    rereadTokens: one.rereadTokens + other.rereadTokens,
    rereadRequests: one.rereadRequests + other.rereadRequests,
    uses: one.uses + other.uses,
    kept: one.kept + other.kept,
  }
}

/** What is expected of a cut. */
export interface Habits {
  /** Tokens read again, and requests that it takes, for each token that leaves. */
  readonly tokens: number
  readonly requests: number
  /** The share of later uses of content that a summary holds. */
  readonly kept: number
  /**
   * How far off the money of a session is behind a cut that nobody has seen: a standard deviation, as a share of it.
   */
  readonly error: number
}

/** What little is known counts as much as these: ten compactions of a large window, and thirty uses. */
const usualDropped = 1_000_000
const usualUses = 30

/** `own` shrunk to what is usual: the more there is of it, the less the usual counts. */
export function shrunk(own: Compactions, usual: Habits): Habits {
  const dropped = own.droppedTokens + usualDropped
  return {
    tokens: Math.max(0, own.rereadTokens + usual.tokens * usualDropped) / dropped,
    requests: Math.max(0, own.rereadRequests + usual.requests * usualDropped) / dropped,
    kept: (own.kept + usual.kept * usualUses) / (own.uses + usualUses),
    error: usual.error,
  }
}

/**
 * What to expect of cuts in a program.
 * @param own the recorded compactions of the user's own sessions in that program
 * @param table default: what recorded sessions of other people showed
 */
export function habitsOf(program: string | null, own: Compactions, table: HabitsTable = learnedRereads): Habits {
  const programs: Readonly<Record<string, Habits>> = table.programs
  return shrunk(
    own,
    (program !== null && Object.hasOwn(programs, program) ? programs[program] : undefined) ?? table.all,
  )
}

export interface HabitsTable {
  readonly all: Habits
  readonly programs: Readonly<Record<string, Habits>>
}

/** Written by tools/fit/compactions.mjs. */
export const learnedRereads: HabitsTable = learned

/**
 * What reading again costs, in the unit of the run's cost.
 * @param usedTokens of what had left and was used later: the charge is capped at these
 */
export function rereadCost(forgotten: Forgotten, usedTokens: number, { tokens, requests }: Habits): number {
  const expected = tokens * forgotten.tokens
  if (expected === 0) return 0
  const share = Math.min(1, usedTokens / expected)
  return share * (tokens * forgotten.readCost + requests * forgotten.requestCost)
}
