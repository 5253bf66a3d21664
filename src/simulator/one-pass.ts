/**
 * Simulates all budgets in one pass, for a policy that keeps the longest suffix that fits. A window is then just the index
 * at which it begins, and its tokens are a difference of prefix sums; the windows of all budgets advance together. A use is
 * lost at every budget whose window begins after the occurrence: at every budget below D, the tokens from the occurrence
 * to the end of the request at the last cut (Denning's working set, not an LRU stack). One binary search in the list of
 * beginnings, which descend as the budgets grow, counts it for all.
 *
 * The result must equal a replay of each budget; a test checks that.
 */

import { CostMeter } from '../measures/cost.ts'
import { SuffixCache } from '../measures/prompt-cache.ts'
import { Tokens } from '../measures/tokens.ts'
import type { CurvePart } from '../model/curve.ts'
import { addLosses, type Losses, namedClasses, type TermClass, termClasses } from '../model/run.ts'
import { type HistorySizes, historySizes, type Sizes } from '../model/sizes.ts'
import type { Trace } from '../model/trace.ts'
import type { Suffix } from '../policies/policy.ts'
import { CopiedTally, type CountedCopies, hasCopies, judgeCopies } from '../references/copied/lost-copies.ts'
import { ReferenceDigest } from '../references/digest.ts'
import { type Counts, none } from '../references/losses.ts'
import { type Resolved, resolveReferences } from '../references/resolve.ts'
import type { Case } from './case.ts'
import { copiedIn, isBound, recordedCopies } from './simulate.ts'
import { Steps } from './step.ts'

/** One budget's window: where it begins, how many exchanges or messages have left, and its counts. */
interface Lane {
  readonly budget: number
  start: number
  left: number
  /** Reasoning before this message is bound to what has left. */
  unboundTo: number
  readonly tokens: Tokens
  readonly cache: SuffixCache
  readonly cost: CostMeter
  overExchanges: number
  lastOver: number
}

/** @param budgets ascending; 0 means none, and comes last */
export function onePass(facts: Case, rule: Suffix, budgets: readonly number[]): CurvePart[] {
  const { trace } = facts
  const windows = new Windows(facts, rule, budgets)
  const losses =
    trace.digest instanceof ReferenceDigest ? new LossesByBudget(facts, trace.digest, budgets.length) : null
  // No policy acts in these steps: the windows of all budgets are cut here, by its rule.
  const steps = new Steps(trace, { policy: {}, kind: 'sticky', budget: 0, sizes: facts.sizes })
  for (const occasion of steps.occasions()) {
    if (occasion.kind === 'message') windows.append(occasion.index, steps.exchange)
    else if (occasion.kind === 'reset') windows.clear(occasion.next)
    else if (occasion.kind === 'exchangeEnd' && rule.on === 'exchangeEnd') windows.cut(occasion.next)
    else if (occasion.kind === 'request') {
      const { index, message, exchange } = occasion.request
      if (rule.on === 'request') windows.cut(message)
      windows.request(index, message, exchange)
      losses?.request(index, message, windows.starts)
    }
  }
  return windows.lanes.map((lane, at) => ({
    ...lane.tokens.result(),
    overBudgetExchanges: lane.overExchanges,
    cost: lane.cost.result(),
    ...(losses ? { references: losses.result(at) } : {}),
  }))
}

class Windows {
  readonly lanes: readonly Lane[]
  /** Where each window begins. */
  readonly starts: Int32Array
  readonly #trace: Trace
  readonly #rule: Suffix
  readonly #sizes: Sizes
  readonly #history: HistorySizes
  /** By message: units of the reasoning before it that a cut takes along; null where it takes none. */
  readonly #thoughts: Float64Array | null
  /** Where the history begins, and the first message of each exchange since. */
  #origin = 0
  #firsts: number[] = []

  constructor(facts: Case, rule: Suffix, budgets: readonly number[]) {
    const { trace, sizes, pricing, cache, wholeBill } = facts
    this.#trace = trace
    this.#thoughts = isBound(facts) ? thoughtsBefore(trace, sizes) : null
    this.#rule = rule
    this.#sizes = sizes
    this.#history = historySizes(trace, sizes)
    this.starts = new Int32Array(budgets.length)
    this.lanes = budgets.map((budget) => ({
      budget: budget || Infinity,
      start: 0,
      left: 0,
      unboundTo: 0,
      tokens: new Tokens(budget, null),
      cache: new SuffixCache(sizes, cache.clock, pricing.rule),
      cost: new CostMeter(wholeBill, false),
      overExchanges: 0,
      lastOver: -1,
    }))
  }

