/**
 * Looks for usage that no reader takes: of a kind of record that is newer than its reader, or that its reader does not know to carry
 * any. Without it, a bill that lacks calls looks like a whole one.
 *
 * What a reader takes is told by its figures, not by the object: readers join, split and convert. A path counts as read as soon as
 * one of its figures is among those that were taken, or is their sum so far, which many programs repeat.
 */

import type { JsonObject } from '../base/json.ts'
import type { BesideUsage } from '../model/message.ts'

/** What stands at a path, through objects and lists, and was not taken so far. */
export interface UntakenUsage {
  readonly line: number
  count: number
  /** The figures of the first ones. */
  readonly figures: Set<number>
}

/** What a search has found so far, as plain data. */
export interface PlainSearch {
  readonly untaken: Map<string, UntakenUsage>
  readonly read: Set<string>
  readonly recent: number[]
  readonly sums: number[]
}

export class UsageSearch {
  readonly #untaken: Map<string, UntakenUsage>
  readonly #read: Set<string>
  /** The newest figures that were taken: a reader may take usage before its record is through, or long after. */
  readonly #recent: number[]
  readonly #sums: number[]
  /** Where it looks: the line, and the keys that lead there. */
  #line = 0
  readonly #keys: string[] = []

  /** @param plain of a search that was written down, whose data become its own; default: a new one */
  constructor(plain?: PlainSearch) {
    this.#untaken = plain?.untaken ?? new Map()
    this.#read = plain?.read ?? new Set()
    this.#recent = plain?.recent ?? []
    this.#sums = plain?.sums ?? []
  }

  plain(): PlainSearch {
    return { untaken: this.#untaken, read: this.#read, recent: this.#recent, sums: this.#sums }
  }

  /** By path. */
  get untaken(): ReadonlyMap<string, UntakenUsage> {
    return this.#untaken
  }

  taken({ input, cacheRead, cacheWrite, output }: BesideUsage['usage']): void {
    const figures = [input, output, input - cacheRead, input - cacheRead - cacheWrite]
    for (const [kind, figure] of figures.entries()) {
      const sum = (this.#sums[kind] ?? 0) + figure
      this.#sums[kind] = sum
      this.#recent.push(figure, sum)
      for (const [path, { figures }] of this.#untaken) if (figures.has(figure) || figures.has(sum)) this.#reads(path)
    }
    if (this.#recent.length > 2 * mostRecent) this.#recent.splice(0, mostRecent)
  }

  /** To be told of each record when its reader has had it. */
  record(value: unknown, line: number): void {
    this.#line = line
    this.#look(value, deepest)
  }

  #look(value: unknown, depth: number): void {
    if (typeof value !== 'object' || value === null || depth < 0) return
    if (Array.isArray(value)) {
      for (const item of value) this.#look(item, depth - 1)
      return
    }
    for (const key in value) {
      const held = (value as JsonObject)[key]
      if (typeof held !== 'object' || held === null || passed.has(key)) continue
      this.#keys.push(key)
      const figures = Array.isArray(held) ? none : figuresIn(key, held as JsonObject)
      if (figures.length > 0) this.#found(this.#keys.join('.'), figures)
      else this.#look(held, depth - 1)
      this.#keys.pop()
    }
  }

  #found(path: string, figures: readonly number[]): void {
    if (this.#read.has(path)) return
    if (figures.some((figure) => this.#recent.includes(figure))) {
      this.#reads(path)
      return
    }
    const known = this.#untaken.get(path)
    if (known === undefined && this.#untaken.size >= mostPaths) return
    const place = known ?? { line: this.#line, count: 0, figures: new Set() }
    place.count++
    if (place.figures.size < mostFigures) for (const figure of figures) place.figures.add(figure)
    this.#untaken.set(path, place)
  }

  #reads(path: string): void {
    this.#untaken.delete(path)
    this.#read.add(path)
  }
}

const deepest = 8
const mostRecent = 256
const mostFigures = 256
const mostPaths = 50

/** Keys of what a user, a model or a tool has said, which may hold anything, and of sums by model. */
const passed = new Set(
  'arguments args content input output parameters result text tool_input tool_output toolUseResult tools modelMetrics modelUsage model_usage'.split(
    ' ',
  ),
)

const usual = /usage|^tokens?$|^token_?counts?$/i
const asked = /^(?:input|prompt)|tokens_?in$/i
const answered = /^(?:output|completion|candidates)|tokens_?out$/i

const none: readonly number[] = []

/** The counts of an object whose members are named like counts of tokens in and out; none where nothing was answered. */
function figuresIn(key: string, value: JsonObject): readonly number[] {
  const figures: number[] = []
  let [hasInput, hasOutput] = [false, false]
  for (const name in value) {
    const count = value[name]
    if (typeof count !== 'number') continue
    const [isInput, isOutput] = [asked.test(name), answered.test(name)]
    if (!(isInput || isOutput) || !(/token/i.test(name) || usual.test(key))) continue
    hasInput ||= isInput
    hasOutput ||= isOutput && count > 0
    if (count > 0 && Number.isSafeInteger(count)) figures.push(count)
  }
  return hasInput && hasOutput ? figures : none
}
