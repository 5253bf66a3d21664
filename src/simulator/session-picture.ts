/** What the picture of a session is drawn from: what filled the window at each request, and what happened to it. */

import { rounded } from '../measures/cost.ts'
import type { Request } from '../measures/measure.ts'
import { Exchanges } from '../model/exchanges.ts'
import { firstWords } from '../model/first-words.ts'
import { sentAsRecorded } from '../model/recorded.ts'
import type { Redaction } from '../model/redaction.ts'
import type { TraceRun } from '../model/run.ts'
import type {
  Absence,
  ArcExample,
  PictureArc,
  PictureCut,
  PictureExchange,
  PictureRun,
  SessionPicture,
} from '../model/session-picture.ts'
import { historySizes, type Sizes } from '../model/sizes.ts'
import type { RequestBill } from '../model/stored.ts'
import type { Trace } from '../model/trace.ts'
import type { Pricing } from '../models/pricing.ts'
import type { Loss } from '../references/lost.ts'
import { type CacheShares, RequestShares } from './cache-shares.ts'
import type { Case } from './case.ts'
import type { Contents } from './contents.ts'
import type { Observer } from './replay.ts'
import { type Cell, simulateOne } from './simulate.ts'
import { type FullTrace, MessageParts, type Part, WindowParts } from './window-parts.ts'
import { titleOf } from './words.ts'

export interface PictureOptions {
  /** The most columns, of which each stands for one request or for several. */
  readonly columns?: number
  /** Whether it has words of the transcript: first words of exchanges, names of files and of tools. */
  readonly words?: boolean
}

/** More columns than this cannot be told apart in the width of a page. */
const mostColumns = 480
/** Tools with a part of their own, and words of a hover. */
const mostTools = 5
const mostExamples = 3

/**
 * The picture of one transcript, with a run for each cell.
 * @param facts of a trace with its messages
 * @param cells of the same case
 */
export function sessionPicture(
  facts: Case,
  cells: readonly Cell[],
  { columns = mostColumns, words = true }: PictureOptions = {},
): SessionPicture {
  const { trace, sizes, pricing, counted } = facts
  if (!trace.messages) throw new TypeError('needs a trace that keeps its messages')
  const full = trace as FullTrace
  const { unknownHistory } = counted
  const perColumn = Math.max(1, Math.ceil(trace.requests / columns))
  const parts = new MessageParts(full, sizes, words ? mostTools : 0, unknownHistory !== null)
  const places = new Places(trace, unknownHistory !== null, perColumn)
  const runs = cells.map((cell) => {
    const painter = new Painter(full, sizes, pricing, parts, places, words)
    const run = painter.paint(simulateOne(cell, [painter], painter.lose))
    const { plugin, values } = cell.policy
    const params = Object.entries(values).filter(([key, value]) => value !== plugin.params[key]?.default)
    const heedless = plugin.budgetless || plugin.name === 'keep-all'
    return { ...run, params: Object.fromEntries(params), ...(heedless && { budget: 0 }) }
  })
  return {
    transcript: trace.head.file,
    conversation: trace.head.conversation,
    title: words ? trace.title : null,
    model: facts.context.model,
    estimator: counted.label,
    preambleSource: counted.source,
    unit: pricing.unit,
    modelWindow: facts.window,
    requests: trace.requests,
    requestsPerColumn: perColumn,
    columns: places.columns,
    recorded: [...recordedCuts(trace, sizes)],
    exchanges: exchangesFor(full, sizes, places, words),
    runs,
  }
}

export function* recordedCuts(trace: Trace, sizes: Sizes): Generator<SessionPicture['recorded'][number]> {
  for (const { request, cut } of sentAsRecorded(trace, sizes)) if (cut !== null) yield { request, kind: cut }
}

/** Where messages and exchanges stand among the requests. */
class Places {
  readonly exchanges: Exchanges
  readonly columns: number
  /** The messages before the first exchange, half-open. */
  readonly preface: readonly [from: number, to: number]
  readonly requests: number
  readonly #trace: Trace
  readonly #perColumn: number
  /** Of each message, the first request that can have it. */
  readonly #carrier: Int32Array

  constructor(trace: Trace, headless: boolean, perColumn: number) {
    this.exchanges = new Exchanges(trace)
    this.#trace = trace
    this.requests = trace.requests
    this.columns = Math.ceil(trace.requests / perColumn)
    this.preface = [headless ? 1 : 0, this.exchanges.at(0)?.from ?? trace.length]
    this.#perColumn = perColumn
    this.#carrier = new Int32Array(trace.length + 1).fill(trace.requests)
    for (let index = 0, request = 0; index < trace.length; index++) {
      if (trace.isResponse(index)) request++
      this.#carrier[index] = request
    }
  }

