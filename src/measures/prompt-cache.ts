/**
 * The provider's prompt cache, as the price lists describe it: the beginning of a request is cheap if a recent request
 * began the same way. The lifetime, minimum and granularity are the provider's rule, and are data.
 */

import { jsonText } from '../base/json-text.ts'
import type { Message } from '../model/message.ts'
import { type HistorySizes, historySizes, type Sizes } from '../model/sizes.ts'
import type { Trace } from '../model/trace.ts'
import type { CacheRule } from '../models/table.ts'
import type { Request, SentItem, SentSequence } from './measure.ts'
import { PrefixTree } from './prefix-tree.ts'

/**
 * Without timestamps, requests are assumed to follow each other quickly; an entry expires after this many without use.
 */
export const requestsAlive = 64

/** When each request was sent, and how long a cache entry lives, in the same unit. */
export interface Clock {
  readonly times: Float64Array
  readonly life: number
}

/** @param seconds how long an entry lives after its last use, for transcripts with recorded times */
export function clockOf(trace: Trace, seconds: number): Clock {
  const times = new Float64Array(trace.requests)
  let latest = Number.NaN
  for (let request = 0; request < times.length; request++) {
    const time = trace.requestTime(request)
    // Times never decrease, whatever a transcript records; a request without a time has that of the one before.
    if (!(time <= latest) && !Number.isNaN(time)) latest = time
    times[request] = latest
  }
  const first = times.findIndex((time) => !Number.isNaN(time))
  if (first < 0) return { times: times.map((_, request) => request), life: requestsAlive }
  return { times: times.fill(times[first] as number, 0, first), life: seconds * 1000 }
}

/** Whether everything has expired before request `request`, even the entry of the request before. */
export const isCold = ({ times, life }: Clock, request: number): boolean =>
  request === 0 || (times[request] as number) - (times[request - 1] as number) > life

export interface Hit {
  /** Tokens read from the cache. */
  readonly tokens: number
  /** The whole previous request is not a prefix of this one. */
  readonly breaks: boolean
}

export interface PromptCache {
  /** To be called with the requests in order. */
  request(request: Request): Hit
}

/** How many tokens of a shared prefix a provider serves from its cache. */
export function served(tokens: number, rule: CacheRule | null): number {
  if (!rule) return 0
  const whole = rule.granularity === 'block' ? tokens : tokens - (tokens % rule.granularity)
  return whole < rule.minPrefix ? 0 : whole
}

/** The cache of an agent that never prunes: each request begins with the one before, unless the history starts anew. */
export class WholeCache implements PromptCache {
  readonly #trace: Trace
  readonly #clock: Clock
  readonly #rule: CacheRule | null
  readonly #sizes: Sizes
  readonly #history: HistorySizes
  readonly #preamble: number
  /** The previous request: its tokens, the message that answered it, and the first message of its history. */
  #previous = 0
  #message = 0
  #start = 0

  constructor(trace: Trace, sizes: Sizes, clock: Clock, rule: CacheRule | null) {
    this.#trace = trace
    this.#clock = clock
    this.#rule = rule
    this.#sizes = sizes
    this.#history = historySizes(trace, sizes)
    this.#preamble = sizes.tokens(sizes.preamble)
  }

