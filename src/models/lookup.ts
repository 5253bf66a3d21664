import { builtinModels } from './models.data.ts'
import type { CacheRule, ModelInfo, ModelTable, Price } from './table.ts'

export { builtinModels }

/**
 * Recorders decorate a model's name: a router in front, a cloud region, a date or a revision behind. Only these are taken
 * off, and what is left must be a name the table has. No prefix ever matches: that is how claude-sonnet-5-5 gets billed
 * as claude-sonnet-5. Hosts with prices of their own (groq/, together_ai/, fireworks_ai/) are not routers, and variants
 * (":free", ":batch", "[1m]") differ in price or window, so those names stay unknown.
 */
const decorations: readonly { readonly what: RegExp; readonly becomes: string }[] = [
  // openrouter/anthropic/claude-opus-4.5, litellm_proxy/gpt-4o, models/gemini-2.5-pro
  {
    what: /^(?:(?:openrouter|litellm_proxy|github_copilot|azure|azure_ai|bedrock|converse|vertex_ai|gemini|models|anthropic|openai|google|xai|x-ai|deepseek|moonshot|moonshotai|minimax|zai|z-ai|mistral|mistralai|meta-llama|qwen)\/)+/,
    becomes: '',
  },
  // us.anthropic.claude-sonnet-4-5-20250929-v1:0: Bedrock's region and vendor, then its revision
  { what: /^(?:(?:us|us-gov|eu|apac|au|jp|global)\.)?anthropic\.(?=claude-)/, becomes: '' },
  { what: /(?<=^claude-.*\d)-v\d+(?::\d+)?$/, becomes: '' },
  // claude-opus-4-5-20251101, claude-sonnet-4@20250514 (Vertex), gpt-5-2025-08-07
  { what: /[-@](?:20\d{6}|20\d\d-\d\d-\d\d)$/, becomes: '' },
  // claude-3-5-sonnet-v2@20241022: Vertex has the revision before the date
  { what: /(?<=^claude-.*\D)-v\d+$/, becomes: '' },
  // claude-opus-4.5: Copilot and OpenRouter write the version with a dot
  { what: /(?<=^claude-.*\d)\.(?=\d)/g, becomes: '-' },
]

/** Names are a transcript's, so hostile; the patterns above look back and would take a time quadratic in the length. */
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

/** The model a transcript names, or undefined: never a guess. Case is ignored; the name as written wins over an undecorated one. */
export function lookupModel(name: string, table: ModelTable = builtinModels): ModelInfo | undefined {
  if (name.length > longestName) return undefined
  const index = indexOf(table)
  let spelling = name.trim().toLowerCase()
  let model = index.get(spelling)
  for (const { what, becomes } of decorations) {
    if (model !== undefined) break
    spelling = spelling.replace(what, becomes)
    model = index.get(spelling)
  }
  return model
}

export function cacheRuleOf(model: ModelInfo, table: ModelTable = builtinModels): CacheRule | undefined {
  return table.cacheRules.find((rule) => rule.id === model.cache)
}

/**
 * What a model lists for a request with `inputTokens` tokens of input in all (cached ones included): the price of its
 * time, and the tier that its length falls in. Undefined where the model's price is unknown.
 * @param time milliseconds since the epoch; today's price where that is not known
 */
export function priceFor(model: ModelInfo, inputTokens: number, time = Number.NaN): Price | undefined {
  const price = model.formerPrices?.find(({ until }) => time < Date.parse(until)) ?? model.price
  return price?.tiers?.findLast((tier) => inputTokens > tier.above) ?? price
}

/**
 * US dollars per million tokens, with prices the lists lack filled in by the cache rule's multipliers. Undefined where
 * the model's price is unknown. Without a cache rule nothing is cheaper or dearer for being cached.
 * @param time as of `priceFor`
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
  const cacheWrite = cached.cacheWrite ?? input * (rule?.write ?? 1)
  return {
    input,
    output,
    cacheRead: cached.cacheRead ?? input * (rule?.read ?? 1),
    cacheWrite,
    cacheWrite1h: cached.cacheWrite1h ?? (rule?.write1h === undefined ? cacheWrite : input * rule.write1h),
  }
}

/**
 * Windows by a part of the name, as duragent 0.5.4 has them (`default_context_window` in agent/spec_eval.rs): the first
 * pattern found in the lower-cased name. A guess by design, and stale (a Claude of today has a million), so it serves
 * that policy and nothing that reports a model's real window.
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

/** @returns the window in tokens, 128000 with no rule when no pattern is in the name. */
export function windowByName(name: string): { readonly window: number; readonly rule: string | null } {
  const lower = name.toLowerCase()
  const [rule, window] = windowsByName.find(([pattern]) => lower.includes(pattern)) ?? [null, 128_000]
  return { window, rule }
}
