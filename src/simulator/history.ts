/** What is inside the window at one moment and what has left it: replays and records the window at that moment. */

import type { Request } from '../measures/measure.ts'
import { type Exchange, findExchanges } from '../model/exchanges.ts'
import type { ExchangeSummary, HistoryView, InsideExchange, LostUse, OutsideExchange } from '../model/history.ts'
import { textOf } from '../model/message.ts'
import type { Cut } from '../model/run.ts'
import { joinOf, type Sizes } from '../model/sizes.ts'
import type { Trace } from '../model/trace.ts'
import type { Contents, InsideMessage } from './contents.ts'
import { watchLostUses } from './lost-uses.ts'
import type { Observer } from './replay.ts'
import { type Plan, replayOne, sizesFor } from './simulate.ts'
import { firstWords, linesOf } from './words.ts'

/**
 * The window of one transcript under the plan's first policy, estimator and budget.
 * @param trace read for the same plan, with its messages
 * @param request the moment before this request goes out; null for the end
 */
export function historyOf(trace: Trace, plan: Plan, request: number | null): HistoryView {
  const sizes = countOf(trace, plan)
  const watcher = new Watcher(trace, request)
  const lost: LostUse[] = []
  const run = replayOne(trace, plan, [watcher, ...watchLostUses(trace, sizes, lost)])
  const exchanges = findExchanges(trace)
  const { entries, until: end, tokens } = watcher
  const times = latestTimes(trace)
  // Null if no time is recorded.
  const age = (index: number): number | null => {
    const past = (times[end] as number) - (times[index] as number)
    return Number.isNaN(past) ? null : Math.max(0, past)
  }
  const groups = new Map<number, InsideMessage[]>()
  for (const entry of entries) {
    const group = groups.get(entry.exchange)
    if (group) group.push(entry)
    else groups.set(entry.exchange, [entry])
  }
  const ranges = rangesBefore(trace, exchanges, end)
  const reset = lastReset(trace, end)

  const outside = ranges
    .filter(({ index }) => !groups.has(index))
    .map(({ index, from, to }): OutsideExchange => {
      const evictedAt = watcher.evictedAt.get(index)
      const leftAt = evictedAt ?? (to <= reset ? reset : null)
      return {
        exchange: index,
        title: titleOf(trace, index, from),
        left: evictedAt === undefined && to <= reset ? 'cleared' : 'evicted',
        age: leftAt === null ? null : age(leftAt),
        tokens: tokensOf(trace, sizes, from, to),
      }
    })
  const inside = ranges
    .filter(({ index }) => groups.has(index))
    .map(({ index, from, to, state }): InsideExchange => {
      const group = groups.get(index) as InsideMessage[]
      const units = group.reduce((sum, entry) => sum + entry.size + joinBehind(trace, sizes, entry.index), 0)
      return {
        exchange: index,
        title: titleOf(trace, index, from),
        current: to === end && (state === 'open' || watcher.at !== null),
        age: age(from + 1),
        tokens: sizes.tokens(units),
        missing: to - from - group.filter((entry) => entry.index >= 0).length,
        lines: linesOf(group, trace.head.cwd),
      }
    })
  return {
    transcript: run.transcript,
    conversation: run.conversation,
    policy: run.policy,
    budget: run.budget,
    estimator: run.estimator,
    request: watcher.at,
    tokens,
    preambleTokens: run.preambleTokens,
    outside,
    inside,
    lost: lost.filter(
      ({ exchange }) => request === null || exchange < 0 || (exchanges[exchange] as Exchange).from < end,
    ),
  }
}

/** The exchanges of a transcript that was read for the same plan, with its messages. */
export function exchangesOf(trace: Trace, plan: Plan): ExchangeSummary[] {
  const sizes = countOf(trace, plan)
  return findExchanges(trace).map(({ index, from, to, state }) => {
    const indices = Array.from({ length: to - from }, (_, offset) => from + offset)
    return {
      transcript: trace.head.file,
      conversation: trace.head.conversation,
      exchange: index,
      state,
      firstLine: trace.line(from),
      lastLine: trace.line(to - 1),
      messages: to - from,
      requests: indices.filter((message) => trace.isResponse(message)).length,
      toolCalls: indices.reduce((sum, message) => sum + trace.callCount(message), 0),
      tokens: tokensOf(trace, sizes, from, to),
      title: titleOf(trace, index, from) ?? '',
    }
  })
}

