/**
 * Turns the providers' recorded token counts into canonical usage. A recorded count that is invalid (text, a fraction, a
 * negative number) becomes NaN, and so does every sum with it. The transcript's writer leaves such usage out and reports
 * its line, in one place for all readers.
 */
import type { BesideUsage, Message, Usage } from '../../model/message.ts'
import type { PriceTerm } from '../../model/price-terms.ts'
import { objectOf, stringOf } from './blocks.ts'
import { both, keys, listOf, optional, which } from './shape.ts'

/**
 * Ten times the largest context window on the market (10 M tokens, Llama 4 Scout). No request has more; such a count
 * would become a preamble of that size.
 */
const mostTokens = 1e8

/** Whether a provider can have counted this for one request. Tokens read from the cache are part of the input. */
export function isSound({ input, cacheRead, cacheWrite, cacheWrite1h, output }: Usage): boolean {
  const counts = [input, cacheRead, cacheWrite, cacheWrite1h, output]
  return counts.every((count) => count >= 0 && count <= mostTokens) && cacheRead <= input && cacheWrite1h <= cacheWrite
}

/** The message without usage that is not sound. */
export function withSoundUsage<Given extends Message>(message: Given): Omit<Given, 'usage'> & Pick<Message, 'usage'> {
  if (!message.usage || isSound(message.usage)) return message
  const { usage: _, ...rest } = message
  return rest
}

/** The counts that every provider gives, in each of its forms. */
const counts = [
  ['prompt_tokens', 'completion_tokens'],
  ['input_tokens', 'output_tokens'],
  ['inputTokens', 'outputTokens'],
] as const

const known = Object.fromEntries(counts.flat().map((name) => [name, 'any?'] as const))

const detailsShape = optional(keys({ cached_tokens: 'amount?', cache_read: 'amount?', cache_creation: 'amount?' }))

const cachedCounts = { cache_read_input_tokens: 'amount?', cache_creation_input_tokens: 'amount?' } as const

/** What divides one of these counts, and the calls that a response took: an invalid count would make their sum differ. */
const partsShape = keys({
  ...known,
  prompt_tokens_details: detailsShape,
  input_tokens_details: detailsShape,
  input_token_details: detailsShape,
  cache_creation: optional(keys({ ephemeral_1h_input_tokens: 'amount?', ephemeral_5m_input_tokens: 'any?' })),
  ...cachedCounts,
  // What DeepSeek tells in the details, too.
  prompt_cache_hit_tokens: 'any?',
  prompt_cache_miss_tokens: 'any?',
  iterations: optional(
    listOf(keys({ type: 'string', input_tokens: 'number', output_tokens: 'number', ...cachedCounts })),
  ),
})

const camelCaseShape = keys({
  ...known,
  cacheReadTokens: 'amount?',
  cacheReadInputTokens: 'any?',
  cacheWriteTokens: 'amount?',
  cacheWriteInputTokens: 'any?',
})

/** What recorded usage must hold. Whether a count is valid is checked where the usage is written. */
export const usageShape = both(
  (value) => {
    const usage = objectOf(value)
    if (!usage) return ''
    const lacks = (key: string): boolean => usage[key] === undefined || usage[key] === null
    const form = counts.find((keys) => !keys.every(lacks)) ?? counts[0]
    return form.find(lacks) ?? null
  },
  which(
    (usage) => (objectOf(usage)?.inputTokens === undefined ? partsShape : camelCaseShape),
    [partsShape, camelCaseShape],
  ),
)

/** @returns undefined if there is no count of input tokens */
export function usageOf(value: unknown): Usage | undefined {
  const usage = objectOf(value)
  return usage && (openaiUsage(usage) ?? detailedUsage(usage) ?? withSearches(usage) ?? camelCaseUsage(usage))
}

type Counts = Readonly<Record<string, unknown>>

/** OpenAI Chat Completions and compatible APIs: cached tokens are part of `prompt_tokens`. */
function openaiUsage(usage: Counts): Usage | undefined {
  const input = tokens(usage.prompt_tokens)
  if (input === undefined) return undefined
  return {
    input,
    cacheRead: tokens(objectOf(usage.prompt_tokens_details)?.cached_tokens) ?? 0,
    cacheWrite: tokens(usage.cache_creation_input_tokens) ?? 0,
    cacheWrite1h: 0,
    output: tokens(usage.completion_tokens) ?? 0,
  }
}

