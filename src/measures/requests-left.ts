/**
 * How many requests a session still makes: learned from recorded sessions, by program and by how many it has made since
 * it began or was last cut. `tools/fit/advice.mjs` writes the table, and says what it was learned from.
 */
import type { Trace } from '../model/trace.ts'
import data from './requests-left.data.json' with { type: 'json' }

/** Of the stretches of one program, or of all: how long sessions go on between two cuts. */
export interface LeftRow {
  readonly stretches: number
  /** For each place of `from`: mean requests still to come behind the next one. */
  readonly left: readonly number[]
}

export interface LeftTable {
  /** The least number of requests made for which each place of a row holds, ascending. */
  readonly from: readonly number[]
  readonly all: LeftRow
  readonly programs: Readonly<Record<string, LeftRow>>
}

export const learnedLeft: LeftTable = data

/** The requests of a trace with which a stretch begins: the first, and the first behind each recorded cut or reset. */
export function startsOf(trace: Trace): number[] {
  const starts = new Set<number>(trace.requests > 0 ? [0] : [])
  const cuts = trace.compactions.map(({ at }) => at)
  for (let index = 0; index < trace.length; index++) if (trace.isReset(index)) cuts.push(index)
  for (const cut of cuts.sort((a, b) => a - b)) {
    const request = trace.requestFrom(cut)
    if (request < trace.requests) starts.add(request)
  }
  return [...starts]
}

/** How many requests were made since the session began, or since it was last cut. */
export function madeSince(trace: Trace): number {
  let cut = trace.compactions.reduce((latest, { at }) => Math.max(latest, at), 0)
  for (let index = trace.length - 1; index > cut; index--) if (trace.isReset(index)) cut = index
  return trace.requests - trace.requestFrom(cut)
}

/** What is expected to follow the next request. */
export interface RequestsLeft {
  /** Since the session began, or was last cut. */
  readonly made: number
  /** The mean of the recorded stretches, behind the next request. */
  readonly expected: number
  /** Of how many stretches, of the session's own program; of all programs where `program` is null. */
  readonly stretches: number
  readonly program: string | null
}

/** @param program whose own record the session is; null for an agent of one's own */
export function requestsLeft(program: string | null, made: number, table: LeftTable = learnedLeft): RequestsLeft {
  const own = program !== null && Object.hasOwn(table.programs, program) ? table.programs[program] : undefined
  const { left, stretches } = own ?? table.all
  let place = 0
  while (place + 1 < table.from.length && (table.from[place + 1] as number) <= made) place++
  return { made, expected: left[place] ?? 0, stretches, program: own ? program : null }
}