  clear(index: number): void {
    this.#origin = index
    this.#firsts = []
    for (const lane of this.lanes) {
      lane.start = lane.unboundTo = index
      lane.left = 0
    }
  }

  append(index: number, exchange: number): void {
    if (exchange >= 0 && (this.#trace.isPrompt(index) || this.#firsts.length === 0)) this.#firsts.push(index)
  }

  /** Drops from every window what does not fit, before message `end`. */
  cut(end: number): void {
    for (const lane of this.lanes) {
      const before = lane.start
      if (this.#rule.of === 'message') {
        while (end - lane.start > this.#rule.keepLast && this.#tokens(lane, end) > lane.budget) lane.start++
      } else {
        while (this.#firsts.length - lane.left > this.#rule.keepLast && this.#tokens(lane, end) > lane.budget) {
          lane.start = this.#firsts[++lane.left] as number
        }
      }
      if (lane.start !== before) lane.unboundTo = end
    }
  }

  request(index: number, message: number, exchange: number): void {
    const fullTokens = this.#tokens({ start: this.#origin, unboundTo: this.#origin }, message)
    for (const [at, lane] of this.lanes.entries()) {
      const units = this.#units(lane, message)
      const sentTokens = this.#sizes.tokens(units)
      lane.tokens.request({ fullTokens, sentTokens, believedTokens: sentTokens })
      const hit = lane.budget === Infinity ? null : lane.cache.request({ index, message }, lane.start, units)
      lane.cost.bill({ index, message, fullTokens, sentTokens }, hit)
      if (sentTokens > lane.budget && exchange > lane.lastOver) {
        lane.overExchanges++
        lane.lastOver = exchange
      }
      this.starts[at] = lane.start
    }
  }

  #tokens(lane: Pick<Lane, 'start' | 'unboundTo'>, end: number): number {
    return this.#sizes.tokens(this.#units(lane, end))
  }

  #units({ start, unboundTo }: Pick<Lane, 'start' | 'unboundTo'>, end: number): number {
    const { preamble } = this.#sizes
    if (start >= end) return preamble
    const thoughts = this.#thoughts
    const lost = thoughts && start < unboundTo ? thoughts[unboundTo]! - thoughts[start]! : 0
    return preamble + this.#history.request(start, end) - lost
  }
}

function thoughtsBefore(trace: Trace, { thoughts }: Sizes): Float64Array {
  const before = new Float64Array(trace.length + 1)
  for (let index = 0; index < trace.length; index++) before[index + 1] = before[index]! + (thoughts?.(index) ?? 0)
  return before
}

/** Losses as histograms: entry n counts what is lost at the first n budgets and inside at the others. */
class LossesByBudget {
  readonly #facts: Case
  readonly #resolved: Resolved
  /** What was copied, and by budget what of it is gone. */
  readonly #recorded: CountedCopies | null
  readonly #copied: readonly CopiedTally[]
  readonly #all: Histograms
  readonly #headline: Histograms
  readonly #named: Histograms
  /** Content of which something is gone: lost or partly lost. */
  readonly #touched: Uint32Array
  readonly #faults: Uint32Array
  readonly #foretold: Uint32Array
  #known = 0
  /** For each exchange, at how many budgets something in it is lost. */
  readonly #hit: Uint32Array
  #read = 0

  constructor(facts: Case, digest: ReferenceDigest, budgets: number) {
    const { trace } = facts
    this.#facts = facts
    this.#recorded = recordedCopies(facts)
    this.#copied = Array.from({ length: budgets }, () => new CopiedTally())
    this.#resolved = resolveReferences(trace, digest)
    this.#all = new Histograms(budgets)
    this.#headline = new Histograms(budgets)
    this.#named = new Histograms(budgets)
    this.#touched = new Uint32Array(budgets + 1)
    this.#faults = new Uint32Array(budgets + 1)
    this.#foretold = new Uint32Array(budgets + 1)
    this.#hit = new Uint32Array(this.#resolved.exchanges.length)
  }

