/**
 * What the other sessions of a run tell of the hidden preamble of one that recorded no usage: the user's own tell more than those
 * that others published (`models/preambles.ts`). All files have to be read for it, so none is before a session rests on it.
 */
import { noDigest, type Trace } from '../../model/trace.ts'
import { type KnownPreamble, ownPreambles, preambleOf } from '../../models/preambles.ts'
import type { Source } from '../../readers/lines/source.ts'
import { hiddenPreamble } from '../../simulator/hidden-preamble.ts'
import { caseOf, type Plan } from '../plan.ts'
import { keysOf } from './responses.ts'
import { readThrough, type TraceCache, type Way } from './trace-cache.ts'

/** The sessions that tell, as each estimator of a plan counts them. */
export type TellingSessions = readonly (readonly KnownPreamble[])[]

/** Finds them once for each plan. */
export class OtherSessions {
  readonly #find: (how: Way) => Promise<TellingSessions>
  readonly #finding = new Map<Plan, Promise<TellingSessions>>()
  readonly #found = new Map<Plan, TellingSessions>()

  constructor(find: (how: Way) => Promise<TellingSessions>) {
    this.#find = find
  }

  /** Null before they have been looked for. */
  found(plan: Plan): TellingSessions | null {
    return this.#found.get(plan) ?? null
  }

  /** @param how the files are read for the plan */
  async find(how: Way): Promise<TellingSessions> {
    const finding = this.#finding.get(how.plan) ?? this.#find(how)
    this.#finding.set(how.plan, finding)
    const found = await finding
    this.#found.set(how.plan, found)
    return found
  }
}

/** What lies in a file can be read again, and a pipe cannot. */
export const canReadAgain = ({ path }: Source): boolean => path !== undefined

/** @param sources all files of a run. Null where none of them has another beside it. */
export function otherSessions(sources: readonly Source[], traces: TraceCache | null): OtherSessions | null {
  return sources.length < 2 ? null : new OtherSessions((how) => tellingIn(sources, how, traces))
}

/** Of each transcript, whether the settings let it count or not. Their order, and how files are named, makes no difference. */
async function tellingIn(
  sources: readonly Source[],
  { plan, ...how }: Way,
  traces: TraceCache | null,
): Promise<TellingSessions> {
  // Where nothing is kept for the reading to come, nothing is digested for it.
  const digest = traces ? how.digest : noDigest
  const options = { ...how.options, digestFor: digest.of, keepMessages: false }
  const all: Telling[] = []
  for (const source of sources) {
    const own: Telling[] = []
    try {
      if (!canReadAgain(source)) continue
      await readThrough(
        source,
        { plan, digest, options },
        traces,
        (trace) => own.push(tellingOf(trace, plan)),
        () => false,
      )
      for (const one of own) if (one.tokens.some((tokens) => tokens !== null)) all.push(one)
    } catch {
      // Its own reading reports it.
    }
  }
  const seen = new Set<number>()
  const once = sorted(all).filter(({ first }) => first === null || (!seen.has(first) && seen.add(first)))
  return plan.estimators.map((_, nth) =>
    once.flatMap(({ of, tokens }) => (tokens[nth] == null ? [] : [{ of, tokens: tokens[nth] }])),
  )
}

/** By what they say. */
function sorted(all: readonly Telling[]): Telling[] {
  const words = all.map((one) => [JSON.stringify(one), one] as const)
  return words.sort(([one], [other]) => (one < other ? -1 : 1)).map(([, one]) => one)
}

interface Telling extends Pick<KnownPreamble, 'of'> {
  /** What its first response is known by: forks and copies of a session have it, too, and tell the same. */
  readonly first: number | null
  /** By estimator; null where it tells nothing. */
  readonly tokens: readonly (number | null)[]
}

function tellingOf(trace: Trace, plan: Plan): Telling {
  const tokens = plan.estimators.map((_, nth) => hiddenPreamble(trace, caseOf(trace, plan, nth).inputs))
  return { of: preambleOf(trace), first: keysOf(trace).find((key) => key !== null) ?? null, tokens }
}

/** Whether the sizes of a transcript rest on them: neither it nor any usage says how large its preamble is. */
export function restsOnOthers(trace: Trace, { estimators, preamble = 'auto' }: Plan): boolean {
  if (estimators.length === 0 || preamble !== 'auto' || trace.preamble.complete || trace.requests === 0) return false
  for (let request = 0; request < trace.requests; request++) if ((trace.usage(request)?.input ?? 0) > 0) return false
  return trace.sideCalls.every(({ span }) => span === undefined)
}

/** By estimator: what the sessions tell of this one, which tells nothing itself. */
export function toldOf(trace: Trace, sessions: TellingSessions): number[][] {
  return sessions.map((known) => ownPreambles(preambleOf(trace), known))
}
