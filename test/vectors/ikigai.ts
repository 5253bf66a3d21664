import { findExchanges } from '../../src/model/exchanges.ts'
import { evictExchanges, exchangeTokens, finishes } from '../../src/policies/systems/exchange.ts'
import { TokenCache } from '../../src/policies/upstream/ikigai.ts'
import { traceOf } from '../simulator/arbitrary.ts'
import { inside, type Json, messagesOf, windowOf } from './window.ts'

type Row = readonly [role: string, bytes: number]

interface Turn {
  readonly msgs: readonly Row[]
  readonly last_input_tokens?: number
  readonly ok?: boolean
}

/** All keys of the inputs of the window's cases; a case has those that its function needs. */
interface WindowInput {
  readonly ops: readonly (readonly [string, ...number[]])[]
  readonly init: { readonly msgs?: readonly Row[] }
  readonly pattern: string
  readonly turn_tokens: readonly (number | null)[] | number | null
  readonly turn_bytes?: number
  readonly budget: number
  readonly system_tokens?: number
  readonly tool_tokens?: number
  readonly summary_tokens?: number
  readonly ok: boolean
  readonly turns: number | readonly (readonly Row[] | Turn)[] | readonly number[]
  readonly prev: number
  readonly resp: number
  readonly pruned_turns?: number
  readonly cache?: null
  readonly message_count: number
  readonly context_start_index: number
  readonly text: string
  readonly max_tokens: number
  readonly fresh?: boolean
  readonly mode: string
}

/** An agent's messages by role and bytes, with a cache for them. */
function agent(rows: readonly Row[] = [], budget = 100_000) {
  const messages = [...rows]
  const world = { provider: null as number | null, system: 0, tools: null as number | null, summaries: 0 }
  const cache = new TokenCache(
    {
      length: () => messages.length,
      isUser: (index) => messages[index]?.[0] === 'u',
      estimate: (from, to) => Math.floor(messages.slice(from, to).reduce((sum, [, bytes]) => sum + bytes, 0) / 4),
      provider: () => world.provider,
      systemEstimate: () => world.system,
      summaryTokens: () => world.summaries,
    },
    budget,
  )
  return { messages, world, cache }
}

const rowsOf = (pattern: string): Row[] => [...pattern].map((letter) => [letter, 0])

/** A cache whose turns have these tokens, for messages of this pattern. */
function cacheOf(pattern: string, turns: readonly (number | null)[], budget: number) {
  const made = agent(rowsOf(pattern), budget)
  turns.forEach((tokens, k) => {
    made.cache.addTurn()
    if (tokens !== null) made.cache.record(k, tokens)
  })
  return made
}

function cacheOps({ ops, init }: WindowInput): Json {
  const { world, cache } = agent(init?.msgs)
  const log: unknown[] = []
  for (const [op, first = 0, second = 0] of ops) {
    switch (op) {
      case 'add':
        cache.addTurn()
        break
      case 'record':
        cache.record(first, second)
        break
      case 'prune':
        cache.pruneOldest()
        break
      case 'loop':
        cache.pruneToBudget()
        break
      case 'total':
        log.push(['total', cache.total()])
        break
      case 'peek':
        log.push(['peek', cache.peekTotal()])
        break
      case 'turn':
        log.push(['turn', first, cache.turn(first)])
        break
      case 'invalidate_all':
        cache.invalidateAll()
        break
      case 'reset':
        cache.reset()
        break
      case 'remove_from':
        cache.removeTurnsFrom(first)
        break
      case 'clamp':
        cache.clamp(first)
        break
      case 'provider':
        world.provider = first
        break
      case 'sys':
        world.system = first
        break
      case 'budget':
        cache.budget = first
        break
      case 'state':
        log.push([
          'state',
          {
            turn_count: cache.turnCount,
            context_start_index: cache.contextStart,
            pruned_turns: cache.prunedTurns,
          },
        ])
        break
      default:
        throw new Error(`no such operation: ${op}`)
    }
  }
  return { log }
}

function replayed({ turns, budget }: WindowInput): Json {
  const { messages, cache } = agent([], budget)
  const after = (turns as readonly (readonly Row[] | Turn)[]).map((turn) => {
    const { msgs, last_input_tokens: input, ok = true } = 'msgs' in turn ? turn : ({ msgs: turn } as Turn)
    cache.addTurn()
    messages.push(...msgs)
    const before = cache.prunedTurns
    if (ok) {
      cache.recordTurn(input ?? cache.previousInput)
      cache.pruneToBudget()
    }
    return {
      pruned_now: cache.prunedTurns - before,
      first_kept_turn: cache.prunedTurns,
      context_start_index: cache.contextStart,
      total_after: cache.total(),
    }
  })
  return { after_each_turn: after }
}

