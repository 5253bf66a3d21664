/**
 * Turns the providers' recorded token counts into canonical usage. A recorded count that is invalid (text, a fraction, a
 * negative number) becomes NaN, and so does every sum with it. The transcript's writer leaves such usage out and reports
 * its line, in one place for all readers.
 */

import { objectOf, stringOf } from '../../base/json.ts'
import type { BesideUsage, Message, Usage } from '../../model/message.ts'
import type { PriceTerm } from '../../model/price-terms.ts'
import { both, keys, listOf, optional } from './shape.ts'
import { anthropicKeys, telling, type UsageKeys } from './usage-keys.ts'

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

/** An invalid count of a call would make their sum differ. */
const callsShape = keys({
  iterations: optional(
    listOf(
      keys({
        type: 'string',
        input_tokens: 'number',
        output_tokens: 'number',
        cache_read_input_tokens: 'number?',
        cache_creation_input_tokens: 'number?',
      }),
    ),
  ),
})

/** What recorded usage must hold. Whether a count is valid is checked where the usage is written, and what nobody reads is named there. */
export const usageShape = both((value) => {
  const usage = objectOf(value)
  if (!usage) return ''
  return lackIn(telling.find((keys) => isCounted(keys, usage)) ?? (telling[0] as UsageKeys), usage)
}, callsShape)

/** Whether there is a count of input or output. */
export const isCounted = ({ input, output }: UsageKeys, usage: Counts): boolean =>
  [...input, ...output].some((path) => isThere(valueAt(usage, path)))

/** The count that is missing, of input or of output. */
export function lackIn({ input, output }: UsageKeys, usage: Counts): string | null {
  const lacking = [input, output].find((paths) => !paths.some((path) => isThere(valueAt(usage, path))))
  return lacking?.[0] ?? null
}

/** @returns undefined if there is no count of input tokens */
export function usageOf(value: unknown): Usage | undefined {
  const usage = objectOf(value)
  const own = usage && telling.find((keys) => isBy(keys, usage))
  if (!usage || !own) return undefined
  return own === anthropicKeys ? withSearches(usage) : usageBy(own, usage)
}

type Counts = Readonly<Record<string, unknown>>

function isBy({ input, by }: UsageKeys, usage: Counts): boolean {
  if (by && !by.some((path) => isThere(valueAt(usage, path)))) return false
  return input.some((path) => countAt(usage, path) !== undefined)
}

const isThere = (value: unknown): boolean => value !== undefined && value !== null && !Number.isNaN(value)

/**
 * The counts that stand under these keys.
 *
 * @returns undefined if there is none of input tokens
 */
export function usageBy(keys: UsageKeys, value: unknown): Usage | undefined {
  const usage = objectOf(value)
  const told = usage && firstOf(keys.input, usage)
  if (!usage || told === undefined) return undefined
  const count = (paths: readonly string[] | undefined): number => firstOf(paths ?? [], usage) ?? 0
  const [answered, cacheRead, cacheWrite] = [count(keys.output), count(keys.read), count(keys.write)]
  const cached = cacheRead + cacheWrite
  const [moreInput, moreOutput, total] = [count(keys.moreInput), count(keys.moreOutput), count(keys.total)]
  const isWhole = total > 0 && total === told + answered
  const isBeside =
    total > 0 && total === told + answered + moreInput + moreOutput + cached
      ? true
      : keys.cached === 'fitting'
        ? cached > told
        : keys.cached === 'beside'
  const unread = unreadIn(keys, usage)
  return {
    input: isWhole ? told : told + moreInput + (isBeside ? cached : 0),
    cacheRead,
    cacheWrite,
    cacheWrite1h: count(keys.write1h),
    output: isWhole ? answered : answered + moreOutput,
    ...costBy(keys, usage),
    ...(unread.length > 0 && { unread }),
  }
}

const kindsOfTokens = ['input', 'cacheRead', 'cacheWrite', 'output'] as const

/** The usage of which each kind of tokens is counted so; nothing says how much was written for an hour. */
export function usageOfEach(count: (kind: (typeof kindsOfTokens)[number]) => number): Usage {
  const [input, cacheRead, cacheWrite, output] = kindsOfTokens.map(count) as [number, number, number, number]
  return { input, cacheRead, cacheWrite, cacheWrite1h: 0, output }
}

/** Where each kind of tokens is counted; the cache's are part of `input`, or stand beside it. */
type Counted = Readonly<Record<(typeof kindsOfTokens)[number], string>> & { readonly isBeside: boolean }

/** What is counted under these keys; a count that is missing is none. */
export function usageAt(counts: Counts, keys: Counted): Usage {
  const usage = usageOfEach((kind) => tokens(counts[keys[kind]]) ?? 0)
  return keys.isBeside ? { ...usage, input: usage.input + usage.cacheRead + usage.cacheWrite } : usage
}

/** What is left of a usage without a part of it that was counted before. */
export function usageBeyond(whole: Usage, part: Usage): Usage {
  return usageOfEach((kind) => Math.max(0, whole[kind] - part[kind]))
}

