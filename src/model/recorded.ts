/**
 * Reconstructs the requests that the recorded agent really sent, with its summaries in place of what it compacted. The
 * provider's recorded usage is compared with these.
 */
import { type Message, shapeOf, textOf } from './message.ts'
import { Growing, type Sizes } from './sizes.ts'
import type { Compaction, Trace } from './trace.ts'

export interface RecordedRequest {
  readonly request: number
  /** Tokens of the whole input, as recorded. */
  readonly input: number
  /** Units of the messages, without the preamble. */
  readonly units: number
  /**
   * The first request after the agent cut its context. What the agent kept and restored there is not recorded, so that
   * request's usage is taken as given, and later requests are compared by what they added to it.
   */
  readonly anchor: RecordedRequest | null
}

/** A request behind which the context is known anew, because the provider counted it. */
export interface Recount {
  /** Index of the message that answers it. */
  readonly at: number
  /** Tokens of the whole input. */
  readonly input: number
  /** Nothing in the transcript says why the context shrank. */
  readonly unexplained: boolean
}

export interface RecordedRequests {
  readonly requests: readonly RecordedRequest[]
  /** The first request behind each compaction, and each one that shrank. */
  readonly recounts: readonly Recount[]
  /** Requests that cannot be compared, by reason. */
  readonly leftOut: {
    readonly withoutUsage: number
    /** The first request after a compaction, or after the context shrank without a recorded reason. */
    readonly cut: number
    /** A small request among large ones, made for something else (a title, a check). */
    readonly aside: number
  }
}

/** Whether a transcript recorded usage that corrects how it is counted. */
export function canCorrect(trace: Trace): boolean {
  return recordedRequests(trace, nothing).requests.length > 0
}

/** A context that shrinks by more than this share without a recorded reason was cut. */
const shrinkage = 0.02

/** The requests to compare with recorded usage. Which ones these are does not depend on the sizes. */
export function recordedRequests(
  trace: Trace,
  sizes: Pick<Sizes, 'of' | 'message' | 'joins' | 'passing'>,
): RecordedRequests {
  const requests: RecordedRequest[] = []
  const recounts: Recount[] = []
  const leftOut = { withoutUsage: 0, cut: 0, aside: 0 }
  let anchor: RecordedRequest | null = null
  /** The agent compacted: the next request is the anchor of those after it. */
  let compacted = false
  /** The agent cleared known results: the next request may be smaller. */
  let cleared = false
  let previous: RecordedRequest | null = null
  /** The request before a sudden shrinkage, which the next request may show to have been no cut. */
  let uncut: RecordedRequest | null = null
  // Some providers drop the reasoning at the next user message: the context may shrink by that much without a cut.
  let thought = 0
  let forgettable = 0
  let message = 0

  for (const { request, at, units, cut } of sentAsRecorded(trace, sizes)) {
    if (cut === 'compaction' || cut === 'reset') {
      thought = forgettable = 0
      anchor = previous = uncut = null
      compacted = cut === 'compaction'
    }
    cleared ||= cut === 'clearing'
    for (; message <= at; message++) {
      if (!trace.isPrompt(message)) continue
      forgettable = thought
      thought = 0
    }
    const usage = trace.usage(request)
    thought += usage?.output ?? 0
    if (!usage || usage.input <= 0) {
      leftOut.withoutUsage++
      continue
    }
    const { input } = usage
    if (uncut && input >= uncut.input * (1 - shrinkage)) {
      leftOut.cut--
      leftOut.aside++
      recounts.pop()
      anchor = uncut.anchor
      previous = uncut
    }
    uncut = null
    const isCut = previous !== null && !cleared && input < previous.input * (1 - shrinkage) - forgettable
    cleared = false
    if (isCut || compacted) {
      leftOut.cut++
      recounts.push({ at, input, unexplained: !compacted })
      if (isCut) uncut = previous
      compacted = false
      previous = anchor = { request, input, units, anchor: null }
    } else {
      previous = { request, input, units, anchor }
      requests.push(previous)
    }
  }
  return { requests, recounts, leftOut }
}

/** See `RecordedRequests`. */
export function recountsOf(trace: Trace): readonly Recount[] {
  return recordedRequests(trace, nothing).recounts
}

/** Which requests can be compared does not depend on how messages are counted. */
const nothing = { of: () => 0, message: () => 0, joins: () => 0 }

/** Why something has left the context since the request before. */
export type RecordedCut = 'compaction' | 'clearing' | 'reset'

/** A request as the recorded agent sent it. */
export interface RecordedSending {
  readonly request: number
  /** Index of the message that answers it. */
  readonly at: number
  /** Units of its messages. */
  readonly units: number
  /** The first message of the transcript that it carries; what stands in front of that, the agent put there. */
  readonly from: number
  /** Messages whose content was cleared since the request before, each with the size that is left of it. */
  readonly cleared: readonly (readonly [index: number, size: number])[]
  readonly cut: RecordedCut | null
}

/** Every request with the messages it had according to the transcript, as the policy `as-recorded` replays them. */
export function* sentAsRecorded(
  trace: Trace,
  sizes: Pick<Sizes, 'of' | 'message' | 'joins' | 'passing'>,
): Generator<RecordedSending> {
  let units = 0
  let growing = new Growing(sizes.joins)
  /** The first message of the transcript that is still inside. */
  let from = 0
  /** Units of what the last compaction restored. */
  let restored = 0
  let cut: RecordedCut | null = null
  let [request, compaction, clearing] = [0, 0, 0]
  const cleared = new Map<number, number>()
  let since: (readonly [index: number, size: number])[] = []
  const sizeOf = (index: number): number => cleared.get(index) ?? sizes.of(index)
  const add = (shape: number, size: number): number => {
    const added = growing.add(shape, size)
    units += added
    return added
  }
  const put = (message: Message): number => add(shapeOf(message), sizes.message(message))
  const startAnew = (why: RecordedCut, keptFrom: number): void => {
    units = restored = 0
    growing = new Growing(sizes.joins)
    from = keptFrom
    cut = why
  }

  for (let message = 0; message < trace.length; message++) {
    for (let next = trace.clearings[clearing]; next?.at === message; next = trace.clearings[++clearing]) {
      for (const [index, blocks] of next.left) {
        const left = sizes.message(trace.withContent(index, blocks))
        if (index >= from) units += left - sizeOf(index)
        cleared.set(index, left)
        since.push([index, left])
      }
      if (next.restored) {
        units -= restored
        restored = 0
      }
      cut ??= 'clearing'
    }
    for (let next = trace.compactions[compaction]; next?.at === message; next = trace.compactions[++compaction]) {
      // What left before does not come back.
      startAnew('compaction', Math.max(from, next.keptFrom))
      for (const summary of next.summary) put(summary)
      for (const one of next.restored ?? []) restored += put(one)
      for (let kept = from; kept < message; kept++) add(trace.shape(kept), sizeOf(kept))
    }
    if (trace.isReset(message)) startAnew('reset', message)
    if (trace.isResponse(message)) {
      const passing = sizes.passing?.inRequest(from, message) ?? 0
      yield { request: request++, at: message, units: units + passing, from, cleared: since, cut }
      cut = null
      since = []
    }
    add(trace.shape(message), sizeOf(message))
  }
}

/** Whether the summary of a compaction can be read: it may be encrypted, or not recorded. */
export const isTold = ({ summary, sealed }: Compaction): boolean =>
  sealed !== true && summary.some((message) => textOf(message).trim() !== '')
