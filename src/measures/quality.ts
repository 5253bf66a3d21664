/**
 * What can be compared of one transcript: large windows with small ones of the same stretch of the same session, and
 * the windows in front of a recorded compaction with those right behind it.
 *
 * Only like is compared with like: calls to the same tool, at about the same place in an exchange. Of the strata the
 * differences are added up as Mantel and Haenszel (1959) weigh them, by n₁n₀ / (n₁ + n₀). Sums are linear in sessions,
 * so that a bootstrap needs no more.
 */
import { bandEdges, type Endpoint, endpoints } from '../model/quality.ts'
import { recountsOf } from '../model/recorded.ts'
import type { Trace } from '../model/trace.ts'
import { became, type Outcomes } from './outcomes.ts'

/**
 * A call is a repetition if the same was called among so many before it; the first ones of a transcript cannot be one,
 * and are left out.
 */
const lookBack = 10

/** How many requests before a compaction are compared with as many after it. */
export const near = 15

/** Requests of an exchange up to which a place in it begins anew: the first few, the next ones, the rest. */
const places = [5, 20]

export interface Observed {
  readonly endpoint: Endpoint
  /** Tokens of the window that the provider counted. */
  readonly size: number
  /** The request that it is of. */
  readonly request: number
  /** The stretch of the history between two cuts. */
  readonly stretch: number
  /** The tool and the place in the exchange. */
  readonly like: string
  /** 1 or 0; of output the logarithm of its tokens and one. */
  readonly value: number
}

/** Sums over strata that have both sides. */
export interface ContrastSum {
  readonly weight: number
  /** Of the differences, each by its weight. */
  readonly difference: number
  /** Values on both sides; of shares they are events. */
  readonly sum: number
}

export interface BandSum extends ContrastSum {
  readonly observations: number
  /** Of all values, whether or not they can be compared. */
  readonly total: number
}

export interface EndpointSum {
  /** For each band of sizes; the first is what the others are compared with. */
  readonly bands: readonly BandSum[]
  readonly compactions: ContrastSum & { readonly compactions: number }
}

/** One transcript. */
export interface QualitySum {
  readonly requests: number
  readonly withoutSize: number
  /** In the order of `endpoints`. */
  readonly endpoints: readonly EndpointSum[]
}

/** @param part a transcript without the requests that count elsewhere */
export function qualityOf(part: Trace, outcomes: Outcomes): QualitySum {
  const observed = new Map<Endpoint, Observed[]>(endpoints.map((endpoint) => [endpoint, []]))
  for (const one of observationsOf(part, outcomes)) observed.get(one.endpoint)?.push(one)
  const compacted = compactionsOf(part)
  let withoutSize = 0
  for (let request = 0; request < part.requests; request++) if (sizeOf(part, request) === null) withoutSize++
  return {
    requests: part.requests,
    withoutSize,
    endpoints: endpoints.map((endpoint) => {
      const own = observed.get(endpoint) ?? []
      return { bands: bandsOf(own), compactions: aroundCompactions(own, compacted) }
    }),
  }
}

/**
 * Everything that can be observed in requests of known size, in their order. What follows a request, up to the next, is
 * of it.
 */
export function* observationsOf(part: Trace, outcomes: Outcomes): Generator<Observed> {
  const cuts = cutsOf(part)
  let [stretch, place] = [0, 0]
  for (let request = 0; request < part.requests; request++) {
    const from = request === 0 ? 0 : part.requestAt(request - 1)
    const at = part.requestAt(request)
    for (let message = from; message < at; message++) if (part.isPrompt(message)) place = 0
    for (let message = from + 1; message <= at; message++) if (cuts.has(message)) stretch++
    const size = sizeOf(part, request)
    if (size !== null) yield* ofRequest(part, outcomes, { size, request, stretch }, place)
    place++
  }
}

/**
 * Of one request: how its calls ended, and what the user said to it.
 * @param place how many requests its exchange has in front of it
 */
export function* ofRequest(
  part: Trace,
  outcomes: Outcomes,
  of: Pick<Observed, 'size' | 'request' | 'stretch'>,
  place: number,
): Generator<Observed> {
  const at = part.requestAt(of.request)
  const next = of.request + 1 < part.requests ? part.requestAt(of.request + 1) : part.length
  const band = places.filter((end) => place >= end).length
  const alike = (call: number): string => `${outcomes.tools.name(call) ?? ''} ${band}`
  const { size, request, stretch } = of
  // Each member by its name: a spread takes four times as long, and there are several for each call of a session.
  const one = (endpoint: Endpoint, like: string, is: boolean): Observed => ({
    endpoint,
    size,
    request,
    stretch,
    like,
    value: is ? 1 : 0,
  })
  let interrupted = false
  for (let message = at; message < next; message++) {
    const facts = outcomes.facts(message)
    interrupted ||= (facts & became.interrupted) !== 0
    const call = part.call(message)
    switch (part.role(message)) {
      case 'assistant':
        for (let nth = call; nth < call + part.callCount(message); nth++) {
          if (nth < lookBack || outcomes.isWaiting(nth)) continue
          yield one('repeated', alike(nth), isRepeated(outcomes, nth))
        }
        break
      case 'tool':
        yield one('rejected', alike(call), (facts & became.rejected) !== 0)
        // What the user or another call has put an end to neither failed nor went well.
        if ((facts & (became.rejected | became.undone)) !== 0) break
        yield one('failed', alike(call), (facts & became.failed) !== 0)
        if (call >= 0 && outcomes.isEdit(call)) yield one('edits', alike(call), (facts & became.missed) !== 0)
        break
      case 'user':
        if (!part.isInjected(message)) yield one('corrected', '', (facts & became.corrected) !== 0)
    }
  }
  const like = alike(part.callCount(at) > 0 ? part.call(at) : -1)
  yield one('interrupted', like, interrupted)
  const output = part.output(of.request)
  if (output !== null) yield { endpoint: 'output', size, request, stretch, like, value: Math.log1p(output) }
}

