/** US dollars per million tokens. A field that is absent is absent from the price lists; `ratesFor` fills it from the cache rule. */
export interface Price {
  readonly input: number
  readonly output: number
  readonly cacheRead?: number
  /** Writing to the cache for its usual lifetime (`CacheRule.ttl`); the input price is included in it. */
  readonly cacheWrite?: number
  /** Writing to Anthropic's one-hour cache. */
  readonly cacheWrite1h?: number
}

/** The price of every token of a request, output included, whose whole input is longer than `above` tokens. */
export interface PriceTier extends Price {
  readonly above: number
}

/** What a model cost until a day: `until` is the first day of the price that followed, in UTC. */
export interface FormerPrice extends Price {
  readonly until: string
  readonly tiers?: readonly PriceTier[]
}

export interface ModelInfo {
  readonly id: string
  readonly provider: string
  /** Other names the sources write out, lower case. Dates, routes and regions are not listed: see `lookupModel`. */
  readonly aliases?: readonly string[]
  /** Tokens of input and output together, as the provider advertises them. */
  readonly contextWindow?: number
  readonly maxOutput?: number
  readonly price?: Price & { readonly tiers?: readonly PriceTier[] }
  /** Earlier prices, the oldest first. */
  readonly formerPrices?: readonly FormerPrice[]
  /** Id of the cache rule; absent where the model has no prompt cache we know of. */
  readonly cache?: string
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
  /** Multipliers of the input price, for models whose price is not known in full. */
  readonly read: number
  readonly write: number
  /** The multiplier of the one-hour cache; absent where there is none. */
  readonly write1h?: number
  /** The document the figures are from and its date; says so where a figure is an assumption. */
  readonly source: string
}

export interface ModelTable {
  /** ISO date of the oldest source: no price in the table is older. */
  readonly asOf: string
  readonly sources: readonly { readonly package: string; readonly version: string; readonly asOf: string }[]
  readonly cacheRules: readonly CacheRule[]
  readonly models: readonly ModelInfo[]
}
