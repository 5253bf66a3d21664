/** What is said of transcripts in place of what they say themselves. */
import type { MeterContext } from '../estimators/estimator.ts'
import type { ProviderName } from '../model/message.ts'
import type { TranscriptHead } from '../model/trace.ts'

export interface Claims {
  /** Null: what the transcript says. */
  readonly model: string | null
  readonly provider: ProviderName | null
}

/** What an estimator is told of a transcript. */
export function contextOf(head: TranscriptHead, { model, provider }: Claims): MeterContext {
  return { provider: provider ?? head.provider, model: model ?? head.model }
}
