/** Finds the model that a transcript names, and its rates and cache rule. */
import { builtinModels } from './models.data.ts'
import type { CacheRule, ModelInfo, ModelTable, Price, PriceTier, TermRule } from './table.ts'

export { builtinModels }

/**
 * Programs decorate a model's name: a router or cloud region in front, a date or revision at the end. Only these are
 * removed, and the rest must be a name in the table. A mere prefix never matches: it would bill claude-sonnet-5-5 as
 * claude-sonnet-5. Hosts with prices of their own (groq/, together_ai/, fireworks_ai/) are not routers, and variants
 * (":free", ":batch") differ in price, so those names stay unknown.
 */
const decorations: readonly { readonly what: RegExp; readonly becomes: string }[] = [
  // openrouter/anthropic/claude-opus-4.5, litellm_proxy/gpt-4o, models/gemini-2.5-pro
  {
    what: /^(?:(?:openrouter|litellm_proxy|github_copilot|azure|azure_ai|bedrock|converse|vertex_ai|gemini|models|anthropic|openai|google|xai|x-ai|deepseek|moonshot|moonshotai|minimax|zai|z-ai|mistral|mistralai|meta-llama|qwen)\/)+/,
    becomes: '',
  },
  // Bedrock's profiles of a region; one of the user's own says nothing of its model
  { what: /^arn:aws[a-z-]*:bedrock:[\w-]*:\d*:(?:inference-profile|foundation-model)\//, becomes: '' },
  // claude-sonnet-4-5[1m]: Claude Code's word for a long window, which costs nothing by itself
  { what: /\[1m\]$/, becomes: '' },
  // us.anthropic.claude-sonnet-4-5-20250929-v1:0: Bedrock's region and vendor, then its revision
  { what: /^(?:(?:us|us-gov|eu|apac|au|in|jp|global)\.)?anthropic\.(?=claude-)/, becomes: '' },
  { what: /(?<=^claude-.*\d)-v\d+(?::\d+)?$/, becomes: '' },
  // claude-opus-4-5-20251101, claude-sonnet-4@20250514 (Vertex), gpt-5-2025-08-07
  { what: /[-@](?:20\d{6}|20\d\d-\d\d-\d\d)$/, becomes: '' },
  // claude-3-5-sonnet-v2@20241022: Vertex has the revision before the date
  { what: /(?<=^claude-.*\D)-v\d+$/, becomes: '' },
  // claude-opus-4.5: Copilot and OpenRouter write the version with a dot
  { what: /(?<=^claude-.*\d)\.(?=\d)/g, becomes: '-' },
]

/** Names come from transcripts and may be hostile: the lookbehinds above take time quadratic in a name's length. */
const longestName = 200

const indexes = new WeakMap<ModelTable, ReadonlyMap<string, ModelInfo>>()

function indexOf(table: ModelTable): ReadonlyMap<string, ModelInfo> {
  let index = indexes.get(table)
  if (index === undefined) {
    index = new Map(table.models.flatMap((model) => [model.id, ...(model.aliases ?? [])].map((name) => [name, model])))
    indexes.set(table, index)
  }
  return index
}

/** A name by which Bedrock keeps a request in a region. */
const regional = /^(?:us|us-gov|eu|apac|au|in|jp)\.anthropic\./

/** What a name says besides which model it is. */
interface Said {
  readonly isRegional: boolean
  readonly isLong: boolean
}

/** In tokens: what `[1m]` stands for. */
const longWindow = 1_000_000

/** By what a name says, one for all names that say the same: rates are known by the price they are of. */
const variants = new WeakMap<ModelTable, Map<string, ModelInfo>>()

function variantOf(model: ModelInfo, { isRegional, isLong }: Said, table: ModelTable): ModelInfo {
  const factor = (isRegional && termRuleOf(model, table)?.regional) || 1
  if (factor === 1 && !isLong) return model
  const known = variants.get(table) ?? new Map<string, ModelInfo>()
  variants.set(table, known)
  const key = `${model.id} ${factor} ${isLong}`
  const { price, formerPrices } = model
  const variant = known.get(key) ?? {
    ...model,
    ...(isLong && { contextWindow: longWindow }),
    ...(price && { price: multiplied(price, factor) }),
    ...(formerPrices && { formerPrices: formerPrices.map((one) => multiplied(one, factor)) }),
  }
  known.set(key, variant)
  return variant
}

function multiplied<P extends Price & { readonly tiers?: readonly PriceTier[] }>(price: P, factor: number): P {
  const { input, output, cacheRead, cacheWrite, cacheWrite1h, tiers } = price
  const kinds = Object.entries({ input, output, cacheRead, cacheWrite, cacheWrite1h })
  const each = kinds.flatMap(([kind, usd]) => (usd === undefined ? [] : [[kind, times(usd, factor)]]))
  return {
    ...price,
    ...Object.fromEntries(each),
    ...(tiers && { tiers: tiers.map((tier) => multiplied(tier, factor)) }),
  }
}

/** A price as a list would have it: 27.5, and not 27.500000000000004. */
const times = (usd: number, factor: number): number => Number((usd * factor).toPrecision(12))

export function termRuleOf(model: ModelInfo, table: ModelTable): TermRule | undefined {
  return table.termRules?.find(({ id }) => id === model.terms)
}

/**
 * The model of that name, or undefined: never a guess. Case is ignored. The name as written is looked up first, then
 * without its decorations.
 */
export function lookupModel(name: string, table: ModelTable = builtinModels): ModelInfo | undefined {
  if (typeof name !== 'string' || name.length > longestName) return undefined
  const index = indexOf(table)
  let spelling = name.trim().toLowerCase()
  let model = index.get(spelling)
  let [isRegional, isLong] = [false, false]
  for (const { what, becomes } of decorations) {
    if (model !== undefined) break
    isRegional ||= regional.test(spelling)
    isLong ||= spelling.endsWith('[1m]')
    spelling = spelling.replace(what, becomes)
    model = index.get(spelling)
  }
  return model && variantOf(model, { isRegional, isLong }, table)
}

export function cacheRuleOf(model: ModelInfo, table: ModelTable = builtinModels): CacheRule | undefined {
  return table.cacheRules.find((rule) => rule.id === model.cache)
}

/**
 * The listed price of a request with `inputTokens` tokens of input (cached ones included): that of its time, and of the
 * tier for its length. Undefined if the model's price is unknown.
 * @param time milliseconds since the epoch; NaN, if it is not known, gives today's price
 */
export function priceFor(model: ModelInfo, inputTokens: number, time = Number.NaN): Price | undefined {
  const price = model.formerPrices?.find(({ until }) => time < Date.parse(until)) ?? model.price
  return price?.tiers?.findLast((tier) => inputTokens > tier.above) ?? price
}

/**
 * The price as rates in US dollars per million tokens: what the lists lack is filled in with the cache rule's multipliers.
 * Without a cache rule, cached tokens cost the same as others. Undefined if the model's price is unknown.
 * @param time as for `priceFor`
 */
export function ratesFor(
  model: ModelInfo,
  inputTokens: number,
  table: ModelTable = builtinModels,
  time = Number.NaN,
): Required<Price> | undefined {
  const price = priceFor(model, inputTokens, time)
  if (price === undefined) return undefined
  const { input, output, ...cached } = price
  const rule = cacheRuleOf(model, table)
  const cacheWrite = cached.cacheWrite ?? times(input, rule?.write ?? 1)
  return {
    input,
    output,
    cacheRead: cached.cacheRead ?? times(input, rule?.read ?? 1),
    cacheWrite,
    cacheWrite1h: cached.cacheWrite1h ?? (rule?.write1h === undefined ? cacheWrite : times(input, rule.write1h)),
  }
}

/**
 * Context windows by a part of the model's name, as in duragent 0.5.4 (`default_context_window` in agent/spec_eval.rs):
 * the first pattern found in the lower-cased name decides. These are guesses, partly outdated (today's Claude models have
 * a million), so only the duragent policies use them, nothing that reports a model's real window.
 */
const windowsByName: readonly (readonly [pattern: string, window: number])[] = [
  ['claude', 200_000],
  ['gpt-5', 400_000],
  ['gpt-4.1', 1_000_000],
  ['gpt-4o', 128_000],
  ['gpt-4-turbo', 128_000],
  ['gpt-4', 128_000],
  ['gemini', 1_000_000],
  ['grok-4', 2_000_000],
  ['grok', 131_072],
  ['deepseek-v3', 163_840],
  ['deepseek-chat-v3', 163_840],
  ['deepseek', 128_000],
  ['qwen3', 131_072],
  ['qwen', 128_000],
  ['llama-4', 327_680],
  ['llama', 128_000],
  ['mistral-large', 262_144],
  ['mistral', 128_000],
  ['mixtral', 128_000],
]

/** @returns the window in tokens and the pattern it is from; 128000 and null if no pattern is in the name */
export function windowByName(name: string): { readonly window: number; readonly rule: string | null } {
  const lower = name.toLowerCase()
  const [rule, window] = windowsByName.find(([pattern]) => lower.includes(pattern)) ?? [null, 128_000]
  return { window, rule }
}
