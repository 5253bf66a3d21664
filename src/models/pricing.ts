/** What a token costs in one transcript: the model's prices and cache rule, or a substitute for an unlisted model. */
import type { ProviderName } from '../model/message.ts'
import type { CostUnit } from '../model/run.ts'
import type { Trace } from '../model/trace.ts'
import { cacheRuleOf, lookupModel, ratesFor } from './lookup.ts'
import type { CacheRule, ModelInfo, ModelTable, Price } from './table.ts'

/** Prices of one token, in the unit of the pricing. */
export interface Rates {
  readonly input: number
  readonly output: number
  readonly read: number
  readonly write: number
}

export interface Pricing {
  readonly unit: CostUnit
  /** ISO date of the oldest source. */
  readonly asOf: string
  /** Null where the model has no prompt cache: then every token costs the plain input price. */
  readonly rule: CacheRule | null
  /** Seconds a cache entry lives after its last use. */
  readonly life: number
  /** What a request with so many tokens of input is billed at. */
  rates(inputTokens: number): Rates
}

/**
 * US dollars where the model's price is known. Else the input price counts as 1, and the rest follows: the cache rule
 * that most models of the provider have, and the median of what its output costs times its input.
 *
 * A transcript whose cache writes are for an hour, most of them, is billed and kept by the one-hour rule.
 */
export function pricingOf(trace: Trace, model: string | null, provider: ProviderName, table: ModelTable): Pricing {
  const info = model === null ? undefined : lookupModel(model, table)
  const rule = (info ? cacheRuleOf(info, table) : usualOf(provider, table).rule) ?? null
  const hour = rule?.write1h !== undefined && writesForAnHour(trace)
  const life = hour ? 3600 : (rule?.ttl ?? 0)
  const common = { asOf: table.asOf, rule, life }
  if (info?.price) {
    const tiers = [0, ...(info.price.tiers ?? []).map(({ above }) => above + 1)].map((from) => ({
      from,
      rates: ratesOf(ratesFor(info, from, table) as Required<Price>, hour),
    }))
    const rates = (tokens: number) => (tiers.findLast(({ from }) => tokens >= from) ?? tiers[0])?.rates as Rates
    return { ...common, unit: 'usd', rates }
  }
  const write = (hour ? rule?.write1h : rule?.write) ?? 1
  const weights = { input: 1, output: usualOf(info?.provider ?? provider, table).output, read: rule?.read ?? 1, write }
  return { ...common, unit: 'input-token-equivalents', rates: () => weights }
}

function ratesOf(price: Required<Price>, hour: boolean): Rates {
  const million = 1_000_000
  return {
    input: price.input / million,
    output: price.output / million,
    read: price.cacheRead / million,
    write: (hour ? price.cacheWrite1h : price.cacheWrite) / million,
  }
}

function writesForAnHour(trace: Trace): boolean {
  let written = 0
  let forAnHour = 0
  for (let request = 0; request < trace.requests; request++) {
    const usage = trace.usage(request)
    written += usage?.cacheWrite ?? 0
    forAnHour += usage?.cacheWrite1h ?? 0
  }
  return forAnHour * 2 > written
}

/** What an unlisted model of a provider is taken to have. */
interface Usual {
  readonly rule: CacheRule | undefined
  readonly output: number
}

/** A data set has ten thousand transcripts of models that nobody lists, and the table has a hundred models. */
const usuals = new WeakMap<ModelTable, Map<string, Usual>>()

function usualOf(provider: string, table: ModelTable): Usual {
  const known = usuals.get(table) ?? new Map<string, Usual>()
  usuals.set(table, known)
  const usual = known.get(provider) ?? { rule: usualRule(provider, table), output: usualOutput(provider, table) }
  known.set(provider, usual)
  return usual
}

/** The rule that most models of the provider have; of two as common, the one that is first in the table. */
function usualRule(provider: string, table: ModelTable): CacheRule | undefined {
  const models = modelsOf(provider, table)
  const count = (rule: CacheRule) => models.filter(({ cache }) => cache === rule.id).length
  return [...table.cacheRules].sort((a, b) => count(b) - count(a)).find((rule) => count(rule) > 0)
}

/** The median of output price over input price. */
function usualOutput(provider: string, table: ModelTable): number {
  const own = weightsOf(modelsOf(provider, table))
  const weights = own.length > 0 ? own : weightsOf(table.models)
  return weights[weights.length >> 1] ?? 1
}

function weightsOf(models: readonly ModelInfo[]): number[] {
  const priced = models.flatMap(({ price }) => (price && price.input > 0 ? [price.output / price.input] : []))
  return priced.sort((a, b) => a - b)
}

function modelsOf(provider: string, table: ModelTable): ModelInfo[] {
  return table.models.filter((model) => model.provider === provider)
}
