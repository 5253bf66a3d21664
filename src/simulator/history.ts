/** What is inside the window at one moment and what has left it: replays and records the window at that moment. */

import type { Request, Sent } from '../measures/measure.ts'
import { type Exchange, findExchanges } from '../model/exchanges.ts'
import type { ExchangeSummary, HistoryView, InsideExchange, LostUse, OutsideExchange } from '../model/history.ts'
import type { Cut } from '../model/run.ts'
import { historySizes, type Sizes } from '../model/sizes.ts'
import type { Trace } from '../model/trace.ts'
import { WithoutUsageSum } from '../model/without-usage.ts'
import type { Case } from './case.ts'
import type { Contents, InsideMessage } from './contents.ts'
import { known, Leavings } from './leavings.ts'
import { watchLostUses } from './lost-uses.ts'
import type { Observer } from './replay.ts'
import { type Cell, simulateOne } from './simulate.ts'
import { factsOf, linesOf, titleOf } from './words.ts'

/**
 * The window of one transcript.
 * @param cell of a trace with its messages
 * @param request the moment before this request goes out; null for the end
 */
export function historyOf(cell: Cell, request: number | null): HistoryView {
  const { trace, sizes } = withMessages(cell.facts)
  const exchanges = findExchanges(trace)
  const watcher = new Watcher(trace, cell.policy.plugin.name, request)
  const lost: LostUse[] = []
  const run = simulateOne(cell, [watcher, ...watchLostUses(trace, sizes, lost)])
  const { entries, until: end, tokens, leavings, cutBefore } = watcher
  const now = known(leavings.times[end])
  const ageOf = (time: number | null) => (now === null || time === null ? null : Math.max(0, now - time))
  const parts = groupsIn(sizes, entries, run.unknownHistoryTokens !== undefined)
  const unknown = parts.find(({ kind }) => kind === 'unknown')
  const ranges = rangesBefore(trace, exchanges, unknown ? 1 : 0, end)
  const groups = new Map<number, Group>()
  for (const part of parts) if (part.kind === 'exchange') groups.set(part.exchange, part)

  const outside = ranges
    .filter(({ index }) => !groups.has(index))
    .map((range): OutsideExchange => {
      const { from, to } = range
      const { by, time } = leavings.ofRange(from, to)
      return {
        ...namesOf(trace, range),
        left: by === 'reset' ? 'cleared' : 'evicted',
        age: ageOf(time),
        tokens: tokensOf(trace, sizes, from, to),
      }
    })
  const inside = ranges
    .filter(({ index }) => groups.has(index))
    .map((range): InsideExchange => {
      const { index, from, to, state } = range
      const { tokens, entries } = groups.get(index) as Group
      return {
        ...namesOf(trace, range),
        current: state === 'open',
        age: ageOf(known(leavings.times[from + 1])),
        tokens,
        missing: to - from - entries.filter((entry) => entry.index >= 0).length,
        lines: linesOf(entries, trace),
      }
    })
  const inserted = parts
    .filter(({ kind }) => kind === 'inserted')
    .map(({ exchange, tokens, entries }) => ({ before: exchange, tokens, lines: linesOf(entries, trace) }))
  const withoutUsage = new WithoutUsageSum()
  withoutUsage.add({ ...run, sentTokens: tokens, predictionInterval: cell.facts.intervalOf(tokens, 1) })
  return {
    transcript: run.transcript,
    conversation: run.conversation,
    policy: run.policy,
    params: turnedParams(cell.policy),
    budget: run.budget,
    ...(run.budgetAsked !== undefined && { budgetAsked: run.budgetAsked }),
    estimator: run.estimator,
    request: watcher.at,
    time: now,
    tokens,
    preambleTokens: run.preambleTokens,
    preambleSource: run.preambleSource,
    withoutUsage: withoutUsage.total,
    unknownHistoryTokens: unknown?.tokens ?? 0,
    outside,
    inserted,
    inside,
    cutAfter: cutBefore === null ? null : exchanges.findLastIndex(({ from }) => from < cutBefore),
    lost: lost.filter(
      ({ exchange }) => request === null || exchange < 0 || (exchanges[exchange] as Exchange).from < end,
    ),
  }
}

const namesOf = (trace: Trace, { index, from, state }: Exchange) => ({
  exchange: index,
  title: index < 0 ? null : titleOf(trace, from),
  interrupted: state === 'interrupted',
})

const turnedParams = ({ plugin, values }: Cell['policy']): HistoryView['params'] =>
  Object.fromEntries(Object.entries(values).filter(([key, value]) => value !== plugin.params[key]?.default))

