/** The terms at which a provider billed a call, where they are not those of its price list for every call. */

/**
 * `fast`: an answer that is given faster. `us`: computed in the United States only. `priority`, `batch`, `flex`: the service
 * tier. `search`: the provider searched the web for it, which costs a fee. `scale`: served from capacity that was bought ahead
 * (OpenAI's scale tier, Google's provisioned throughput).
 */
export const priceTerms = ['fast', 'us', 'priority', 'batch', 'flex', 'search', 'scale'] as const
export type PriceTerm = (typeof priceTerms)[number]

/** Calls that were billed at a term that is not the usual one. */
export interface TermCalls {
  readonly term: PriceTerm
  readonly calls: number
  /** Those among them that are priced at it. What it costs the others is not known: they are priced as any other. */
  readonly priced: number
}

/** Calls by the terms that are not the usual ones; a call may have several. */
export type CallsByTerm = readonly TermCalls[]

/** Each term once, with the sums of its calls. */
export function callsByTerm(counted: CallsByTerm): CallsByTerm {
  return priceTerms.flatMap((term) => {
    const own = counted.filter((one) => one.term === term)
    const sum = (key: 'calls' | 'priced') => own.reduce((total, one) => total + one[key], 0)
    return own.length === 0 ? [] : [{ term, calls: sum('calls'), priced: sum('priced') }]
  })
}

/** @param calls with the same terms @param priced those of the terms that they are priced at */
export function termCalls(terms: readonly PriceTerm[], priced: readonly PriceTerm[], calls: number): CallsByTerm {
  return terms.map((term) => ({ term, calls, priced: priced.includes(term) ? calls : 0 }))
}

/** The terms as bits of a number, as columns hold them. */
export function termBits(terms: readonly PriceTerm[]): number {
  return terms.reduce((bits, term) => bits | (1 << priceTerms.indexOf(term)), 0)
}

/** Beside those of the terms: the usage is partial. */
export const partialBit = 1 << priceTerms.length

export function termsOf(bits: number): PriceTerm[] {
  return priceTerms.filter((_, index) => (bits & (1 << index)) !== 0)
}
