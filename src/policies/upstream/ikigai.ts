/**
 * How ikigai counts, and the token cache that its sliding window ran on (apps/ikigai/token_cache.c, agent_state.c,
 * token_count.c of mgreenly/ikigai, last of the C sources).
 */
import { jsonText } from '../../base/json-text.ts'
import { type Message, textOf } from '../../model/message.ts'
import type { NativeCounter } from '../policy.ts'
import { utf8Length } from '../text.ts'

/** Bytes of everything a message says: text, a call's arguments (not its name), a result, readable thinking. */
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

/** What the cache is asked about: the agent's messages, and what it believes they weigh. */
export interface TokenSource {
  /** Number of messages of the agent. */
  length(): number
  isUser(index: number): boolean
  /** Tokens of the messages `from` to `to`, half-open, as estimated. Never remembered: it is asked again each time. */
  estimate(from: number, to: number): number
  /** The answer of the provider's counting API, which is remembered; null if there is no such API. */
  provider?(): number | null
  systemEstimate(): number
  /** Summaries are part of the budget, and are read anew each time. */
  summaryTokens?(): number
}

/**
 * The cache: one figure a turn, known or not, in front of which the turns that have left are forgotten. A turn runs from a
 * user message to the next; what stands before the first belongs to none, weighs nothing, and leaves with the first turn.
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
  // Where each turn starts, in the messages that the cache has looked at so far.
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

  /** What is known of turn `k` of those inside: null where it would have to be asked for. */
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

  /** The counting call is made without any tool in it, so what it answers is no tool's weight. */
  tools(): number {
    if (this.#tools !== null) return this.#tools
    const asked = this.#source.provider?.() ?? null
    if (asked !== null) this.#tools = asked
    return asked ?? 0
  }

  /** The total without summaries if it is remembered, else 0: for a display, which makes no API call. */
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

  /** A turn has ended well: what the request grew by since the last recorded one is taken for its weight. */
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

  /** Another model counts otherwise: nothing that is known holds any longer. */
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

  /** The messages were cut short: a start behind their end is none. */
  clamp(messages: number): void {
    if (this.contextStart <= messages) return
    this.contextStart = 0
    this.prunedTurns = 0
  }

  /** What the control socket tells; its `context_start_index` is the number of *turns* that left. */
  toJSON() {
    return {
      total_tokens: this.total(),
      budget: this.budget,
      turn_count: this.turnCount,
      context_start_index: this.prunedTurns,
      turns: this.#turns.map((_, k) => ({ turn: this.prunedTurns + k, tokens: this.turn(k) })),
    }
  }

  /** Index of the message that starts turn `k` of those at or behind the context's start; null when there is none. */
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

/** What is left of a known total; unknown where a part is, or where it would be less than nothing. */
function subtract(total: number | null, part: number | null): number | null {
  return total === null || part === null || part > total ? null : total - part
}
