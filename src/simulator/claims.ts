/** What is said of transcripts in place of what they say themselves. */
import type { MeterContext } from '../estimators/estimator.ts'
import type { ApiName, ProviderName } from '../model/message.ts'
import type { Trace, TranscriptHead } from '../model/trace.ts'
import { lookupModel } from '../models/lookup.ts'
import type { ModelTable } from '../models/table.ts'
import { fewestMaxTokens } from '../providers/apis/api.ts'
import { apiOf } from '../providers/apis/index.ts'

export interface Claims {
  /** Null: what the transcript says. */
  readonly model: string | null
  readonly provider: ProviderName | null
}

/** What an estimator is told of a transcript that is about to be read. */
export function contextOf(head: TranscriptHead, claims: Claims): MeterContext & { readonly api: ApiName } {
  const provider = claims.provider ?? head.provider
  return { provider, model: claims.model ?? head.model, api: apiOf(provider, head.format) }
}

/** The same of one that was read, and how its requests are sent: each as the first of them. */
export function contextIn(
  trace: Trace,
  claims: Claims & { readonly prices: ModelTable },
): ReturnType<typeof contextOf> {
  const model = sentModel(trace, claims, 0)
  const { maxOutput = fewestMaxTokens } = (model === null ? undefined : lookupModel(model, claims.prices)) ?? {}
  return { ...contextOf(trace.head, claims), settings: { model, maxTokens: maxOutput } }
}

/**
 * The model that a request names: the one that answered it; null where the request goes to another provider, and nobody
 * says to which model.
 */
export function sentModel(trace: Trace, { model, provider }: Claims, request: number): string | null {
  const { head, requests } = trace
  if (model !== null) return model
  if (provider !== null && provider !== head.provider) return null
  return requests === 0 ? head.model : trace.requestModel(Math.min(request, requests - 1))
}
