import type { Block, Message } from '../../src/model/message.ts'
import { dropOldestTurn } from '../../src/policies/systems/forge.ts'
import {
  type Droppable,
  dropBoundary,
  dropOldestLiteral,
  findSequence,
  isUser,
  type Kind,
  messageTokens,
  type Range,
  shouldCompact,
} from '../../src/policies/upstream/forge.ts'
import {
  compress,
  contextTokens,
  effectiveThreshold,
  evictionRange,
  retainByEviction,
  summaryUsage,
} from '../../src/policies/upstream/forge-head.ts'
import { adjustRange, isSignificant, slidingWindow } from '../../src/policies/upstream/forge-pr616.ts'
import {
  type Content,
  dedupeUsers,
  operationOf,
  type SummaryBlock,
  trimBlock,
} from '../../src/policies/upstream/forge-summary.ts'
import { inside, type Json, messagesOf, windowOf } from './window.ts'

const kinds = (pattern: unknown) => [...(pattern as string)] as Kind[]
const pair = (range: Range | null) => (range ? [range.start, range.end] : null)
const rangeOf = ([start, end]: readonly [number, number]): Range => ({ start, end })
const sum = (numbers: readonly number[]) => numbers.reduce((total, value) => total + value, 0)

function bracketed(pattern: string, range: Range | null): string {
  if (!range) return pattern
  const { start, end } = range
  return `${pattern.slice(0, start)}[${pattern.slice(start, end + 1)}]${pattern.slice(end + 1)}`
}

function ranged(pattern: string, retain: number, tokens: readonly number[] = []) {
  const range = evictionRange(kinds(pattern), retain)
  const inRange = range ? sum(tokens.slice(range.start, range.end + 1)) : 0
  return {
    retain,
    range: pair(range),
    bracketed: bracketed(pattern, range),
    share_of_tokens_in_range: Math.round((inRange / Math.max(1, sum(tokens))) * 10_000) / 10_000,
  }
}

const isOver = (messages: number, threshold: number): boolean =>
  shouldCompact({ messages: threshold }, { tokens: 0, turns: 0, messages, lastIsUser: false })

function droppedLiterally(pattern: string, threshold: number) {
  const list = kinds(pattern)
  const over = () => isOver(list.length, threshold)
  const context: Droppable = { kinds: () => list, over, drop: (from, count) => list.splice(from, count) }
  const passes = dropOldestLiteral(context)
  return { kept: list.join(''), dropped: pattern.length - list.length, passes, still_over: over() }
}

function turnsLeft(pattern: string, threshold: number): string {
  const window = windowOf(messagesOf(pattern), { tokens: [] })
  while (isOver(window.count, threshold)) if (!dropOldestTurn(window)) break
  return inside(window)
    .map((index) => pattern[index])
    .join('')
}