export const ikigaiWindow: Readonly<Record<string, (input: WindowInput) => Json>> = {
  cache_ops: cacheOps,
  prune_loop: (input) => {
    const { world, cache } = cacheOf(input.pattern, input.turn_tokens as readonly number[], input.budget)
    world.system = (input.system_tokens ?? 0) + (input.tool_tokens ?? 0)
    world.summaries = input.summary_tokens ?? 0
    return {
      pruned: cache.pruneToBudget(),
      context_start_index: cache.contextStart,
      turn_count: cache.turnCount,
      total: cache.total(),
    }
  },
  record_turn: ({ ok, turns, turn_tokens, turn_bytes = 0, prev, resp }) => {
    const { messages, cache } = agent([])
    // The first turn brings the recorded input to `prev`; the case is about the second.
    cache.recordTurn(prev)
    if (turns !== 0) {
      cache.addTurn()
      messages.push(['u', turn_bytes])
      if (typeof turn_tokens === 'number') cache.record(0, turn_tokens)
    }
    if (ok) cache.recordTurn(resp)
    return { turn: cache.peek(0), prev_after: cache.previousInput, pruned: cache.prunedTurns }
  },
  request_window: ({ pattern, pruned_turns = 0, cache: given }) => {
    const turns = [...pattern].filter((letter) => letter === 'u').map(() => 1)
    const { cache } = cacheOf(pattern, turns, 0)
    for (let pruned = 0; given !== null && pruned < pruned_turns; pruned++) cache.pruneOldest()
    return { context_start_index: cache.contextStart, sent_pattern: pattern.slice(cache.contextStart) }
  },
  summary_boundaries: ({ message_count, context_start_index }) => {
    const { from, to } = summaryRange(message_count, context_start_index)
    return { half_open_range: [from, to] }
  },
  truncate_at_sentence: ({ text, max_tokens }) => ({ text: truncateAtSentence(text, max_tokens) }),
  read_token_cache_json: ({ fresh, budget, turns, pruned_turns = 0 }) => {
    if (fresh) return { json: agent().cache.toJSON() }
    const left = turns as readonly number[]
    const all = [...Array.from({ length: pruned_turns }, () => 1), ...left]
    const { cache } = cacheOf('ua'.repeat(all.length), all, budget)
    for (let pruned = 0; pruned < pruned_turns; pruned++) cache.pruneOldest()
    const json = cache.toJSON()
    return { json, ...json, turn_numbers: json.turns.map(({ turn }) => turn) }
  },
  replay: replayed,
}

/** All keys of the inputs of the exchanges' cases; a case has those that its function needs. */
interface ExchangeInput {
  readonly pattern: string
  readonly tokens: readonly number[]
  readonly max: number
}

function exchangesOf(pattern: string, tokens: readonly number[] = []) {
  return findExchanges(traceOf(messagesOf(pattern), [])).map(({ from, to }) => ({
    start: from,
    end: to - 1,
    tokens: tokens.slice(from, to).reduce((sum, value) => sum + value, 0),
  }))
}

export const ikigaiExchange: Readonly<Record<string, (input: ExchangeInput) => Json>> = {
  detect_exchanges: ({ pattern, tokens }) => ({ exchanges: exchangesOf(pattern, tokens) }),
  evict: ({ pattern, tokens, max }) => {
    const window = windowOf(messagesOf(pattern), { tokens })
    const exchanges = exchangesOf(pattern, tokens)
    evictExchanges(window, max, 0)
    const left = new Set(inside(window))
    const kept = exchanges.filter(({ start }) => left.has(start))
    return {
      evicted: exchanges.filter(({ start }) => !left.has(start)),
      kept,
      total_after: exchangeTokens(window),
      first_kept_index: kept[0]?.start ?? null,
    }
  },
  on_message_received_finalize: ({ pattern }) => {
    const window = windowOf(messagesOf(pattern), { tokens: [] })
    const final: number[] = []
    for (let item = window.first; item; item = item.next) if (finishes(item)) final.push(item.index)
    // The counter is reset only at a finished exchange: one that never finished counts towards the next.
    const carried = exchangesOf(pattern).some(({ start, end }, index, all) => {
      const finished = final.some((message) => message >= start && message <= end)
      return !finished && all.slice(index + 1).some((next) => final.some((message) => message >= next.start))
    })
    return { finalize_after_index: final, tokens_carried_over: carried }
  },
}

/** The range of messages to summarise: those no longer sent. The end is exclusive. */
function summaryRange(messages: number, contextStart: number): { from: number; to: number } {
  return { from: 0, to: Math.min(messages, contextStart) }
}

/** Cuts a summary that is too long at the last full sentence of its first `4 * maxTokens` bytes, else at that length. */
function truncateAtSentence(text: string, maxTokens: number): string {
  const bytes = new TextEncoder().encode(text)
  const max = maxTokens * 4
  if (bytes.length <= max) return text
  const space = new Set([0x20, 0x0a, 0x09, 0x0d])
  for (let cut = max; cut > 0; cut--) {
    const next = bytes[cut]
    if (bytes[cut - 1] === 0x2e && (next === undefined || space.has(next)))
      return new TextDecoder().decode(bytes.subarray(0, cut))
  }
  return new TextDecoder().decode(bytes.subarray(0, max))
}
