/** What is inside the window at one moment and what has left it: replays and records the window at that moment. */

import type { Request } from '../measures/measure.ts'
import { type Exchange, findExchanges } from '../model/exchanges.ts'
import { firstWords } from '../model/first-words.ts'
import type { ExchangeSummary, HistoryView, InsideExchange, LostUse, OutsideExchange } from '../model/history.ts'
import { textOf } from '../model/message.ts'
import type { Cut } from '../model/run.ts'
import { joinOf, type Sizes, tokensBetween } from '../model/sizes.ts'
import type { Trace } from '../model/trace.ts'
import type { Case } from './case.ts'
import type { Contents, InsideMessage } from './contents.ts'
import { watchLostUses } from './lost-uses.ts'
import type { Observer } from './replay.ts'
import { type Cell, simulateOne } from './simulate.ts'
import { latestTimes } from './times.ts'
import { linesOf } from './words.ts'

/**
 * The window of one transcript.
 * @param cell of a trace with its messages
 * @param request the moment before this request goes out; null for the end
 */
export function historyOf(cell: Cell, request: number | null): HistoryView {
  const { trace, sizes } = withMessages(cell.facts)
  const exchanges = findExchanges(trace)
  const watcher = new Watcher(trace, exchanges, request)
  const lost: LostUse[] = []
  const run = simulateOne(cell, [watcher, ...watchLostUses(trace, sizes, lost)])
  const { entries, until: end, tokens } = watcher
  const times = latestTimes(trace)
  const now = times[end] as number
  // Null if no time is recorded.
  const age = (index: number): number | null => {
    const past = now - (times[index] as number)
    return Number.isNaN(past) ? null : Math.max(0, past)
  }
  const parts = partsOf(sizes, entries, run.unknownHistoryTokens !== undefined)
  const unknown = parts.find(({ kind }) => kind === 'unknown')
  const ranges = rangesBefore(trace, exchanges, unknown ? 1 : 0, end)
  const groups = new Map<number, Part>()
  for (const part of parts) if (part.kind === 'exchange') groups.set(part.exchange, part)

  const outside = ranges
    .filter(({ index }) => !groups.has(index))
    .map(({ index, from, to }): OutsideExchange => {
      const leftAt = watcher.leftAt.get(index)
      return {
        exchange: index,
        title: titleOf(trace, index, from),
        left: leftAt?.cleared ? 'cleared' : 'evicted',
        age: leftAt === undefined ? null : age(leftAt.next),
        tokens: tokensBetween(trace, sizes, from, to),
      }
    })
  const inside = ranges
    .filter(({ index }) => groups.has(index))
    .map(({ index, from, to, state }): InsideExchange => {
      const { tokens, entries } = groups.get(index) as Part
      return {
        exchange: index,
        title: titleOf(trace, index, from),
        current: to === end && (state === 'open' || watcher.at !== null),
        age: age(from + 1),
        tokens,
        missing: to - from - entries.filter((entry) => entry.index >= 0).length,
        lines: linesOf(entries, trace),
      }
    })
  const inserted = parts
    .filter(({ kind }) => kind === 'inserted')
    .map(({ exchange, tokens, entries }) => ({ before: exchange, tokens, lines: linesOf(entries, trace) }))
  return {
    transcript: run.transcript,
    conversation: run.conversation,
    policy: run.policy,
    params: turnedParams(cell.policy),
    budget: run.budget,
    ...(run.budgetAsked !== undefined && { budgetAsked: run.budgetAsked }),
    estimator: run.estimator,
    request: watcher.at,
    time: Number.isNaN(now) ? null : now,
    tokens,
    preambleTokens: run.preambleTokens,
    preambleSource: run.preambleSource,
    unknownHistoryTokens: unknown?.tokens ?? 0,
    outside,
    inserted,
    inside,
    lost: lost.filter(
      ({ exchange }) => request === null || exchange < 0 || (exchanges[exchange] as Exchange).from < end,
    ),
  }
}

function turnedParams({ plugin, values }: Cell['policy']): HistoryView['params'] {
  return Object.fromEntries(Object.entries(values).filter(([key, value]) => value !== plugin.params[key]?.default))
}

/** Messages of the window that are shown together, and what they add to the request. */
interface Part {
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
function partsOf(sizes: Sizes, entries: readonly InsideMessage[], headless: boolean): Part[] {
  const parts = new Map<string, Part & { units: number }>()
  for (const [at, entry] of entries.entries()) {
    const { index, exchange, joined, size } = entry
    const own = `exchange ${exchange}`
    const kind = headless && index === 0 ? 'unknown' : index < 0 && !parts.has(own) ? 'inserted' : 'exchange'
    const key = kind === 'exchange' ? own : `${kind} ${exchange}`
    const part = parts.get(key) ?? { kind, exchange, entries: [], units: 0, tokens: 0 }
    part.units += size + joinOf(sizes.joins, at === 0, joined)
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
      tokens: tokensBetween(trace, sizes, from, to),
      title: titleOf(trace, index, from) ?? '',
    }
  })
}