/** Undefined where no input is counted: some programs write that for a request that was never answered. */
export function withInput(usage: Usage | undefined): Usage | undefined {
  return usage?.input === 0 ? undefined : usage
}

/** With a key of one's own, OpenRouter takes a fee, and the provider the rest. */
function costBy({ cost, nanoAiu }: UsageKeys, usage: Counts): Pick<Usage, 'cost'> {
  const found = cost?.map((path) => valueAt(usage, path)).find(isThere)
  const upstream = usage.is_byok === true ? valueAt(usage, 'cost_details.upstream_inference_cost') : undefined
  if (typeof found === 'number' && typeof upstream === 'number') return costIn(found + upstream)
  if (found !== undefined) return costIn(found)
  const units = nanoAiu?.map((path) => valueAt(usage, path)).find(isThere)
  return typeof units === 'number' ? costIn(units / nanoAiuInDollar) : {}
}

/** A unit of Copilot's is a cent. */
export const nanoAiuInDollar = 1e11

/** Of several keys for the same, one may say 0 where another counts. */
function firstOf(paths: readonly string[], usage: Counts): number | undefined {
  const found = paths.map((path) => countAt(usage, path)).filter((count) => count !== undefined)
  return found.find((count) => count > 0) ?? found.find(Number.isNaN) ?? found[0]
}

function countAt(usage: Counts, path: string): number | undefined {
  const terms = path.split(' + ').flatMap((term) => (term.endsWith('*') ? keysLike(term, usage) : [term]))
  const found = terms.map((term) => tokens(valueAt(usage, term))).filter((count) => count !== undefined)
  return found.length === 0 ? undefined : found.reduce((sum, count) => sum + count, 0)
}

function keysLike(pattern: string, usage: Counts): string[] {
  return Object.keys(usage).filter((key) => key.startsWith(pattern.slice(0, -1)))
}

/** @returns NaN where the path leads through what is no object */
function valueAt(value: unknown, path: string): unknown {
  if (value === undefined || value === null) return undefined
  const held = membersOf(value)
  if (!held) return Number.NaN
  if (Object.hasOwn(held, path)) return held[path]
  const dot = path.indexOf('.')
  return dot === -1 ? undefined : valueAt(held[path.slice(0, dot)], path.slice(dot + 1))
}

/** What stands in an object, or in a list of objects by what they go by. */
function membersOf(value: unknown): Counts | undefined {
  if (!Array.isArray(value)) return objectOf(value)
  const items = value.map(objectOf).filter((item) => item !== undefined)
  if (items.length < value.length) return undefined
  return Object.fromEntries(
    items.map((item) => [stringOf(item.ttl ?? item.type ?? item.token_type ?? item.tokenType) ?? '', item]),
  )
}

/** The paths of counts that none of these keys stands for, and of a cost that is no amount. */
function unreadIn(keys: UsageKeys, usage: Counts): string[] {
  const knows = knownBy(keys)
  const unread: string[] = []
  const look = (value: unknown, path: string, depth: number): void => {
    if (typeof value === 'number') {
      if (value > 0 && !knows(path) && !isTime.test(path)) unread.push(path)
      return
    }
    const held = depth < deepest ? membersOf(value) : undefined
    for (const key in held) look(held[key], path === '' ? key : `${path}.${key}`, depth + 1)
  }
  look(usage, '', 0)
  const costs = (keys.cost ?? []).filter((path) => isThere(valueAt(usage, path)))
  return costs.length > 0 && costBy(keys, usage).cost === undefined ? [...unread, ...costs] : unread
}

/** How long something took stands among the counts of several writers. */
const isTime = /time|duration|latency|ms$/i

/** No writer nests its counts so deep. */
const deepest = 4

const known = new WeakMap<UsageKeys, (path: string) => boolean>()

/** Whether a path is one of these keys. */
function knownBy(keys: UsageKeys): (path: string) => boolean {
  const found = known.get(keys)
  if (found) return found
  const { by: _, cached: _how, ...paths } = keys
  const all = Object.values(paths)
    .flat()
    .flatMap((path) => path.split(' + '))
  const [exact, parts] = [new Set(all), all.filter((path) => path.endsWith('*'))]
  const knows = (path: string): boolean =>
    exact.has(path) ||
    parts.some((part) => path.startsWith(part.replace(/\*+$/, '')) && (part.endsWith('**') || !/cache/i.test(path)))
  known.set(keys, knows)
  return knows
}

/** Each search has a fee. How many there were is told of the whole response. */
function withSearches(usage: Counts): Usage | undefined {
  const counted = anthropicUsage(usage)
  const calls = searchesIn(usage)
  if (!counted || calls === 0) return counted
  return { ...counted, beside: [...(counted.beside ?? []), { kind: 'search', usage: noTokens, model: null, calls }] }
}

export const noTokens: BesideUsage['usage'] = { input: 0, cacheRead: 0, cacheWrite: 0, cacheWrite1h: 0, output: 0 }

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

function anthropicCounts(usage: Counts): Usage | undefined {
  const counted = usageBy(anthropicKeys, usage)
  return counted && { ...counted, ...termsIn(usage) }
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