/** OpenAI's Responses API, and LangChain: cached tokens are part of `input_tokens`, and counted again in details. */
function detailedUsage(usage: Counts): Usage | undefined {
  const input = tokens(usage.input_tokens)
  const details = objectOf(usage.input_tokens_details) ?? objectOf(usage.input_token_details)
  if (input === undefined || !details) return undefined
  return {
    input,
    cacheRead: tokens(details.cached_tokens ?? details.cache_read) ?? 0,
    cacheWrite: tokens(details.cache_creation) ?? 0,
    cacheWrite1h: 0,
    output: tokens(usage.output_tokens) ?? 0,
  }
}

/** Each search has a fee. How many there were is told of the whole response. */
function withSearches(usage: Counts): Usage | undefined {
  const counted = anthropicUsage(usage)
  const calls = searchesIn(usage)
  if (!counted || calls === 0) return counted
  return { ...counted, beside: [...(counted.beside ?? []), { kind: 'search', usage: noTokens, model: null, calls }] }
}

const noTokens: BesideUsage['usage'] = { input: 0, cacheRead: 0, cacheWrite: 0, cacheWrite1h: 0, output: 0 }

function searchesIn({ server_tool_use }: Counts): number {
  const calls = tokens(objectOf(server_tool_use)?.web_search_requests) ?? 0
  return calls <= mostSearches ? calls : 0
}

/** More than any response was seen to have by a hundred times: a count beyond it is none. */
const mostSearches = 10_000

/**
 * Anthropic Messages. One response may take several calls, told in `iterations`: the model goes on behind a tool that the
 * provider runs (`message`), asks another model (`advisor_message`), or summarises first (`compaction`). The counts of the
 * whole are the sum of the model's own calls, and no window ever held so much. So the first of these calls is taken for the
 * request.
 */
function anthropicUsage(usage: Counts): Usage | undefined {
  const whole = anthropicCounts(usage)
  if (!whole || !Array.isArray(usage.iterations) || usage.iterations.length === 0) return whole
  const calls = usage.iterations.flatMap((value: unknown): Iteration[] => {
    const call = objectOf(value)
    const counts = call && anthropicCounts(call)
    return counts ? [{ type: call.type, model: stringOf(call.model) ?? null, counts }] : []
  })
  const isNothing = whole.input === 0 && whole.output === 0
  const [only] = calls
  if (calls.length === 1 && only?.type === 'message' && !isNothing) return whole
  const own = calls.filter(({ type }) => type === 'message')
  const inside = [own, calls.filter(({ type }) => type !== 'advisor_message')].find(
    (part) => isNothing || sumOf(part, 'input') === whole.input,
  )
  const [first] = own
  const told = inside === undefined || first === undefined ? null : first
  const others = calls.filter((call) => call !== told && (told !== null || call.type === 'advisor_message'))
  const { terms } = whole
  return {
    ...(told?.counts ?? whole),
    // They are told of the whole response.
    ...(terms && { terms }),
    // The output of all its calls is one message.
    output: isNothing ? sumOf(own, 'output') : whole.output,
    ...(others.length > 0 && { beside: others.map(besideOf) }),
  }
}

interface Iteration {
  readonly type: unknown
  readonly model: string | null
  readonly counts: Usage
}

function sumOf(calls: readonly Iteration[], count: 'input' | 'output'): number {
  return calls.reduce((sum, { counts }) => sum + counts[count], 0)
}

function besideOf({ type, model, counts }: Iteration): BesideUsage {
  if (type === 'advisor_message') return { kind: 'advice', usage: counts, model }
  if (type === 'compaction') return { kind: 'summary', usage: counts, model }
  return { kind: 'continued', usage: type === 'message' ? { ...counts, output: 0 } : counts, model }
}

/** Cached tokens are counted beside `input_tokens`. */
function anthropicCounts(usage: Counts): Usage | undefined {
  const input = tokens(usage.input_tokens)
  if (input === undefined) return undefined
  const cacheRead = tokens(usage.cache_read_input_tokens) ?? 0
  const cacheWrite = tokens(usage.cache_creation_input_tokens) ?? 0
  return {
    input: input + cacheRead + cacheWrite,
    cacheRead,
    cacheWrite,
    cacheWrite1h: tokens(objectOf(usage.cache_creation)?.ephemeral_1h_input_tokens) ?? 0,
    output: tokens(usage.output_tokens) ?? 0,
    ...termsIn(usage),
  }
}

/** The terms that change the price; nothing for the usual terms, and for unknown ones. */
function termsIn(usage: Counts): Pick<Usage, 'terms'> {
  const { speed, inference_geo, service_tier } = usage
  const terms: PriceTerm[] = []
  if (speed === 'fast') terms.push('fast')
  if (inference_geo === 'us') terms.push('us')
  const tier = tierOf(service_tier)
  if (tier) terms.push(tier)
  if (searchesIn(usage) > 0) terms.push('search')
  return terms.length > 0 ? { terms } : {}
}

