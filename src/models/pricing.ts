/**
 * What a token costs in a transcript: by the price of each request's model at the time of the request, and by the
 * transcript's cache rule. A model that is not listed gets a substitute.
 */
import type { ProviderName } from '../model/message.ts'
import type { PriceTerm } from '../model/price-terms.ts'
import type { CostUnit } from '../model/run.ts'
import type { Trace } from '../model/trace.ts'
import { cacheRuleOf, lookupModel, priceFor, ratesFor, termRuleOf } from './lookup.ts'
import { type CacheRule, factorTerms, type ModelInfo, type ModelTable, type Price } from './table.ts'

/** Prices of one token, in the unit of the pricing. */
export interface Rates {
  readonly input: number
  readonly output: number
  readonly read: number
  /** Writing to the cache: for its usual lifetime, and for an hour. */
  readonly write: number
  readonly write1h: number
}

export interface Pricing {
  readonly unit: CostUnit
  /** ISO date of the oldest source. */
  readonly asOf: string
  /** Null if the model has no prompt cache: then every input token costs the plain input price. */
  readonly rule: CacheRule | null
  /** Most of the transcript's cache writes are for an hour. */
  readonly hour: boolean
  /** Seconds a cache entry lives after its last use. */
  readonly life: number
  /** The rates of request number `request` if it has that many input tokens. */
  rates(inputTokens: number, request: number): Rates
}

/**
 * The pricing is in US dollars if the price of the transcript's model is known and not 0: a model that is given away costs
 * the same under every policy, and would tell nothing about them. Otherwise the input price counts as 1, with the most common cache rule of the provider's models and the median ratio of their output price to input price.
 *
 * If most of the transcript's cache writes are for an hour, cache entries live for an hour.
 * @param model the model to price all requests as; null for the models that the transcript names
 */
export function pricingOf(trace: Trace, model: string | null, provider: ProviderName, table: ModelTable): Pricing {
  const name = model ?? trace.head.model
  const info = name === null ? undefined : lookupModel(name, table)
  const rule = (info ? cacheRuleOf(info, table) : usualOf(provider, table).rule) ?? null
  const hour = rule?.write1h !== undefined && writesForAnHour(trace)
  const common = { asOf: table.asOf, rule, hour, life: hour ? 3600 : (rule?.ttl ?? 0) }
  if (info?.price && info.price.input > 0) {
    const infoOf = model === null ? modelsOfRequests(trace, info, table) : () => info
    const terms = termsOfRequests(trace)
    const rates = (tokens: number, request: number) => {
      const own = infoOf(request)
      const usual = ratesAt(own, tokens, table, trace.requestTime(request)) as Rates
      const other = terms.get(request)
      return other === undefined ? usual : scaled(usual, atTerms(own, other, table).factor)
    }
    return { ...common, unit: 'usd', rates }
  }
  const write = rule?.write ?? 1
  const weights = {
    input: 1,
    output: usualOf(info?.provider ?? provider, table).output,
    read: rule?.read ?? 1,
    write,
    write1h: rule?.write1h ?? write,
  }
  return { ...common, unit: 'input-token-equivalents', rates: () => weights }
}

/** What the prompt cache of a model costs for its usual lifetime, as shares of the price of input; null where it is not known. */
export function cacheSharesOf(
  name: string,
  table: ModelTable,
): { readonly read: number; readonly write: number; readonly seconds: number } | null {
  const info = lookupModel(name, table)
  const rule = info && cacheRuleOf(info, table)
  const rates = info && ratesAt(info, 0, table, Number.NaN)
  if (!rule || !rates || rates.input === 0) return null
  return { read: rates.read / rates.input, write: rates.write / rates.input, seconds: rule.ttl }
}

/** The model of each request; the transcript's model if that of the request has no known price. */
function modelsOfRequests(trace: Trace, usual: ModelInfo, table: ModelTable): (request: number) => ModelInfo {
  const known = new Map<string | null, ModelInfo>()
  return (request) => {
    const name = trace.requestModel(request)
    let info = known.get(name)
    if (info === undefined) {
      const own = name === null ? undefined : lookupModel(name, table)
      info = own?.price ? own : usual
      known.set(name, info)
    }
    return info
  }
}

/** Of the requests that were billed at others than the usual ones: under another policy they would have been, too. */
function termsOfRequests(trace: Trace): ReadonlyMap<number, readonly PriceTerm[]> {
  const found = new Map<number, readonly PriceTerm[]>()
  for (let request = 0; request < trace.requests; request++) {
    const terms = trace.usage(request)?.terms
    if (terms) found.set(request, terms)
  }
  return found
}

/** Cached by price entry: a session has only a handful of them. */
const ratesKnown = new WeakMap<ModelTable, WeakMap<Price, Rates>>()

/**
 * The rates of a request to a model with `tokens` input tokens, in US dollars per token.
 * @param time milliseconds since the epoch, or NaN
 * @returns undefined if the model's price is unknown
 */
export function ratesAt(info: ModelInfo, tokens: number, table: ModelTable, time: number): Rates | undefined {
  const price = priceFor(info, tokens, time)
  if (price === undefined) return undefined
  const known = ratesKnown.get(table) ?? new WeakMap<Price, Rates>()
  ratesKnown.set(table, known)
  const rates = known.get(price) ?? perToken(ratesFor(info, tokens, table, time) as Required<Price>)
  known.set(price, rates)
  return rates
}

/** What other terms make of the price of a call. */
export interface AtTerms {
  readonly factor: number
  /** US dollars for each search of the web; 0 where it is not known. */
  readonly search: number
  /** The terms that are known for the model. */
  readonly priced: readonly PriceTerm[]
}

const usualTerms: AtTerms = { factor: 1, search: 0, priced: [] }

export function atTerms(info: ModelInfo, terms: readonly PriceTerm[], table: ModelTable): AtTerms {
  const rule = terms.length === 0 ? undefined : termRuleOf(info, table)
  if (!rule) return usualTerms
  const priced = terms.filter((term) => rule[term] !== undefined)
  const factor = factorTerms.reduce((all, term) => (priced.includes(term) ? all * (rule[term] as number) : all), 1)
  return { factor, search: rule.search ?? 0, priced }
}

export function scaled(rates: Rates, factor: number): Rates {
  if (factor === 1) return rates
  const { input, output, read, write, write1h } = rates
  return {
    input: input * factor,
    output: output * factor,
    read: read * factor,
    write: write * factor,
    write1h: write1h * factor,
  }
}

function perToken(price: Required<Price>): Rates {
  const million = 1_000_000
  return {
    input: price.input / million,
    output: price.output / million,
    read: price.cacheRead / million,
    write: price.cacheWrite / million,
    write1h: price.cacheWrite1h / million,
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

/** What is assumed for an unlisted model of a provider. `output` is the output price over the input price. */
interface Usual {
  readonly rule: CacheRule | undefined
  readonly output: number
}

/** Cached: a data set can have ten thousand transcripts of unlisted models, and the table has a hundred models. */
const usuals = new WeakMap<ModelTable, Map<string, Usual>>()

function usualOf(provider: string, table: ModelTable): Usual {
  const known = usuals.get(table) ?? new Map<string, Usual>()
  usuals.set(table, known)
  const usual = known.get(provider) ?? { rule: usualRule(provider, table), output: usualOutput(provider, table) }
  known.set(provider, usual)
  return usual
}

/** The most common cache rule of the provider's models; of equally common ones, the first in the table. */
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