  column(request: number): number {
    return Math.floor(request / this.#perColumn)
  }

  carrier(message: number): number {
    return this.#carrier[message] as number
  }

  /** The request that a message answers, or that it is added for. */
  requestAt(message: number): number {
    return this.carrier(message) - Number(message < this.#trace.length && this.#trace.isResponse(message))
  }

  /** The messages of an exchange, of -1 those before the first; null if it has none. */
  rangeOf(exchange: number): readonly [from: number, to: number] | null {
    if (exchange < 0) return this.preface[0] < this.preface[1] ? this.preface : null
    const { from, to } = this.exchanges.at(exchange) ?? { from: 0, to: 0 }
    return from < to ? [from, to] : null
  }
}

function exchangesFor(trace: FullTrace, sizes: Sizes, places: Places, words: boolean): PictureExchange[] {
  const history = historySizes(trace, sizes)
  const all: PictureExchange[] = []
  for (let exchange = -1; exchange < places.exchanges.length; exchange++) {
    const range = places.rangeOf(exchange)
    if (range === null) continue
    const [from, to] = range
    const tools = new Map<string, number>()
    for (let index = from; index < to; index++) {
      for (const block of trace.messages[index]?.blocks ?? []) {
        if (block.type === 'call') tools.set(block.name, (tools.get(block.name) ?? 0) + 1)
      }
    }
    all.push({
      exchange,
      from: places.carrier(from),
      to: places.carrier(to),
      title: words && exchange >= 0 ? titleOf(trace, from) : null,
      firstLine: trace.line(from),
      lastLine: trace.line(to - 1),
      tokens: sizes.tokens(history.between(from, to)),
      tools: words ? mostCalled(tools, trace.redaction) : [],
    })
  }
  return all
}

function mostCalled(tools: ReadonlyMap<string, number>, { tool }: Redaction): PictureExchange['tools'] {
  const most = [...tools].sort(([, one], [, other]) => other - one).slice(0, mostTools)
  return most.map(([name, calls]) => [firstWords(tool(name)), calls] as const)
}

/** Takes down what a picture needs of one run. */
class Painter implements Observer {
  readonly #trace: FullTrace
  readonly #sizes: Sizes
  readonly #parts: MessageParts
  readonly #places: Places
  readonly #words: boolean
  readonly #window: WindowParts
  /** By column: the largest request, its tokens, and the tokens of its parts. */
  readonly #largest: number[] = []
  readonly #sent: number[] = []
  readonly #tokens: number[][]
  /** By part: units that all requests carried. */
  readonly #carried: Float64Array
  readonly #cache: { [key in keyof PictureRun['cache']]: number[] }
  readonly #arcs = new Map<
    string,
    { -readonly [key in keyof PictureArc]: PictureArc[key] } & { examples: ArcExample[] }
  >()
  readonly #absences: { exchange: number; from: number; to: number | null }[] = []
  /** By exchange that is outside: since which request. */
  readonly #outside = new Map<number, { exchange: number; from: number; to: number | null }>()
  /** The exchanges before it have been looked at. */
  /** The newest exchange at the last look. */
  #newest = -1
  #begun = -1
  #edits = 0
  #looked = 0
  #bill: RequestBill | null = null
  readonly #shares: RequestShares

  constructor(trace: FullTrace, sizes: Sizes, pricing: Pricing, parts: MessageParts, places: Places, words: boolean) {
    this.#trace = trace
    this.#sizes = sizes
    this.#shares = new RequestShares(pricing)
    this.#parts = parts
    this.#places = places
    this.#words = words
    this.#window = new WindowParts(trace, sizes, parts)
    const zeros = () => new Array<number>(places.columns).fill(0)
    this.#tokens = parts.parts.map(zeros)
    this.#carried = new Float64Array(parts.parts.length)
    this.#cache = {
      read: zeros(),
      added: zeros(),
      missed: zeros(),
      readCost: zeros(),
      addedCost: zeros(),
      missedCost: zeros(),
    }
  }

  billed(bill: RequestBill): void {
    this.#bill = bill
  }

  request(request: Request, window: Contents): void {
    const { index, message, exchange, sentTokens } = request
    this.#window.request(request)
    const column = this.#places.column(index)
    const { units } = this.#window
    for (const [part, carried] of units.entries()) this.#carried[part] = (this.#carried[part] as number) + carried
    if (sentTokens > (this.#sent[column] ?? -1)) {
      this.#largest[column] = index
      this.#sent[column] = sentTokens
      this.#measure(column, sentTokens)
    }
    this.#charge(column, index, sentTokens)
    this.#look(index, message, exchange, window)
  }

  end(window: Contents): void {
    const { requests, exchanges } = this.#places
    this.#look(requests, this.#trace.length, exchanges.length - 1, window)
  }

  readonly lose = ({ term, termClass, request, message, source }: Loss): void => {
    if (termClass !== 'content') return
    const from = this.#places.carrier(source)
    const key = `${this.#places.column(from)} ${this.#places.column(request)}`
    const arc = this.#arcs.get(key) ?? { from, to: request, uses: 0, examples: [] }
    this.#arcs.set(key, arc)
    arc.uses++
    if (arc.examples.length >= mostExamples) return
    const line = this.#trace.line(message)
    arc.examples.push({
      term: this.#words && term !== null ? firstWords(term) : null,
      line,
      seenLine: this.#trace.line(source),
    })
  }

  paint(run: TraceRun): PictureRun {
    const all = this.#carried.reduce((sum, units) => sum + units, 0)
    return {
      policy: run.policy,
      params: run.params,
      budget: run.budget,
      ...(run.budgetAsked !== undefined && { budgetAsked: run.budgetAsked }),
      largest: this.#largest,
      sent: this.#sent,
      parts: this.#parts.parts.flatMap(({ kind, tool }: Part, part) => {
        const carried = this.#carried[part] as number
        if (carried <= 0) return []
        const name = tool === null ? null : firstWords(this.#trace.redaction.tool(tool))
        return {
          kind,
          tool: name,
          tokens: this.#tokens[part] as number[],
          share: Math.round((1000 * carried) / all) / 10,
        }
      }),
      cuts: this.#cuts(run),
      cache: {
        ...this.#cache,
        readCost: this.#cache.readCost.map(rounded),
        addedCost: this.#cache.addedCost.map(rounded),
        missedCost: this.#cache.missedCost.map(rounded),
      },
      absences: this.#absences.map((absence): Absence => ({ ...absence })),
      arcs: [...this.#arcs.values()],
      costInput: run.cost.input,
      costSummaries: run.cost.summaries,
    }
  }

  /** The tokens of each part: differences of running sums, because what is rounded by itself would not add up. */
  #measure(column: number, sentTokens: number): void {
    const { units } = this.#window
    let [sum, before, largest] = [0, 0, 0]
    for (const [part, size] of units.entries()) {
      sum += size
      const tokens = this.#sizes.tokens(sum)
      const list = this.#tokens[part] as number[]
      list[column] = tokens - before
      before = tokens
      if (size > (units[largest] as number)) largest = part
    }
    // Floating-point sums in another order may round to another token.
    const list = this.#tokens[largest] as number[]
    list[column] = (list[column] as number) + sentTokens - before
  }

  #charge(column: number, index: number, sentTokens: number): void {
    const shares = this.#shares.of(this.#bill as RequestBill, sentTokens, index)
    for (const [key, amount] of Object.entries(shares) as [keyof CacheShares, number][]) {
      const list = this.#cache[key]
      list[column] = (list[column] as number) + amount
    }
  }

