/** The terms at which a provider billed a call, where they are not those of its price list for every call. */

/**
 * `fast`: an answer that is given faster. `us`: computed in the United States only. `priority`, `batch`, `flex`: the service
 * tier. `search`: the provider searched the web for it, which costs a fee.
 */
export const priceTerms = ['fast', 'us', 'priority', 'batch', 'flex', 'search'] as const
export type PriceTerm = (typeof priceTerms)[number]

/** Calls by the terms that are not the usual ones; a call may have several. */
export type CallsByTerm = readonly (readonly [term: PriceTerm, calls: number])[]

/** Each term once, with the sum of its calls. */
export function callsByTerm(counted: CallsByTerm): CallsByTerm {
  const sums = new Map<PriceTerm, number>()
  for (const [term, calls] of counted) sums.set(term, (sums.get(term) ?? 0) + calls)
  return priceTerms.flatMap((term) => {
    const calls = sums.get(term)
    return calls === undefined ? [] : [[term, calls] as const]
  })
}

/** The terms as bits of a number, as columns hold them. */
export function termBits(terms: readonly PriceTerm[]): number {
  return terms.reduce((bits, term) => bits | (1 << priceTerms.indexOf(term)), 0)
}

export function termsOf(bits: number): PriceTerm[] {
  return priceTerms.filter((_, index) => (bits & (1 << index)) !== 0)
}