/** The last request of an exchange; if it has none, the last one before it. Null if there is no such exchange or request. */
export function requestOfExchange(trace: Trace, exchange: number): number | null {
  const to = findExchanges(trace)[exchange]?.to
  if (to === undefined) return null
  let last: number | null = null
  for (let request = 0; request < trace.requests && trace.requestAt(request) < to; request++) last = request
  return last
}

/** Records when exchanges leave, and the window at the given moment. */
class Watcher implements Observer {
  /** The request that was about to go out; null for the end. */
  at: number | null = null
  /** For each exchange that left, the index of the message that came next. */
  readonly evictedAt = new Map<number, number>()
  entries: InsideMessage[] = []
  /** Index of the next message at that moment. */
  until = 0
  tokens = 0
  readonly #trace: Trace
  readonly #wanted: number | null

  constructor(trace: Trace, wanted: number | null) {
    this.#trace = trace
    this.#wanted = wanted
  }

  cut({ evictedExchanges }: Cut, next: number): void {
    if (this.at !== null) return
    for (const exchange of evictedExchanges) this.evictedAt.set(exchange, next)
    // The messages before the first exchange (-1) leave with the first cut.
    if (!this.evictedAt.has(-1)) this.evictedAt.set(-1, next)
  }

  request({ index, message }: Request, window: Contents): void {
    if (index !== this.#wanted) return
    this.#takeDown(message, window)
    this.at = index
  }

  end(window: Contents): void {
    if (this.at === null) this.#takeDown(this.#trace.length, window)
  }

  #takeDown(until: number, window: Contents): void {
    this.until = until
    this.entries = window.messages()
    this.tokens = window.sentTokens
  }
}

/** Where the history last started anew before `end`, or 0. */
function lastReset(trace: Trace, end: number): number {
  let index = end - 1
  while (index > 0 && !trace.isReset(index)) index--
  return Math.max(0, index)
}

/** The exchanges that began before `end`, up to there. The messages before the first exchange come first, as -1. */
function rangesBefore(trace: Trace, exchanges: readonly Exchange[], end: number): Exchange[] {
  const first = Math.min(end, exchanges[0]?.from ?? trace.length)
  const preface: Exchange[] = first > 0 ? [{ index: -1, from: 0, to: first, state: 'complete' }] : []
  const begun = exchanges.filter(({ from }) => from < end)
  return [...preface, ...begun.map((exchange) => ({ ...exchange, to: Math.min(end, exchange.to) }))]
}

/** For each index the latest recorded time of the messages before it, in milliseconds since the epoch, or NaN. */
function latestTimes(trace: Trace): Float64Array {
  const times = new Float64Array(trace.length + 1).fill(Number.NaN)
  for (let at = 0; at < trace.length; at++) {
    const time = trace.messages?.[at]?.time
    times[at + 1] = time !== undefined && Number.isFinite(time) ? time : (times[at] as number)
  }
  return times
}

function countOf(trace: Trace, plan: Plan): Sizes {
  const [estimator] = plan.estimators
  if (!estimator || !trace.messages) throw new TypeError('needs an estimator, and a trace that keeps its messages')
  return sizesFor(trace, plan, estimator)
}

/** Tokens of the messages as if others came before them, so that they do not depend on the exchange's position. */
function tokensOf(trace: Trace, sizes: Sizes, from: number, to: number): number {
  let units = 0
  for (let index = from; index < to; index++) units += sizes.of(index) + joinBehind(trace, sizes, index)
  return sizes.tokens(units)
}

/** Units that message `index` adds beyond its own if another comes before it. */
function joinBehind(trace: Trace, sizes: Sizes, index: number): number {
  return joinOf(sizes.joins, false, index >= 0 && trace.continues(index))
}

function titleOf(trace: Trace, exchange: number, from: number): string | null {
  const prompt = trace.messages?.[from]
  return exchange < 0 || !prompt ? null : firstWords(textOf(prompt))
}
