/**
 * How ikigai counts, and the token cache that its sliding window ran on (apps/ikigai/token_cache.c, agent_state.c,
 * token_count.c of mgreenly/ikigai, last of the C sources).
 */

import { utf8Length } from '../../base/bytes.ts'
import { jsonText } from '../../base/json-text.ts'
import { type Message, textOf } from '../../model/message.ts'
import type { NativeCounter } from '../policy.ts'

/** Bytes of a message's content: text, a call's arguments (not its name), a result, readable reasoning. */
export function messageBytes(message: Message): number {
  let bytes = 0
  for (const block of message.blocks) {
    if (block.type === 'text' || block.type === 'thinking') bytes += utf8Length(block.text)
    else if (block.type === 'call') {
      bytes += utf8Length(typeof block.input === 'string' ? block.input : jsonText(block.input ?? {}))
    }
  }
  return bytes
}

export const ikigaiCounter: NativeCounter = {
  summary: 'floor(bytes / 4) of all text; tool definitions count as 0',
  message: messageBytes,
  preamble: (preamble) => preamble.system.reduce((sum, message) => sum + utf8Length(textOf(message)), 0),
  unitsPerToken: 4,
}

const messageTokens = (message: Message): number => Math.floor(messageBytes(message) / 4)

/** Of "Exchange Boundaries", where each message has a count of its own. */
export const exchangeCounter: NativeCounter = {
  summary: 'floor(bytes / 4) of the text of each message; tool definitions count as 0',
  message: messageTokens,
  preamble: ({ system }) => system.reduce((sum, message) => sum + messageTokens(message), 0),
}

/** The agent's messages as the cache sees them, and estimates of their tokens. */
export interface TokenSource {
  /** Number of messages of the agent. */
  length(): number
  isUser(index: number): boolean
  /** Estimated tokens of the messages from `from` to before `to`. Not cached: it is called each time. */
  estimate(from: number, to: number): number
  /** The count of the provider's API, which is cached; null if there is no such API. */
  provider?(): number | null
  systemEstimate(): number
  /** Tokens of the summaries, which are part of the budget. Not cached. */
  summaryTokens?(): number
}

/**
 * The cache: one count per turn inside the context, or null if it is not known. A turn goes from a user message to
 * before the next. Messages before the first one belong to no turn, count nothing, and leave with the first turn.
 */
export class TokenCache {
  budget: number
  /** Index of the first message that is sent. */
  contextStart = 0
  prunedTurns = 0
  #turns: (number | null)[] = []
  #system: number | null = null
  #tools: number | null = null
  #total: number | null = null
  #previousInput = 0
  readonly #source: TokenSource
  // The index at which each turn starts, among the first `#looked` messages.
  readonly #starts: number[] = []
  #looked = 0

  constructor(source: TokenSource, budget = 100_000) {
    this.#source = source
    this.budget = budget
  }

  get turnCount(): number {
    return this.#turns.length
  }

  /** Input tokens of the last request that was recorded. */
  get previousInput(): number {
    return this.#previousInput
  }

  /** The cached count of turn `k` of those inside, or null. */
  peek(k: number): number | null {
    return this.#turns[k] ?? null
  }

  addTurn(): void {
    this.#turns.push(null)
    this.#total = null
  }

  record(k: number, tokens: number): void {
    this.#turns[k] = tokens
    this.#total = null
  }

  turn(k: number): number {
    const known = this.#turns[k]
    if (known === undefined) throw new RangeError(`turn ${k} of ${this.turnCount}`)
    if (known !== null) return known
    const asked = this.#source.provider?.() ?? null
    if (asked !== null) {
      this.record(k, asked)
      return asked
    }
    const from = this.#start(k)
    return from === null ? 0 : this.#source.estimate(from, this.#start(k + 1) ?? this.#source.length())
  }