/**
 * Service tiers by the names that responses have for them. OpenAI calls its priority tier `fast` since 2026-07-30, and accepts
 * both names.
 */
const tiers: ReadonlyMap<unknown, PriceTerm> = new Map([
  ['priority', 'priority'],
  ['fast', 'priority'],
  ['batch', 'batch'],
  ['flex', 'flex'],
  ['scale', 'scale'],
  ['provisioned_throughput', 'scale'],
])

/** @param name as in `service_tier` (`flex`, `SERVICE_TIER_FLEX`) or Vertex AI's `trafficType` (`ON_DEMAND_FLEX`); undefined for the usual tier, and for unknown ones */
function tierOf(name: unknown): PriceTerm | undefined {
  return typeof name === 'string'
    ? tiers.get(name.toLowerCase().replace(/^(?:service_tier|on_demand)_/, ''))
    : undefined
}

/** Usage at the service tier that is told beside it: of the response (OpenAI), of the session (Codex), or among Google's counts. */
export function atTier(usage: Usage, name: unknown): Usage
export function atTier(usage: Usage | undefined, name: unknown): Usage | undefined
export function atTier(usage: Usage | undefined, name: unknown): Usage | undefined {
  const tier = tierOf(name)
  if (!usage || !tier || usage.terms?.includes(tier)) return usage
  return { ...usage, terms: [...(usage.terms ?? []), tier] }
}

/** Cline's `metrics`, and Bedrock's Converse API: Anthropic's counts under other names. */
function camelCaseUsage(usage: Counts): Usage | undefined {
  const input = tokens(usage.inputTokens)
  if (input === undefined) return undefined
  const cacheRead = tokens(usage.cacheReadTokens ?? usage.cacheReadInputTokens) ?? 0
  const cacheWrite = tokens(usage.cacheWriteTokens ?? usage.cacheWriteInputTokens) ?? 0
  return {
    input: input + cacheRead + cacheWrite,
    cacheRead,
    cacheWrite,
    cacheWrite1h: 0,
    output: tokens(usage.outputTokens) ?? 0,
  }
}

/**
 * The counts of Inspect, which has one name for what every provider counts its own way: cached tokens are beside the input,
 * unless the total shows that they are part of it.
 */
export function inspectUsage(value: unknown): Usage | undefined {
  const usage = objectOf(value)
  const input = tokens(usage?.input_tokens)
  if (input === undefined) return undefined
  const cacheRead = tokens(usage?.input_tokens_cache_read) ?? 0
  const cacheWrite = tokens(usage?.input_tokens_cache_write) ?? 0
  const output = tokens(usage?.output_tokens) ?? 0
  const within = usage?.total_tokens === input + output
  return { input: within ? input : input + cacheRead + cacheWrite, cacheRead, cacheWrite, cacheWrite1h: 0, output }
}

/**
 * The counts of pi's responses: cached tokens are counted beside `input`; those written for an hour are part of the written ones.
 *
 * @returns undefined also if all counts are zero: pi writes that for a request that was never answered
 */
export function piUsage(value: unknown): Usage | undefined {
  const usage = objectOf(value)
  const cacheRead = tokens(usage?.cacheRead) ?? 0
  const cacheWrite = tokens(usage?.cacheWrite) ?? 0
  const input = (tokens(usage?.input) ?? 0) + cacheRead + cacheWrite
  const output = tokens(usage?.output) ?? 0
  if (input + output === 0) return undefined
  const hour = tokens(usage?.cacheWrite1h) ?? tokens(objectOf(usage?.cttl)?.ephemeral1h) ?? 0
  const cacheWrite1h = Math.min(cacheWrite, hour)
  return { input, cacheRead, cacheWrite, cacheWrite1h, output, ...costIn(objectOf(usage?.cost)?.total) }
}

/** What a program says that a call cost, in US dollars; nothing where it says no amount. */
export function costIn(value: unknown): Pick<Usage, 'cost'> {
  return typeof value === 'number' && value >= 0 && value < Infinity ? { cost: value } : {}
}

/** @returns undefined for a missing value, NaN for one that is not a count */
export function tokens(value: unknown): number | undefined {
  if (value === undefined || value === null) return undefined
  return Number.isSafeInteger(value) && (value as number) >= 0 ? (value as number) : Number.NaN
}