  request({ index, message, fullTokens }: Pick<Request, 'index' | 'message' | 'fullTokens'>): Hit {
    const before = this.#start
    for (let at = this.#message + 1; at <= message; at++) if (this.#trace.isReset(at)) this.#start = at
    const isNew = this.#start !== before
    const shared = isNew ? this.#preamble : this.#left(message)
    const breaks = isNew && this.#message > before
    this.#previous = fullTokens
    this.#message = message
    return { tokens: isCold(this.#clock, index) ? 0 : served(shared, this.#rule), breaks }
  }

  /** Tokens of the previous request that stand in one that ends in front of a later message, too. */
  #left(message: number): number {
    const { passing, preamble, tokens } = this.#sizes
    const [from, to] = [this.#start, this.#message]
    if (!passing?.hasPassed(to, message)) return this.#previous
    return tokens(preamble + this.#history.request(from, to) - passing.inRequest(from, to))
  }
}

/** The cache of an agent whose window is edited. A step that only appends costs only what it appends. */
export class WindowCache implements PromptCache {
  readonly #trace: Trace
  readonly #clock: Clock
  readonly #rule: CacheRule | null
  readonly #sizes: Sizes
  readonly #history: HistorySizes
  readonly #tree: PrefixTree
  /**
   * Ids of messages that the policy wrote, by content: a view that writes the same text again sends the same message.
   */
  readonly #written = new Map<string, number>()
  readonly #contents = new Map<string, number>()
  readonly #texts = new Map<string, number>()
  // A summary is in many requests and may be long, so its content is read only once.
  readonly #contentIds = new WeakMap<Message, number>()
  /** The depth in the tree of each message that the policy wrote, in the previous request. */
  #depths = new WeakMap<SentItem, number>()
  /** The previous request: the message that answered it, and the window's counters. */
  #message = 0
  /** The first message since the history last began anew. */
  #start = 0
  #edits = 0
  #count = 0
  #passing = 0

  constructor(trace: Trace, sizes: Sizes, clock: Clock, rule: CacheRule | null) {
    this.#trace = trace
    this.#clock = clock
    this.#rule = rule
    this.#sizes = sizes
    this.#history = historySizes(trace, sizes)
    this.#tree = new PrefixTree(sizes.preamble, this.#history.before, clock.life)
  }

  request({ index, message, sent }: Request): Hit {
    const sequence = sent.sequence as SentSequence
    const tree = this.#tree
    const anchor = this.#unchanged(sequence)
    tree.begin(this.#clock.times[index] as number, anchor?.index ?? null, anchor && this.#depthOf(anchor))
    let item = anchor ? anchor.next : sequence.first
    if (item && this.#slides(item, sequence, message)) item = since(this.#message, sequence)
    const hasPassed = this.#sizes.passing?.hasPassed(this.#message, message) ?? true
    this.#message = message
    this.#edits = sequence.edits
    this.#count = sequence.count
    while (item) {
      const start = item
      const units = sequence.unitsOf(start)
      item = item.next
      if (!isRecorded(start)) {
        const id = this.#idOf(start, units)
        tree.add(id, id + 1, units)
        this.#depths.set(start, tree.depth)
        continue
      }
      let to = start.index + 1
      for (; item && this.#follows(item, to); item = item.next) to++
      tree.add(start.index, to, units)
    }
    const breaks = !tree.end()
    // What thoughts there are is at the end, behind a change.
    const stays = !hasPassed && !breaks && tree.sharedUnits > 0
    const passing = stays ? Math.min(this.#passing, sequence.passing) : 0
    this.#passing = sequence.passing
    return { tokens: served(this.#sizes.tokens(tree.sharedUnits + passing), this.#rule), breaks }
  }

  /**
   * Takes the requests before the first edit, each of which is the whole history since it began. Either a request
   * begins with the one before, or the history began anew and nothing from before comes again. So only the last one
   * counts.
   */
  unedited(requests: readonly Pick<Request, 'index' | 'message'>[]): void {
    const last = requests.at(-1)
    if (!last) return
    for (let at = 0; at <= last.message; at++) if (this.#trace.isReset(at)) this.#start = at
    this.#whole(last)
  }

  #whole({ index, message }: Pick<Request, 'index' | 'message'>): void {
    const tree = this.#tree
    tree.begin(this.#clock.times[index] as number, null)
    for (const { from, to, units } of this.#history.stretches(this.#start, message)) tree.add(from, to, units)
    tree.end()
    this.#message = message
    this.#count = message - this.#start
    this.#passing = this.#sizes.passing?.inRequest(this.#start, message) ?? 0
  }

  /** Whether an item is message `index` of the transcript, joined as it is in the history. */
  #follows(item: SentItem, index: number): boolean {
    return item.index === index && isRecorded(item) && item.join === this.#history.join(index)
  }

  /**
   * Handles a sliding window: from `item` on, the request is the previous one without the dropped messages and with
   * what was appended. This avoids a walk over the whole window at each request.
   */
  #slides(item: SentItem, sequence: SentSequence, message: number): boolean {
    const dropped = sequence.edits - this.#edits
    // Every edit removed one message, so all edits were drops.
    const onlyDrops = dropped > 0 && sequence.count === this.#count - dropped + message - this.#message
    if (!onlyDrops || !isRecorded(item) || !this.#parts(item)) return false
    if (!this.#tree.skip(dropped, item.index, sequence.unitsOf(item))) return false
    // The rest of the request is now less deep.
    this.#depths = new WeakMap()
    return true
  }

  /** Whether what is behind an item is joined with it alone, and not with what was dropped in front of it. */
  #parts({ index, role, next }: SentItem): boolean {
    return this.#sizes.of(index) > 0 && !(role === 'assistant' && next?.role === 'assistant')
  }

  /**
   * The last message up to which the request is the same as the previous one, and which is recorded or has a known
   * depth. It is searched from both ends, as changes are usually at one of them.
   */
  #unchanged({ first, last, changedFrom }: SentSequence): SentItem | null {
    const isKnown = (item: SentItem): boolean => isRecorded(item) || this.#depths.has(item)
    let found: SentItem | null = null
    let front = first
    let back = last
    while (back && !(back.place < changedFrom && isKnown(back))) {
      back = back.previous
      if (!front || front.place >= changedFrom) return found
      if (isKnown(front)) found = front
      front = front.next
    }
    return back
  }

  #depthOf(item: SentItem): number | null {
    return isRecorded(item) ? null : (this.#depths.get(item) ?? null)
  }

  // The units are part of the key, because they depend on the position.
  #idOf({ message, index }: SentItem, units: number): number {
    return idIn(this.#written, `${message ? this.#contentOf(message) : index} ${units}`)
  }

  // The response id is part of the key, because no model writes the same text again.
  #contentOf(message: Message): number {
    let id = this.#contentIds.get(message)
    if (id === undefined) {
      const { role, callId, isError, responseId, blocks } = message
      // Most messages are one long text. Texts are looked up as they are, because writing them as JSON takes longer.
      const said = blocks.map((block) => (block.type === 'text' ? idIn(this.#texts, block.text) : block))
      id = idIn(this.#contents, jsonText([role, callId, isError, responseId, said]))
      this.#contentIds.set(message, id)
    }
    return id
  }
}

/** The id of a key; a new key gets a new negative id. */
function idIn(ids: Map<string, number>, key: string): number {
  const id = ids.get(key) ?? -1 - ids.size
  ids.set(key, id)
  return id
}

const isRecorded = ({ index, replaced, stripped }: SentItem): boolean => index >= 0 && !replaced && !stripped

/** The first message from transcript message `index` on. */
function since(index: number, { last }: SentSequence): SentItem | null {
  let item: SentItem | null = null
  for (let at = last; at && at.index >= index; at = at.previous) item = at
  return item
}