  system(): number {
    if (this.#system !== null) return this.#system
    const asked = this.#source.provider?.() ?? null
    if (asked !== null) this.#system = asked
    return asked ?? this.#source.systemEstimate()
  }

  /** Tokens of the tools, as upstream gets them: a fault, as its counting call contains no tools. */
  tools(): number {
    if (this.#tools !== null) return this.#tools
    const asked = this.#source.provider?.() ?? null
    if (asked !== null) this.#tools = asked
    return asked ?? 0
  }

  /** The cached total without summaries, else 0: for a display, which makes no API call. */
  peekTotal(): number {
    return this.#total ?? 0
  }

  total(): number {
    if (this.#total === null) {
      let total = this.system() + this.tools()
      for (let k = 0; k < this.#turns.length; k++) total += this.turn(k)
      this.#total = total
    }
    return this.#total + (this.#source.summaryTokens?.() ?? 0)
  }

  /** A turn has ended normally: its count is how much the input grew since the last recorded request. */
  recordTurn(inputTokens: number): void {
    const last = this.#turns.length - 1
    if (last >= 0) {
      const grown = inputTokens - this.#previousInput
      const tokens = grown > 0 ? grown : this.turn(last)
      if (tokens > 0) this.record(last, tokens)
    }
    this.#previousInput = inputTokens
  }

  pruneOldest(): void {
    const oldest = this.#turns[0]
    if (oldest === undefined) return
    this.#total = subtract(this.#total, oldest)
    this.contextStart = this.#start(1) ?? this.#source.length()
    this.prunedTurns++
    this.#turns.shift()
  }

  /** @returns how many turns left */
  pruneToBudget(): number {
    let pruned = 0
    for (; this.total() > this.budget && this.#turns.length > 1; pruned++) this.pruneOldest()
    return pruned
  }

  /** The model has changed: it counts differently, so all counts are dropped. */
  invalidateAll(): void {
    this.#turns.fill(null)
    this.#system = null
    this.#tools = null
    this.#total = null
  }

  /** The conversation was cleared. */
  reset(): void {
    this.invalidateAll()
    this.#turns = []
    this.contextStart = 0
    this.prunedTurns = 0
    this.#previousInput = 0
    this.#starts.length = 0
    this.#looked = 0
  }

  /** The conversation was rewound: turns from `k` on are gone. */
  removeTurnsFrom(k: number): void {
    if (k > this.#turns.length) throw new RangeError(`turn ${k} of ${this.#turns.length}`)
    if (k === this.#turns.length) return
    for (const tokens of this.#turns.slice(k)) {
      this.#total = subtract(this.#total, tokens)
    }
    this.#turns.length = k
    if (k === 0 && this.contextStart > 0) {
      this.contextStart = 0
      this.prunedTurns = 0
    }
  }

  /** The messages were cut short: corrects a start that is now after their end. */
  clamp(messages: number): void {
    if (this.contextStart <= messages) return
    this.contextStart = 0
    this.prunedTurns = 0
  }

  /** What the control socket returns; its `context_start_index` is the number of *turns* that left. */
  toJSON() {
    return {
      total_tokens: this.total(),
      budget: this.budget,
      turn_count: this.turnCount,
      context_start_index: this.prunedTurns,
      turns: this.#turns.map((_, k) => ({ turn: this.prunedTurns + k, tokens: this.turn(k) })),
    }
  }

  /** Index of the message that starts turn `k`, counted from the context's start; null if there is no such turn. */
  #start(k: number): number | null {
    for (const length = this.#source.length(); this.#looked < length; this.#looked++) {
      if (this.#source.isUser(this.#looked)) this.#starts.push(this.#looked)
    }
    let low = 0
    let high = this.#starts.length
    while (low < high) {
      const middle = (low + high) >> 1
      if ((this.#starts[middle] as number) < this.contextStart) low = middle + 1
      else high = middle
    }
    return this.#starts[low + k] ?? null
  }
}

/** The total minus a part; null if either is unknown or the result would be negative. */
function subtract(total: number | null, part: number | null): number | null {
  return total === null || part === null || part > total ? null : total - part
}
