/**
 * The window that a policy edits: a linked list of the messages inside, with its totals kept up to date, so that an
 * edit costs only what it touches and a request costs nothing.
 *
 * It keeps two sums: what the run's estimator counts (`sent`), and what the policy believes (`believed`). They differ
 * only if the policy counts the way its program does (`--measure native`).
 */
import { Column } from '../base/column.ts'
import type { SummaryCall } from '../measures/cost.ts'
import type { Sent, SentSequence } from '../measures/measure.ts'
import { type Block, isEmpty, type Message, type Role, shapeOf, shapes } from '../model/message.ts'
import { answered, endBehind, Growing, joinOf, type Sizes } from '../model/sizes.ts'
import { withoutThoughts } from '../model/thoughts.ts'
import type { Trace } from '../model/trace.ts'
import type { Inserted, Window, WindowExchange } from '../policies/policy.ts'
import { BoundThoughts } from './bound-thoughts.ts'
import type { Contents, InsideMessage } from './contents.ts'
import { InsideExchanges } from './inside-exchanges.ts'
import { Item, isJoined } from './item.ts'
import { Pairs } from './pairs.ts'
import { Places } from './presence.ts'
import { Rewritten } from './rewritten.ts'

export interface WindowOptions {
  /** Tokens; 0 = none. */
  readonly budget: number
  readonly sent: Sizes
  /** How the policy counts, if that differs from `sent`: as programs do, who add no joins. */
  readonly believed: Sizes | null
  /** Keep dropped messages, so that a `view` policy can restore them. */
  readonly keepsDropped: boolean
  /** A result whose call has left is not taken in (`keepsPairs`). */
  readonly keepsPairs?: boolean
  /** The provider takes reasoning back only behind what has not changed. */
  readonly bindsThoughts?: boolean
  /** What runs over the same transcript share; without it, the window has its own. */
  readonly rewritten?: Rewritten
}

/** A call of a model to write a summary: the tokens it reads and writes, by the run's estimator. */
export interface WindowSummary extends SummaryCall {
  /** The messages of the transcript that a summary stands for whose text is not known; none if its text is known. */
  readonly unread: readonly number[]
}

export class EditableWindow implements Window, Sent, SentSequence, Contents {
  /** A policy has asked for the budget: without that it does the same at every budget. */
  heedsBudget = false
  pairs: Pairs
  readonly presence: Places
  count = 0
  users = 0
  omitted = 0
  first: Item | null = null
  last: Item | null = null
  /** Messages inside that have no content any more, or came without any from the policy. */
  addedEmpty = 0
  stripped = 0
  /** Units of all reasoning that was bound to what a policy has changed, and was inside at that time. */
  lostThoughts = 0
  /** Drops, replacements, insertions and restorations so far, and reasoning that was taken along. */
  edits = 0
  /** The newest user message that started an exchange, even if it has left the window. */
  latestPrompt: Item | null = null
  changedFrom = 0
  changedTo = -1
  readonly sequence = this
  readonly unwritten = new Map<Message, readonly Message[] | null>()
  readonly #trace: Trace
  #budget: number
  readonly #sent: Sizes
  readonly #believed: Sizes | null
  readonly #history: Item[] | null
  readonly #keepsPairs: boolean
  /** Results that came after their call had left. They were inside at no request, so they move no cutoff. */
  readonly #refused = new Set<number>()
  /** By call, the exchange that it was made in. */
  readonly #calledIn = Column.int32()
  #units: number
  passing = 0
  /** The first message whose reasoning has not passed. */
  #passed = 0
  #believedUnits: number
  readonly #exchanges = new InsideExchanges()
  #exchange = -1
  /** Messages of the transcript inside that are from before its first user message. */
  #preface = 0
  #group = -1
  #newestDropped = -1
  /** The summary that stands for the newest user message. */
  #promptSummary: Item | null = null
  #summaries: WindowSummary[] = []
  readonly #rewritten: Rewritten
  /** Null where reasoning is taken back whatever stands before it. */
  readonly #bound: BoundThoughts | null
  /** Messages whose reasoning was unbound before and has come back. */
  #restored: Item[] = []
  #historyUnits: number
  /** The whole history, as it grows. */
  #growing: Growing