/** Messages of the window that are shown together, and what they add to the request. */
interface Group {
  readonly kind: 'exchange' | 'inserted' | 'unknown'
  readonly exchange: number
  readonly entries: InsideMessage[]
  tokens: number
}

/**
 * The contents of the window in parts whose tokens add up, with the preamble, to those of the request: each is the
 * difference of two sums, because what is rounded by itself would not add up.
 * @param headless the first message of the transcript stands for what is not known of its beginning
 */
function groupsIn(sizes: Sizes, entries: readonly InsideMessage[], headless: boolean): Group[] {
  const parts = new Map<string, Group & { units: number }>()
  for (const entry of entries) {
    const { index, exchange } = entry
    const own = `exchange ${exchange}`
    const kind = headless && index === 0 ? 'unknown' : index < 0 && !parts.has(own) ? 'inserted' : 'exchange'
    const key = kind === 'exchange' ? own : `${kind} ${exchange}`
    const part = parts.get(key) ?? { kind, exchange, entries: [], units: 0, tokens: 0 }
    part.units += entry.units
    part.entries.push(entry)
    parts.set(key, part)
  }
  let units = sizes.preamble
  for (const part of parts.values()) {
    const before = sizes.tokens(units)
    units += part.units
    part.tokens = sizes.tokens(units) - before
  }
  return [...parts.values()]
}

/** The exchanges of a transcript with its messages. */
export function exchangesOf(facts: Case): ExchangeSummary[] {
  const { trace, sizes } = withMessages(facts)
  return findExchanges(trace).map((exchange) => ({
    transcript: trace.head.file,
    conversation: trace.head.conversation,
    exchange: exchange.index,
    firstLine: trace.line(exchange.from),
    lastLine: trace.line(exchange.to - 1),
    messages: exchange.to - exchange.from,
    tokens: tokensOf(trace, sizes, exchange.from, exchange.to),
    ...factsOf(trace, exchange),
  }))
}

/** Records when messages leave, where the last cut was made, and the window at the given moment. */
class Watcher implements Observer {
  /** The request that was about to go out; null for the end. */
  at: number | null = null
  readonly leavings: Leavings
  /** The message before which the policy moved the cutoff last; null where it has not since the history began. */
  cutBefore: number | null = null
  entries: InsideMessage[] = []
  /** Index of the next message at that moment. */
  until = 0
  tokens = 0
  readonly #trace: Trace
  readonly #wanted: number | null

  constructor(trace: Trace, policy: string, wanted: number | null) {
    this.#trace = trace
    this.#wanted = wanted
    this.leavings = new Leavings(trace, policy)
  }

  cut(_: Cut, next: number): void {
    if (this.at === null) this.cutBefore = next
  }

  request({ index, message, sent }: Request, window: Contents): void {
    if (this.at !== null) return
    this.leavings.look(index, message, sent)
    if (index !== this.#wanted) return
    this.#takeDown(message, window)
    this.at = index
  }

  end(window: Sent & Contents): void {
    if (this.at !== null) return
    this.leavings.look(this.#trace.requests, this.#trace.length, window)
    this.#takeDown(this.#trace.length, window)
  }

  #takeDown(until: number, window: Contents): void {
    this.until = until
    this.entries = window.messages()
    this.tokens = window.sentTokens
    // What was cut before the history began anew is no part of it.
    for (let index = this.cutBefore ?? until; index <= until && index < this.#trace.length; index++) {
      if (this.#trace.isReset(index)) this.cutBefore = null
    }
  }
}

/**
 * The exchanges that began before `end`, as they stand there. The messages from `start` to the first exchange come
 * first, as -1.
 */
function rangesBefore(trace: Trace, exchanges: readonly Exchange[], start: number, end: number): Exchange[] {
  const first = Math.min(end, exchanges[0]?.from ?? trace.length)
  const preface: Exchange[] = first > start ? [{ index: -1, from: start, to: first, state: 'complete' }] : []
  const begun = exchanges.filter(({ from }) => from < end)
  return [...preface, ...begun.map((one) => (one.to > end ? { ...one, to: end, state: 'open' as const } : one))]
}

function withMessages(facts: Case): Case {
  if (!facts.trace.messages) throw new TypeError('needs a trace that keeps its messages')
  return facts
}

/** Tokens of the messages in the course of the history, so that they do not depend on what is left of it. */
const tokensOf = (trace: Trace, sizes: Sizes, from: number, to: number): number =>
  sizes.tokens(historySizes(trace, sizes).between(from, to))
