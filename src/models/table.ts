/** The shape of the table of models: prices, windows and cache rules. */

import type { PriceTerm } from '../model/price-terms.ts'

/** US dollars per million tokens; all of them 0 where a provider gives a model away. What is missing is not in the price lists; `ratesFor` derives it from the cache rule. */
export interface Price {
  readonly input: number
  readonly output: number
  readonly cacheRead?: number
  /** Writing to the cache for its usual lifetime (`CacheRule.ttl`); the input price is included in it. */
  readonly cacheWrite?: number
  /** Writing to Anthropic's one-hour cache. */
  readonly cacheWrite1h?: number
}

/** The price of a request with more than `above` tokens of input. It holds for all tokens of the request, also output. */
export interface PriceTier extends Price {
  readonly above: number
}

/** An earlier price of a model. `until` is the first day of the next price, in UTC. */
export interface FormerPrice extends Price {
  readonly until: string
  readonly tiers?: readonly PriceTier[]
}

export interface ModelInfo {
  readonly id: string
  readonly provider: string
  /** Other names in the sources, in lower case. Dates, routers and regions are not listed: `lookupModel` removes them. */
  readonly aliases?: readonly string[]
  /** Tokens of input and output together, as the provider advertises them. */
  readonly contextWindow?: number
  readonly maxOutput?: number
  readonly price?: Price & { readonly tiers?: readonly PriceTier[] }
  /** Earlier prices, the oldest first. */
  readonly formerPrices?: readonly FormerPrice[]
  /** Id of the cache rule; absent if the model has no known prompt cache. */
  readonly cache?: string
  /** Id of the rule for other terms than those of the price list; absent if none is known. */
  readonly terms?: string
  /** Who says what neither package of `ModelTable.sources` says, and when it was read; absent where nothing is missing there. */
  readonly source?: string
}

/** How a provider's prompt cache behaves for a family of models. */
export interface CacheRule {
  readonly id: string
  /** Prefixes shorter than this many tokens are not cached. */
  readonly minPrefix: number
  /** Hits end at a content block's boundary, or at a multiple of this many tokens. */
  readonly granularity: 'block' | number
  /** Seconds an entry lives after its last use. */
  readonly ttl: number
  /** Multipliers of the input price, for models whose cache prices are not known. */
  readonly read: number
  readonly write: number
  /** The multiplier of the one-hour cache; absent if there is none. */
  readonly write1h?: number
  /** The source of the figures with its date, and which of them are assumptions. */
  readonly source: string
}

/** The factors of all prices of a call at other terms than those of the price list. A term that is absent has no known factor. */
export interface TermRule extends Partial<Readonly<Record<FactorTerm, number>>> {
  readonly id: string
  /** The same where the model's name keeps its requests in a region (Bedrock's `eu.anthropic.…`). */
  readonly regional?: number
  /** US dollars for each search of the web. */
  readonly search?: number
  /** The source of the figures with its date. */
  readonly source: string
}

export const factorTerms = ['fast', 'us', 'priority', 'batch', 'flex', 'scale'] as const satisfies readonly PriceTerm[]
export type FactorTerm = (typeof factorTerms)[number]

export interface ModelTable {
  /** ISO date of the older of `sources`. A model with a source of its own has its date there. */
  readonly asOf: string
  readonly sources: readonly { readonly package: string; readonly version: string; readonly asOf: string }[]
  readonly cacheRules: readonly CacheRule[]
  /** Absent in tables of times that knew none. */
  readonly termRules?: readonly TermRule[]
  readonly models: readonly ModelInfo[]
}

/** How many tokens of a program's requests its transcripts do not record, in front of the messages: a log-normal distribution. */
export interface UsualPreamble {
  /** The format of its transcripts; null for all programs. */
  readonly program: string | null
  /** Its transcripts have the system prompt, which is not among the tokens; null for all. */
  readonly recorded: boolean | null
  /** Null for both. */
  readonly agent: 'main' | 'sub' | null
  /** The first of ten versions that the row is nearest to; null for all. */
  readonly from: string | null
  /** Of these, and whose they are; each owner counts the same. */
  readonly sessions: number
  readonly owners: number
  /** The median. */
  readonly tokens: number
  /** Standard deviations of the natural logarithm: of a new owner about the median, and of a session about its owner's mean. */
  readonly between: number
  readonly within: number
  /** Degrees of freedom of Student's t. */
  readonly degrees: number
}

/** How far an estimator is off in what a transcript records of a window. */
export interface RecordedSpread {
  readonly estimator: string
  /** Standard deviation, in percent. */
  readonly percent: number
  readonly owners: number
}