  constructor(trace: Trace, options: WindowOptions) {
    this.#trace = trace
    this.#budget = options.budget || Infinity
    this.#sent = options.sent
    this.#believed = options.believed
    this.#history = options.keepsDropped ? [] : null
    this.#keepsPairs = options.keepsPairs === true
    this.#rewritten = options.rewritten ?? new Rewritten()
    const original = (index: number) => trace.messages?.[index] ?? null
    this.#bound = options.bindsThoughts ? new BoundThoughts(options.keepsDropped, original) : null
    this.pairs = new Pairs(trace)
    this.presence = new Places(trace, () => this.first)
    this.#units = options.sent.preamble
    this.#believedUnits = options.believed?.preamble ?? 0
    this.#historyUnits = (options.believed ?? options.sent).preamble
    this.#growing = new Growing(this.#counting.joins)
  }

  /** How the policy counts. */
  get #counting(): Sizes {
    return this.#believed ?? this.#sent
  }

  get tokens(): number {
    return this.#believed ? this.#believed.tokens(this.#believedUnits) : this.sentTokens
  }

  get preambleTokens(): number {
    const sizes = this.#counting
    return sizes.tokens(sizes.preamble)
  }

  get messageTokens(): number {
    return this.first ? this.tokensFrom(this.first) : 0
  }

  get historyTokens(): number {
    if (!this.#history) throw new TypeError('only a `view` policy can see the whole history')
    return this.#counting.tokens(this.#historyUnits)
  }

  /** Tokens of the request by the run's estimator. */
  get sentTokens(): number {
    return this.#sent.tokens(this.sentUnits)
  }

  /** Index of the first message after the newest dropped one; null if nothing was dropped. */
  get cutoff(): number | null {
    if (this.#newestDropped < 0) return null
    let cutoff = this.#newestDropped + 1
    while (this.#refused.has(cutoff)) cutoff++
    return cutoff
  }

  get budget(): number {
    this.heedsBudget = true
    return this.#budget
  }

  /** For advice: as if the budget were another from now on. */
  set budget(tokens: number) {
    this.#budget = tokens
  }

  /** Units of the request that would be sent now. */
  get sentUnits(): number {
    return this.#units + this.passing
  }

  /**
   * For an agent, which learns from its usage what stands in front of its messages.
   * @param units more than it was taken for
   */
  addToPreamble(units: number): void {
    this.#units += units
    this.#historyUnits += units
  }

  get firstRole(): Role | null {
    let item = this.first
    while (item?.role === 'system') item = item.next
    return item?.role ?? null
  }

  get hasLatestPrompt(): boolean {
    return this.latestPrompt === null || this.latestPrompt.inside || this.#promptSummary?.inside === true
  }

  get exchangeCount(): number {
    return this.#exchanges.count
  }

  get oldestExchange(): WindowExchange | null {
    return this.#exchanges.oldest
  }

  get newestExchange(): WindowExchange | null {
    return this.#exchanges.newest
  }

  nextExchange(exchange: WindowExchange): WindowExchange | null {
    return this.#exchanges.after(exchange.index)
  }

  tokensOf(from: Item, to: Item): number {
    return sumOf(this.#counting, this.#believed !== null, from, to)
  }

  tokensFrom(entry: Item): number {
    const sizes = this.#counting
    const isBelieved = this.#believed !== null
    let units = (isBelieved ? this.#believedUnits : this.sentUnits) - sizes.preamble
    for (let item = entry.previous; item; item = item.previous) units -= unitsIn(isBelieved, item)
    return sizes.tokens(units)
  }

  unitsOf(item: Item): number {
    return unitsIn(false, item)
  }

  drop(from: Item, to: Item): void {
    for (let item: Item | null = from; item; ) {
      const next: Item | null = item === to ? null : item.next
      this.#leave(item)
      this.#newestDropped = Math.max(this.#newestDropped, item.index)
      item = next
    }
  }

  replace(entry: Item, content: string | readonly Block[]): void {
    const before: Message = entry.message ?? this.#trace.withContent(entry.index, [])
    const { wire: _, ...message } = before
    if (typeof content !== 'string') {
      this.#rewrite(entry, { ...message, blocks: content })
      this.#keepCalls(entry)
    } else {
      if (!entry.message) throw new TypeError('a policy that replaces text must declare `text`')
      const calls = message.blocks.filter((block) => block.type === 'call')
      const write = (): Message => ({ ...message, blocks: [{ type: 'text', text: content }, ...calls] })
      const isShared = entry.index >= 0 && calls.length === 0
      this.#rewrite(entry, isShared ? this.#rewritten.message(entry.index, content, write) : write())
    }
    if (entry.stripped) {
      // What the policy leaves of it has none.
      entry.stripped = false
      if (entry.inside) this.stripped--
    }
    this.#bound?.rewrite(entry, before)
    this.presence.replace(entry, before)
    entry.replaced = true
  }

  insert(before: Item | null, content: Inserted, tokens?: number): Item {
    const { role, blocks } = content
    const item = this.#insert(before, { role, blocks, line: 0 }, tokens)
    if (tokens !== undefined) this.unwritten.set(item.message as Message, null)
    this.presence.insert(item)
    return item
  }

  summarise(from: Item, to: Item, summary: Inserted, tokens?: number, keeps?: (entry: Item) => boolean): Item {
    const readTokens = sumOf(this.#sent, false, from, to)
    const before = to.next
    const hadPrompt = this.hasLatestPrompt
    const unread: number[] = []
    const read: Message[] = []
    for (let item: Item | null = from; item && item !== before; ) {
      const next: Item | null = item.next
      if (tokens !== undefined && item.message) read.push(item.message)
      if (!keeps?.(item)) {
        if (tokens !== undefined && item.index >= 0) unread.push(item.index)
        this.drop(item, item)
      }
      item = next
    }
    // A model would write each summary anew, so two summaries with the same placeholder must not count as equal.
    const message: Message = { ...summary, line: 0, responseId: `summary ${this.edits}` }
    const item = this.#insert(before, message, tokens)
    if (tokens !== undefined) this.unwritten.set(message, read)
    // The terms of a recorded summary are in the window from here on; a placeholder has none.
    if (tokens === undefined) this.presence.insert(item)
    this.#summaries.push({ readTokens, writtenTokens: tokens ?? this.#sent.tokens(item.size), unread })
    if (hadPrompt && !this.hasLatestPrompt) this.#promptSummary = item
    return item
  }

  restore(index = 0): void {
    const history = this.#history
    if (!history) throw new TypeError('only a `view` policy can restore')
    for (let item = this.first; item; item = item.next) if (item.index < 0) this.drop(item, item)
    let next: Item | null = null
    let at = history.length - 1
    for (; at >= 0; at--) {
      const item = history[at] as Item
      if (item.index < index) break
      if (item.replaced) {
        this.#rewrite(item, this.#trace.messages?.[item.index] as Message)
        item.replaced = false
        if (item.inside) this.#keepCalls(item)
        this.presence.restore(item)
      }
      this.#refused.delete(item.index)
      this.#putBack(item)
      if (!item.inside) {
        this.#link(next ? next.previous : this.last, item)
        this.presence.restore(item)
        this.omitted--
        this.edits++
      }
      next = item
    }
    const isThere = (item: Item | undefined) => item && (item.inside || this.#refused.has(item.index))
    while (isThere(history[at])) at--
    this.#newestDropped = history[at]?.index ?? -1
  }

  // --- for the simulator, not for policies ---

  holds(exchange: number): boolean {
    return exchange < 0 ? this.#preface > 0 : this.#exchanges.has(exchange)
  }

  takeMoved(): number[] {
    return [-1, ...this.#exchanges.takeMoved()]
  }

  messages(): InsideMessage[] {
    const messages: InsideMessage[] = []
    for (let item = this.first; item; item = item.next) {
      const { index, exchange, message, replaced, size, join } = item
      if (message) messages.push({ index, exchange, message, replaced, units: size + join })
    }
    return messages
  }

  /**
   * Adds the next message of the transcript, which is then inside, unless it is refused (`WindowOptions.keepsPairs`).
   */
  append(index: number): Item {
    const trace = this.#trace
    const isPrompt = trace.isPrompt(index)
    if (isPrompt) this.#exchange++
    const passed = this.#sent.passing?.since(index + 1) ?? 0
    if (passed > this.#passed) {
      this.#passed = passed
      this.passing = 0
    }
    if (!trace.continues(index) || this.#group < 0) this.#group = index
    const call = trace.call(index)
    const calls = trace.callCount(index)
    for (let made = 0; made < calls; made++) this.#calledIn.push(this.#exchange)
    const isResult = trace.role(index) === 'tool' && call >= 0
    const item = new Item({
      index,
      role: trace.role(index),
      exchange: this.#exchange,
      isPrompt,
      calls,
      call,
      isResponse: trace.isResponse(index),
      isInjected: trace.isInjected(index),
      group: this.#group,
      place: index,
      shape: trace.shape(index) & ~shapes.continues,
      isEmpty: trace.isEmpty(index),
      message: trace.messages?.[index] ?? null,
      size: this.#sent.of(index),
      believedSize: this.#believed?.of(index) ?? 0,
    })
    if (isPrompt) {
      this.latestPrompt = item
      this.#promptSummary = null
    }
    this.pairs.come(index)
    // Everything before a response has just been sent, so nothing has changed since.
    if (item.isResponse) {
      this.changedFrom = index
      this.changedTo = -1
    }
    if (this.#history) {
      const size = this.#believed ? item.believedSize : item.size
      this.#historyUnits += this.#growing.add(trace.shape(index), size)
      this.#history.push(item)
    }
    this.#link(this.last, item)
    this.#bound?.add(item, (this.#sent.thoughts?.(index) ?? 0) > 0)
    if (isResult && this.pairs.wasMade(call)) this.#exchanges.bind(this.#calledIn.at(call), item)
    if (this.#keepsPairs && isResult && this.pairs.hasLeft(call)) {
      this.#leave(item)
      this.#refused.add(index)
    }
    this.#exchanges.settle()
    return item
  }

  /** The policy has acted: reasoning that was bound to what it changed is not sent any more. */
  unbind(): void {
    for (const item of this.#bound?.unbound(this.first) ?? []) {
      item.unbound = true
      this.#strip(item)
    }
    const again = this.#restored
    if (again.length === 0) return
    this.#restored = []
    for (const item of again) this.#strip(item)
  }

  #strip(item: Item): void {
    const { size, replaced, inside } = item
    const message = item.message && withoutThoughts(item.message)
    // The policy may have taken it out itself.
    if (item.stripped || (item.message !== null && message === item.message)) return
    if (replaced) this.#rewrite(item, message as Message)
    else {
      item.message = message
      this.#resize(item, Math.max(0, size - (this.#sent.thoughts?.(item.index) ?? 0)))
    }
    item.stripped = true
    // One that has left may come back.
    if (!inside) return
    this.stripped++
    if (!item.isLost) this.lostThoughts += size - item.size
    item.isLost = true
  }

  /** Where edits are undone a policy sees what was said, and what of it is unbound leaves again before the request. */
  #putBack(item: Item): void {
    if (!item.unbound) return
    this.#restored.push(item)
    if (!item.stripped) return
    item.stripped = false
    if (item.inside) this.stripped--
    item.message = this.#trace.messages?.[item.index] ?? null
    if (!item.replaced) this.#resize(item, this.#sent.of(item.index))
  }

  #resize(item: Item, size: number): void {
    if (item.inside) this.#units += size - item.size
    item.size = size
    if (!item.inside) return
    this.edits++
    this.#change(item, item.next ?? item)
    this.#join(item)
  }

  /** The policy is about to act. */
  beginOccasion(): void {
    this.#exchanges.settle()
  }

  /** The history starts anew: everything before is gone, for `view` policies too. */
  clear(): void {
    for (let item = this.first; item; item = item.next) this.#unlink(item)
    this.presence.clear()
    this.#bound?.clear()
    this.pairs = new Pairs(this.#trace)
    if (this.#history) this.#history.length = 0
    this.#historyUnits = this.#counting.preamble
    this.#growing = new Growing(this.#counting.joins)
    this.omitted = 0
    this.latestPrompt = null
    this.#promptSummary = null
    this.changedTo = Infinity
    this.#newestDropped = -1
    this.#refused.clear()
    this.#exchanges.takeEmptied()
  }

  /** Exchanges that left since the last call, oldest first. */
  takeEvicted(): number[] {
    return this.#exchanges.takeEmptied()
  }

  /** Summaries that were written since the last call. */
  takeSummaries(): WindowSummary[] {
    const summaries = this.#summaries
    if (summaries.length > 0) this.#summaries = []
    return summaries
  }

  #leave(item: Item): void {
    this.#unlink(item)
    this.presence.drop(item)
    if (item.index >= 0) this.omitted++
    this.edits++
  }

  /** @param tokens what it adds to a request, if its own text does not tell */
  #insert(before: Item | null, message: Message, tokens: number | undefined): Item {
    const previous = before ? before.previous : this.last
    const shape = shapeOf(message)
    const sizeBy = (sizes: Sizes): number =>
      tokens === undefined
        ? this.#rewritten.unitsOf(message, sizes)
        : Math.max(0, sizes.units(tokens) - sizes.joins(answered, shape))
    const item = new Item({
      index: -1,
      role: message.role,
      exchange: before?.exchange ?? this.#exchange,
      isPrompt: false,
      calls: 0,
      call: -1,
      isResponse: false,
      isInjected: false,
      group: -1,
      place: placeBetween(previous, before),
      shape,
      isEmpty: isEmpty(message),
      message,
      size: sizeBy(this.#sent),
      believedSize: this.#believed ? sizeBy(this.#believed) : 0,
    })
    this.#link(previous, item)
    this.edits++
    return item
  }

  #link(previous: Item | null, item: Item): void {
    const next = previous ? previous.next : this.first
    item.previous = previous
    item.next = next
    if (previous) previous.next = item
    else this.first = item
    if (next) next.previous = item
    else this.last = item
    item.inside = true
    if (next) this.#bound?.change(item.place)
    this.#change(item, next)
    this.#join(item)
    this.#count(item, 1)
  }

  #unlink(item: Item): void {
    const { previous, next } = item
    this.#bound?.change(item.place)
    this.#change(item, next ?? item)
    if (previous) previous.next = next
    else this.first = next
    if (next) next.previous = previous
    else this.last = previous
    this.#units -= item.join
    this.#believedUnits -= item.believedJoin
    item.join = item.believedJoin = 0
    item.end = item.believedEnd = -1
    item.inside = false
    this.#join(next)
    this.#count(item, -1)
  }

  /** Counts the calls as inside that are in the item's message now: a policy may have cut some out of it. */
  #keepCalls({ index, calls, message }: Item): void {
    if (index < 0 || calls === 0) return
    const callsOf = (message: Message | null | undefined) =>
      (message?.blocks ?? []).flatMap((block) => (block.type === 'call' ? [block.id] : []))
    const ids = callsOf(this.#trace.messages?.[index])
    const kept = new Set(callsOf(message))
    this.pairs.keep(index, (place) => kept.has(ids[place] ?? ''))
  }

  /** @param next the item behind it, whose join changes with it; null for what comes last, as only what is new does */
  #change({ place }: Item, next: Item | null): void {
    this.changedFrom = Math.min(this.changedFrom, place)
    if (next) this.changedTo = Math.max(this.changedTo, next.place)
  }

  /**
   * Joins an item and those behind it, as far as something else stands in front of them than before, by either count:
   * what has no size for one may have some for the other.
   */
  #join(from: Item | null): void {
    const believed = this.#believed
    for (let item = from; item; item = item.next) {
      const { previous, size, believedSize, place, end, believedEnd } = item
      const [inFront, believedInFront] = [previous?.end ?? 0, previous?.believedEnd ?? 0]
      const shape = isJoined(previous, item) ? item.shape | shapes.continues : item.shape
      const join = joinOf(this.#sent.joins, inFront, shape, size)
      // Of one that was not inside `#change` tells.
      if (end >= 0 && join !== item.join) this.changedTo = Math.max(this.changedTo, place)
      this.#units += join - item.join
      item.join = join
      item.end = endBehind(inFront, shape, size)
      if (believed) {
        const believedJoin = joinOf(believed.joins, believedInFront, shape, believedSize)
        this.#believedUnits += believedJoin - item.believedJoin
        item.believedJoin = believedJoin
        item.believedEnd = endBehind(believedInFront, shape, believedSize)
      }
      if (item.end === end && (!believed || item.believedEnd === believedEnd)) return
    }
  }

  #count(item: Item, by: 1 | -1): void {
    this.#units += by * item.size
    this.#believedUnits += by * item.believedSize
    this.count += by
    if (item.index >= this.#passed) this.passing += by * (this.#sent.passing?.of(item.index) ?? 0)
    if (item.role === 'user') this.users += by
    if (this.#lostContent(item)) this.addedEmpty += by
    if (item.stripped) this.stripped += by
    this.presence.move(item, by)
    if (item.index < 0) return
    this.pairs.move(item.index, by)
    if (item.exchange >= 0) this.#exchanges.move(item, by)
    else this.#preface += by
  }

  #lostContent({ isEmpty, index }: Item): boolean {
    return isEmpty && (index < 0 || !this.#trace.isEmpty(index))
  }

  #rewrite(item: Item, message: Message): void {
    const size = this.#sent.message(message)
    const believedSize = this.#believed?.message(message) ?? 0
    if (item.inside) {
      this.#units += size - item.size
      this.#believedUnits += believedSize - item.believedSize
    }
    const lost = this.#lostContent(item)
    item.shape = shapeOf(message)
    item.isEmpty = isEmpty(message)
    if (item.inside) this.addedEmpty += Number(this.#lostContent(item)) - Number(lost)
    item.size = size
    item.believedSize = believedSize
    item.message = message
    this.#change(item, item.next ?? item)
    if (item.inside) this.#join(item)
    this.edits++
  }
}

const step = 2 ** -20

/**
 * The place of an inserted item, from its neighbours' places. Searching for the transcript message before it would be
 * quadratic if a policy's own messages pile up.
 */
function placeBetween(previous: Item | null, next: Item | null): number {
  const place = previous?.place ?? -1
  return Math.min(place + step, Math.floor(place) + 1 - step, next?.place ?? Infinity)
}

/** Tokens that the items from `from` to `to` add to a request. */
function sumOf(sizes: Sizes, believed: boolean, from: Item, to: Item): number {
  let units = 0
  for (let item: Item | null = from; item; item = item === to ? null : item.next) units += unitsIn(believed, item)
  return sizes.tokens(units)
}

/** What an item adds to a request. */
const unitsIn = (believed: boolean, item: Item): number =>
  believed ? item.believedSize + item.believedJoin : item.size + item.join