function operations(ops: readonly string[]): Content[] {
  return ops.map((op) => {
    const [verb = '', ...rest] = op.replace(/!fail|#\S+/g, '').split(' ')
    const target = rest.join(' ')
    if (verb === 'text') return { text: target }
    const tool: Record<string, [string, Json]> = {
      read: ['read', { file_path: target }],
      update: ['write', { file_path: target }],
      write: ['write', { file_path: target }],
      patch: ['patch', { file_path: target }],
      remove: ['remove', { path: target }],
      undo: ['undo', { path: target }],
      shell: ['shell', { command: target }],
      search: ['fs_search', { pattern: target }],
      codebase_search: ['sem_search', { queries: [target] }],
      sem_search: ['sem_search', { queries: [target] }],
      fetch: ['fetch', { url: target }],
      followup: ['followup', { question: target }],
      plan: ['plan', { plan_name: target }],
      skill: ['skill', { name: target }],
      task: ['task', { agent_id: target }],
      todo: ['todo_write', { todos: [] }],
      todo_write: ['todo_write', { todos: [] }],
      todo_read: ['todo_read', {}],
      mcp: [target, {}],
    }
    const [name, input] = tool[verb] ?? [`${verb} ${target}`, {}]
    return { operation: operationOf({ name, input }, null) }
  })
}

/** Trims a block and returns which of its operations are left, compared by identity. */
function trimmed(role: string, ops: readonly string[]): string[] {
  const contents = operations(ops)
  const block = trimBlock({ role, contents } as unknown as SummaryBlock)
  return block.contents.map((content) => ops[contents.indexOf(content)] as string)
}

const rolesByLetter: Record<string, string> = { U: 'user', A: 'assistant', S: 'system', T: 'tool' }

function textMessage(input: Json): Message {
  const blocks: Block[] = []
  if (typeof input.content === 'string') blocks.push({ type: 'text', text: input.content })
  for (const [key, value] of Object.entries(input)) {
    if (/reason|think/.test(key))
      for (const text of [value].flat()) blocks.push({ type: 'thinking', text: String(text) })
  }
  for (const text of (input.texts as string[] | undefined) ?? []) blocks.push({ type: 'text', text })
  for (const [name, args] of (input.calls as [string, string][] | undefined) ?? []) {
    blocks.push({ type: 'call', id: name, name, input: args })
  }
  for (let image = input.kind === 'image' ? 1 : Number(input.images ?? 0); image > 0; image--) {
    blocks.push({ type: 'image', mediaType: 'image/png', bytes: 0 })
  }
  const role = input.kind === 'tool' ? 'tool' : input.kind === 'image' ? 'user' : ((input.role as 'user') ?? 'user')
  return { role, line: 1, blocks }
}

/** All keys of the inputs of forge's cases; a case has those that its function needs. */
interface Input {
  readonly pattern: string
  readonly retain: number
  readonly tokens: readonly number[]
  readonly strategy: Json
  readonly eviction_window: number
  readonly retention_window: number
  readonly token_count: number
  readonly config: {
    readonly token_threshold?: number
    readonly turn_threshold?: number
    readonly message_threshold?: number
    readonly on_turn_end?: boolean
  }
  readonly token_threshold: number | null
  readonly token_threshold_percentage: number | null
  readonly context_window: number | null
  readonly messages: readonly Json[]
  readonly role: string
  readonly ops: readonly string[]
  readonly blocks: readonly (readonly [string, readonly string[]])[]
  readonly blocks_role_and_content_count: readonly (readonly [string, number])[]
  readonly range: readonly [number, number]
  readonly reasoning: Readonly<Record<string, string>>
  readonly usage_inside_total: readonly number[]
  readonly usage_inside_cost: readonly number[]
  readonly usage_outside_total: readonly number[]
  readonly usage_outside_cost: readonly number[]
  readonly preserve_last_n: number
  readonly message_threshold: number
  readonly original_messages: number
  readonly new_messages: number
}

/** A share of the tokens to evict, a count to retain, or the smaller or larger of two. */
function toFixed(list: readonly Kind[], tokens: readonly number[], strategy: Json): number {
  if ('evict' in strategy) return retainByEviction(list, tokens, Number(strategy.evict), sum(tokens))
  if ('retain' in strategy) return Number(strategy.retain)
  const [pick, parts] = 'min' in strategy ? [Math.min, strategy.min] : [Math.max, strategy.max]
  return pick(...(parts as Json[]).map((part) => toFixed(list, tokens, part)))
}

function compressed({ pattern, range: given, reasoning, ...usage }: Input): Json {
  if (usage.usage_inside_total) {
    const total = summaryUsage(usage.usage_inside_total)
    const cost = summaryUsage(usage.usage_inside_cost)
    return {
      summary_usage_total: total,
      summary_usage_cost: cost,
      context_usage_total: summaryUsage([total, ...usage.usage_outside_total]),
      context_usage_cost: summaryUsage([cost, ...usage.usage_outside_cost]),
    }
  }
  const { before, after } = compress(kinds(pattern), rangeOf(given))
  const letters = (indices: readonly number[]) => indices.map((index) => pattern[index]).join('')
  const result = `${letters(before)}U${letters(after)}`
  const firstAssistant = [...before, ...after].find((index) => 'at'.includes(pattern[index] as string))
  const of = (index: number): string | undefined => reasoning?.[index]
  const own = firstAssistant === undefined ? null : (of(firstAssistant) ?? null)
  return {
    result_pattern: result,
    result_len: result.length,
    droppable_left: [...result].filter((letter) => letter === 'd').length,
    first_assistant_reasoning: carriedReasoning(of, rangeOf(given), firstAssistant) ?? own,
  }
}

export const forge: Readonly<Record<string, (input: Input) => Json>> = {
  'head.eviction_range_retain': ({ pattern, retain }) => ranged(pattern, retain),
  'head.to_fixed': ({ pattern, tokens, strategy }) =>
    ranged(pattern, toFixed(kinds(pattern), tokens, strategy), tokens),
  'head.auto_strategy': ({ pattern, tokens, eviction_window, retention_window }) => {
    const evicted = retainByEviction(kinds(pattern), tokens, eviction_window, sum(tokens))
    return ranged(pattern, Math.min(evicted, retention_window), tokens)
  },
  'head.should_compact': ({ pattern, token_count, config }) => {
    const list = kinds(pattern)
    return {
      compact: shouldCompact(
        {
          ...(config.token_threshold === undefined ? {} : { tokens: config.token_threshold }),
          ...(config.turn_threshold === undefined ? {} : { turns: config.turn_threshold }),
          ...(config.message_threshold === undefined ? {} : { messages: config.message_threshold }),
          ...(config.on_turn_end === undefined ? {} : { onTurnEnd: config.on_turn_end }),
        },
        {
          tokens: token_count,
          turns: list.filter(isUser).length,
          messages: list.length,
          lastIsUser: isUser(list.at(-1)),
        },
      ),
    }
  },
  'head.effective_token_threshold': (input) => ({
    token_threshold: effectiveThreshold(input.token_threshold, input.token_threshold_percentage, input.context_window),
  }),
  'head.message_tokens_approx': (input) => ({ tokens: messageTokens(textMessage(input as unknown as Json)) }),
  'head.context_token_count': ({ messages }) => {
    const last = Number(messages.at(-1)?.usage_total ?? 0)
    return { ...contextTokens(last, () => sum(messages.map((message) => messageTokens(textMessage(message))))) }
  },
  'head.trim_summary_block': ({ role, ops }) => ({ ops: trimmed(role, ops) }),
  'head.trim_summary': ({ blocks }) => ({ blocks: blocks.map(([role, ops]) => [role, trimmed(role, ops)]) }),
  'head.dedupe_role_user': ({ blocks_role_and_content_count: counts }) => {
    const blocks = counts.map(([letter, count]) => ({
      role: (rolesByLetter[letter] ?? letter) as 'user',
      contents: Array.from({ length: count }, () => letter),
    }))
    const left = dedupeUsers(blocks).map(({ contents }) => [contents[0], contents.length])
    return { blocks_role_and_content_count: left }
  },
  'head.compress': compressed,
  'head.compact_fixture': (input) => {
    const range = evictionRange(kinds(input.pattern), input.retention_window)
    return { range: pair(range), ...(range ? compressed({ ...input, range: [range.start, range.end] }) : {}) }
  },
  'apr2025.find_sequence': ({ pattern, preserve_last_n }) => {
    const range = findSequence(kinds(pattern), preserve_last_n)
    return { range: pair(range), bracketed: bracketed(pattern, range) }
  },
  'plan.calculate_drop_boundary': ({ pattern }) => ({ boundary: dropBoundary(kinds(pattern)) }),
  'plan.drop_oldest_literal': ({ pattern, message_threshold }) => droppedLiterally(pattern, message_threshold),
  'plan.drop_turns_intent': ({ pattern, message_threshold }) => {
    const kept = turnsLeft(pattern, message_threshold)
    return { kept, dropped: pattern.length - kept.length, still_over: isOver(kept.length, message_threshold) }
  },
  'plan.intended_tests': ({ pattern, message_threshold }) => {
    const kept = turnsLeft(pattern, message_threshold)
    return { kept, kept_len: kept.length, first_non_system: [...kept].find((kind) => kind !== 's') }
  },
  'pr616.adjust_range': ({ pattern, range }) => ({ range: pair(adjustRange(kinds(pattern), rangeOf(range))) }),
  'pr616.sliding_window': ({ pattern, retention_window }) => ({
    kept_indices: slidingWindow(kinds(pattern), retention_window),
  }),
  'pr616.accept_if_reduced_by_more_than_20pct': ({ original_messages, new_messages }) => ({
    accept: isSignificant(original_messages, new_messages),
  }),
}

/**
 * The reasoning that moves to the first assistant message left, so that a provider which wants one there finds it: the
 * last of the range. Null where that message has its own. No request body of ours carries reasoning, so it costs nothing.
 */
function carriedReasoning(
  reasoning: (index: number) => string | undefined,
  { start, end }: Range,
  firstAssistant: number | undefined,
): string | null {
  if (firstAssistant === undefined || reasoning(firstAssistant)) return null
  for (let index = end; index >= start; index--) {
    const text = reasoning(index)
    if (text) return text
  }
  return null
}
