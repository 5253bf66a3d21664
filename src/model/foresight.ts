/**
 * How well a request is foreseen that nobody has seen: sizes are fitted to the usage in front of a transcript's first cut
 * alone, and the requests behind it are predicted with them. A transcript without a cut is fitted on its first half and
 * predicted on its second.
 */
import { joinOf, type Sizes } from './sizes.ts'
import type { Trace } from './trace.ts'

/** A request whose recorded size was kept from the count, and what it was predicted to be. */
export interface ForeseenRequest {
  readonly request: number
  /** Tokens. */
  readonly recorded: number
  readonly foreseen: number
  /** The first request behind a cut: what was put into the context there has not been seen at all. */
  readonly first: boolean
}

export interface Foreseen {
  /** What divides the requests that are fitted from those that are predicted. */
  readonly behind: 'cut' | 'half'
  readonly requests: readonly ForeseenRequest[]
}

/** Fewer requests in front tell nothing. */
const fewest = 4

/**
 * @param count the sizes of a transcript that is told as much usage as the one given
 * @returns null where too few requests have usage in front or none has behind
 */
export function foresee(trace: Trace, count: (seen: Trace) => Sizes): Foreseen | null {
  const recorded = recordedInputs(trace)
  const cut = firstCut(trace)
  const before = recorded.filter(({ request }) => cut === null || request < cut)
  const from = cut ?? before[before.length >> 1]?.request ?? 0
  const tested = recorded.filter(({ request }) => request >= from)
  if (recorded.length - tested.length < fewest || tested.length === 0) return null
  const { windows, firsts } = recordedWindows(trace, count(trace.withoutUsageFrom(from)))
  return {
    behind: cut === null ? 'half' : 'cut',
    requests: tested.map(({ request, input }) => ({
      request,
      recorded: input,
      foreseen: windows[request]!,
      first: firsts.has(request),
    })),
  }
}

function recordedInputs(trace: Trace): { readonly request: number; readonly input: number }[] {
  const inputs: { request: number; input: number }[] = []
  for (let request = 0; request < trace.requests; request++) {
    const input = trace.usage(request)?.input ?? 0
    if (input > 0) inputs.push({ request, input })
  }
  return inputs
}

/** The first request behind a compaction or a new beginning, or null. */
function firstCut(trace: Trace): number | null {
  for (let request = 0, message = 0, compaction = 0; request < trace.requests; request++) {
    for (; message <= trace.requestAt(request); message++) {
      if (message > 0 && trace.isReset(message)) return request
      if (trace.compactions[compaction]?.at === message && message > 0) return request
      if (trace.compactions[compaction]?.at === message) compaction++
    }
  }
  return null
}

/** Tokens of each request, as the recorded agent sent it, and the requests that are the first behind a cut. */
function recordedWindows(trace: Trace, sizes: Sizes): { windows: Float64Array; firsts: Set<number> } {
  const windows = new Float64Array(trace.requests)
  const firsts = new Set<number>()
  let units = sizes.preamble
  let count = 0
  let request = 0
  let compaction = 0
  let cut = false
  const add = (size: number, continues: boolean): void => {
    units += size + joinOf(sizes.joins, count === 0, continues)
    count++
  }
  const startAnew = (): void => {
    units = sizes.preamble
    count = 0
    cut = request > 0
  }
  for (let message = 0; message < trace.length; message++) {
    for (let next = trace.compactions[compaction]; next?.at === message; next = trace.compactions[++compaction]) {
      startAnew()
      for (const summary of next.summary) add(sizes.message(summary), false)
      for (let kept = next.keptFrom; kept < message; kept++) add(sizes.of(kept), trace.continues(kept))
    }
    if (trace.isReset(message)) startAnew()
    if (trace.isResponse(message)) {
      if (cut) firsts.add(request)
      cut = false
      windows[request++] = sizes.tokens(units)
    }
    add(sizes.of(message), trace.continues(message))
  }
  return { windows, firsts }
}