  /** Compares the window with what it was at the last request. */
  #look(request: number, next: number, exchange: number, window: Contents): void {
    let isNew = false
    for (; this.#looked < next; this.#looked++) isNew ||= this.#trace.isReset(this.#looked)
    isNew ||= next < this.#trace.length && this.#trace.isReset(next)
    const { edits } = window
    // A message that is added brings back an exchange that had left: the newest one, or that of the response before it.
    const isBack = this.#outside.has(exchange) || this.#outside.has(this.#newest)
    this.#newest = exchange
    if (edits === this.#edits && !isNew && !isBack) return
    this.#edits = edits
    const moved = new Set(window.takeMoved())
    for (; this.#begun <= exchange; this.#begun++) moved.add(this.#begun)
    for (const one of moved) {
      const absence = this.#outside.get(one)
      if (window.holds(one)) {
        if (absence) absence.to = request
        this.#outside.delete(one)
      } else if (!absence && (this.#places.rangeOf(one)?.[0] ?? next) < next) {
        const absence = { exchange: one, from: request, to: null }
        this.#outside.set(one, absence)
        this.#absences.push(absence)
      }
    }
  }

  #cuts({ cuts }: TraceRun): PictureCut[] {
    const merged: PictureCut[] = []
    for (const { request, message, tokensBefore, tokensAfter } of cuts) {
      const last = merged.at(-1)
      const rule = this.#places.requestAt(message)
      if (last && this.#places.column(last.request) === this.#places.column(request)) {
        merged[merged.length - 1] = { ...last, cuts: last.cuts + 1, tokensAfter, rule }
      } else merged.push({ request, cuts: 1, tokensBefore, tokensAfter, rule })
    }
    return merged
  }
}
