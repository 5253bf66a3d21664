/**
 * How much of what the provider's prompt cache served a model foresees that has not seen it: it knows the sizes and the
 * times of the requests, and what caches usually serve. docs/cost.md.
 */
import type { ProviderName } from '../model/message.ts'
import { type CacheFit, cacheFits } from '../model/run.ts'
import type { Sizes } from '../model/sizes.ts'
import type { Trace } from '../model/trace.ts'
import type { Pricing } from '../models/pricing.ts'
import { cacheRecords, habitsOf } from './cache-behaviour.ts'
import { clockOf } from './prompt-cache.ts'

/**
 * Of what a request shares with the one before. Caches serve nearly all of it or nearly nothing, so this only tells the
 * two apart.
 */
const half = 0.5

export const noCacheFit: CacheFit = Object.fromEntries(cacheFits.map((fit) => [fit, 0])) as CacheFit

export function cacheFit(trace: Trace, sizes: Sizes, pricing: Pricing, provider: ProviderName): CacheFit {
  const fit = { ...noCacheFit }
  if (!pricing.rule) return fit
  const usual = habitsOf(provider, pricing)
  // Requests that count in another transcript still stand in front of these.
  const { whole } = trace
  const { times, life } = clockOf(whole, pricing.life)
  const records = cacheRecords(whole, pricing, sizes.tokens(sizes.preamble), provider)
  for (const [request, { kind, share, shared }] of records.entries()) {
    if (share === null || !trace.isResponse(whole.requestAt(request))) continue
    const expected = request === 0 ? usual.first : kind && usual[kind]
    const isTold = shared > 0 && (expected ?? 0) >= half
    if (isTold === share >= half) fit.cacheForeseen++
    else if (request === 0) fit.cacheAtStart++
    // The times are those of responses: a pause of half the lifetime may have been all of it, to the cache.
    else if ((times[request] as number) - (times[request - 1] as number) > half * life) fit.cacheAfterPause++
    else if (sizes.passing?.hasPassed(whole.requestAt(request - 1), whole.requestAt(request))) fit.cacheAtPrompt++
    else fit.cacheUnexplained++
  }
  return fit
}