  request(request: number, answer: number, starts: Int32Array): void {
    const { uses, occurrences, digest, content, reads } = this.#resolved
    const to = uses.starts[request + 1] as number
    for (let use = uses.starts[request] as number; use < to; use++) {
      const source = uses.source[use] as number
      const mentionLost = lostAt(starts, occurrences.message[uses.mention[use] as number] as number)
      const sourceLost = source < 0 ? -1 : lostAt(starts, occurrences.message[source] as number)
      const isNamed = namedClasses.has(classOf(digest, uses.term[use] as number))
      this.#use(isNamed ? [this.#all, this.#named] : [this.#all], uses.message[use] as number, mentionLost, sourceLost)
    }
    const end = content.uses.starts[request + 1] as number
    for (let use = content.uses.starts[request] as number; use < end; use++) {
      const lost = lostAt(starts, content.uses.newest[use] as number)
      this.#use([this.#all, this.#headline], content.uses.message[use] as number, lost, lost)
      bump(this.#touched, lostAt(starts, content.uses.oldest[use] as number))
    }
    for (; reads[this.#read]?.request === request; this.#read++) {
      const { again, known } = reads[this.#read] as (typeof reads)[number]
      const copy = again?.copy
      if (copy && copy.message <= answer) bump(this.#faults, lostAt(starts, copy.message))
      this.#known += known.length
      for (const { message } of known) if (message <= answer) bump(this.#foretold, lostAt(starts, message))
    }
    if (this.#recorded) this.#judgeCopies(this.#recorded, request, starts)
  }

  #judgeCopies(recorded: CountedCopies, request: number, starts: Int32Array): void {
    if (!hasCopies(recorded, request)) return
    const { place, occurrences } = recorded.copies
    for (const [at, tally] of this.#copied.entries()) {
      const start = starts[at] as number
      const isHeld = (nth: number) => (occurrences.message[place[nth] as number] as number) >= start
      tally.add(judgeCopies(recorded, request, isHeld))
    }
  }

  /** @param sourceLost -1 if there is no source */
  #use(histograms: readonly Histograms[], message: number, mentionLost: number, sourceLost: number): void {
    for (const histogram of histograms) histogram.add(mentionLost, sourceLost)
    const most = Math.max(mentionLost, sourceLost)
    const exchange = most === 0 ? -1 : this.#resolved.exchanges.holding(message)
    if (exchange >= 0) this.#hit[exchange] = Math.max(most, this.#hit[exchange] as number)
  }

  /** The figures of budget number `at`. */
  result(at: number): NonNullable<CurvePart['references']> {
    const headline = this.#headline.result(at)
    return {
      ...this.#all.result(at),
      exchangesHit: this.#hit.reduce((sum, budgets) => sum + Number(budgets > at), 0),
      partlyLost: above(this.#touched, at) - headline.sourceLost,
      faults: above(this.#faults, at),
      known: this.#known,
      foretold: above(this.#foretold, at),
      headline,
      named: this.#named.result(at),
      copied: copiedIn(this.#facts, this.#recorded && (this.#copied[at] as CopiedTally).counts),
    }
  }
}

class Histograms {
  readonly #counts: Counts = none()
  readonly #mention: Uint32Array
  readonly #source: Uint32Array

  constructor(budgets: number) {
    this.#mention = new Uint32Array(budgets + 1)
    this.#source = new Uint32Array(budgets + 1)
  }

  add(mentionLost: number, sourceLost: number): void {
    this.#counts.total++
    if (sourceLost < 0) this.#counts.selfSourced++
    bump(this.#mention, mentionLost)
    bump(this.#source, Math.max(0, sourceLost))
  }

  result(at: number): Losses {
    return addLosses([{ ...this.#counts, mentionLost: above(this.#mention, at), sourceLost: above(this.#source, at) }])
  }
}

/** At how many of the budgets, the smallest first, the window begins after the message. */
function lostAt(starts: Int32Array, message: number): number {
  let low = 0
  let high = starts.length
  while (low < high) {
    const middle = (low + high) >> 1
    if ((starts[middle] as number) > message) low = middle + 1
    else high = middle
  }
  return low
}

function bump(histogram: Uint32Array, at: number): void {
  histogram[at] = (histogram[at] as number) + 1
}

function above(histogram: Uint32Array, at: number): number {
  let sum = 0
  for (let next = at + 1; next < histogram.length; next++) sum += histogram[next] as number
  return sum
}

function classOf(digest: ReferenceDigest, term: number): TermClass {
  return termClasses[digest.classes[term] as number] as TermClass
}