function isRepeated(outcomes: Outcomes, call: number): boolean {
  for (let before = call - lookBack; before < call; before++)
    if (outcomes.input(before) === outcomes.input(call)) return true
  return false
}

/** The messages that begin a stretch: after a compaction, an unrecorded shrinkage, or a reset. */
function cutsOf(part: Trace): Set<number> {
  const cuts = new Set(recountsOf(part.whole).map(({ at }) => at))
  for (let message = 0; message < part.length; message++) if (part.isReset(message)) cuts.add(message)
  return cuts
}

function sizeOf(part: Trace, request: number): number | null {
  const input = part.usage(request)?.input ?? 0
  return input > 0 ? input : null
}

/** The band that a size is in. */
export function bandOf(size: number): number {
  let band = 0
  while (band < bandEdges.length && size >= (bandEdges[band] as number)) band++
  return band
}

/** Values of one stratum, in small windows or in large ones. */
interface Side {
  count: number
  sum: number
}

/** Of one endpoint: the sums of each band of sizes. @param observed in the order of their stretches */
export function bandsOf(observed: readonly Observed[]): BandSum[] {
  const strata: Side[][] = []
  let own = new Map<string, Side[]>()
  let last = -1
  for (const { stretch, like, size, value } of observed) {
    if (stretch !== last) own = new Map()
    last = stretch
    let sides = own.get(like)
    if (sides === undefined) {
      sides = Array.from({ length: bandEdges.length + 1 }, () => ({ count: 0, sum: 0 }))
      own.set(like, sides)
      strata.push(sides)
    }
    take(sides[bandOf(size)] as Side, value)
  }
  return Array.from({ length: bandEdges.length + 1 }, (_, band): BandSum => {
    const own = strata.map((sides) => sides[band] as Side)
    const contrasts = band === 0 ? [] : strata.map(([small, ...large]) => [large[band - 1], small] as const)
    return {
      observations: own.reduce((count, side) => count + side.count, 0),
      total: own.reduce((sum, side) => sum + side.sum, 0),
      ...contrastOf(contrasts as readonly (readonly [Side, Side])[]),
    }
  })
}

/** @param observed in the order of their requests @param compacted in theirs */
function aroundCompactions(observed: readonly Observed[], compacted: readonly Compacted[]): EndpointSum['compactions'] {
  const pairs: (readonly [Side, Side])[] = []
  let [compactions, start] = [0, 0]
  for (const { from, first, to } of compacted) {
    const strata = new Map<string, readonly [Side, Side]>()
    while (start < observed.length && (observed[start] as Observed).request < from) start++
    for (let at = start; at < observed.length; at++) {
      const { request, like, value } = observed[at] as Observed
      if (request >= to) break
      const sides =
        strata.get(like) ??
        ([
          { count: 0, sum: 0 },
          { count: 0, sum: 0 },
        ] as const)
      strata.set(like, sides)
      take(sides[request < first ? 0 : 1], value)
    }
    const both = [...strata.values()].filter(([front, behind]) => front.count > 0 && behind.count > 0)
    if (both.length > 0) compactions++
    for (const pair of both) pairs.push(pair)
  }
  return { compactions, ...contrastOf(pairs) }
}

interface Compacted {
  /** The first request behind it, the first one in front that is compared, and the end of those behind. */
  readonly first: number
  readonly from: number
  readonly to: number
}

/** The compactions that have requests on both sides. */
function compactionsOf(part: Trace): Compacted[] {
  const firsts = [...new Set(part.compactions.map(({ at }) => part.requestFrom(at)))]
  return firsts
    .map((first, nth) => ({
      first,
      from: Math.max(firsts[nth - 1] ?? 0, first - near),
      to: Math.min(firsts[nth + 1] ?? part.requests, first + near),
    }))
    .filter(({ from, first, to }) => from < first && first < to)
}

function take(side: Side, value: number): void {
  side.count++
  side.sum += value
}

/** @param pairs large windows, and small ones of the same kind */
function contrastOf(pairs: readonly (readonly [Side, Side])[]): ContrastSum {
  let [weight, difference, sum] = [0, 0, 0]
  for (const [large, small] of pairs) {
    if (large.count === 0 || small.count === 0) continue
    const own = (large.count * small.count) / (large.count + small.count)
    weight += own
    difference += own * (large.sum / large.count - small.sum / small.count)
    sum += large.sum + small.sum
  }
  return { weight, difference, sum }
}