/** The last request of an exchange; if it has none, the last one before it. Null if there is no such exchange or request. */
export function requestOfExchange(trace: Trace, exchange: number): number | null {
  const to = findExchanges(trace)[exchange]?.to
  if (to === undefined) return null
  const behind = trace.requestFrom(to)
  return behind === 0 ? null : behind - 1
}

/** Records when exchanges leave, and the window at the given moment. */
class Watcher implements Observer {
  /** The request that was about to go out; null for the end. */
  at: number | null = null
  /** Of each exchange that is outside: the index of the message that came next, and whether the user cleared the history. */
  readonly leftAt = new Map<number, { readonly next: number; readonly cleared: boolean }>()
  entries: InsideMessage[] = []
  /** Index of the next message at that moment. */
  until = 0
  tokens = 0
  readonly #trace: Trace
  readonly #wanted: number | null
  /** Index behind the last message of each exchange, from -1 on. */
  readonly #ends: readonly number[]
  /** The exchanges before it have been looked at. */
  #begun = -1
  #edits = 0
  #looked = 0
  /** By exchange, the message before which the policy dropped it, since then; and the last of them. */
  readonly #cut = new Map<number, number>()
  #lastCut = -1

  constructor(trace: Trace, exchanges: readonly Exchange[], wanted: number | null) {
    this.#trace = trace
    this.#wanted = wanted
    this.#ends = [exchanges[0]?.from ?? trace.length, ...exchanges.map(({ to }) => to)]
  }

  cut({ evictedExchanges }: Cut, next: number): void {
    for (const exchange of evictedExchanges) this.#cut.set(exchange, next)
    this.#lastCut = next
  }

  request({ index, message, exchange }: Request, window: Contents): void {
    if (this.at !== null) return
    this.#look(message, exchange, window)
    if (index === this.#wanted) {
      this.#takeDown(message, window)
      this.at = index
    }
  }

  end(window: Contents): void {
    if (this.at !== null) return
    this.#look(this.#trace.length, this.#ends.length - 2, window)
    this.#takeDown(this.#trace.length, window)
  }

  /**
   * Compares the window with what it was at the last request. A policy that renders its view anew drops the same exchanges
   * before each request: they have been outside since the first of these.
   */
  #look(next: number, exchange: number, window: Contents): void {
    let reset = -1
    for (let index = next - 1; index >= this.#looked && reset < 0; index--)
      if (this.#trace.isReset(index)) reset = index
    this.#looked = next
    if (window.edits === this.#edits && reset < 0) return
    const moved = new Set(window.takeMoved())
    for (; this.#begun <= exchange; this.#begun++) moved.add(this.#begun)
    for (const one of moved) {
      if (window.holds(one)) {
        this.leftAt.delete(one)
        continue
      }
      if (this.leftAt.has(one)) continue
      const cut = this.#cut.get(one)
      const cleared = cut === undefined && reset >= 0 && (this.#ends[one + 1] as number) <= reset
      // The messages before the first exchange leave with a cut, too, which does not name them.
      this.leftAt.set(one, { next: cut ?? (cleared ? reset : this.#lastCut < 0 ? next : this.#lastCut), cleared })
    }
    this.#edits = window.edits
    this.#cut.clear()
    this.#lastCut = -1
  }

  #takeDown(until: number, window: Contents): void {
    this.until = until
    this.entries = window.messages()
    this.tokens = window.sentTokens
  }
}

/** The exchanges that began before `end`, up to there. The messages from `start` to the first exchange come first, as -1. */
function rangesBefore(trace: Trace, exchanges: readonly Exchange[], start: number, end: number): Exchange[] {
  const first = Math.min(end, exchanges[0]?.from ?? trace.length)
  const preface: Exchange[] = first > start ? [{ index: -1, from: start, to: first, state: 'complete' }] : []
  const begun = exchanges.filter(({ from }) => from < end)
  return [...preface, ...begun.map((exchange) => ({ ...exchange, to: Math.min(end, exchange.to) }))]
}

function withMessages(facts: Case): Case {
  if (!facts.trace.messages) throw new TypeError('needs a trace that keeps its messages')
  return facts
}

function titleOf(trace: Trace, exchange: number, from: number): string | null {
  const prompt = trace.messages?.[from]
  return exchange < 0 || !prompt ? null : trace.redaction.text(firstWords(textOf(prompt)))
}
