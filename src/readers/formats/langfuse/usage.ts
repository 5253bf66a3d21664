/** Langfuse's counts: a flat map of names that each program may add to. */

import { type JsonObject, objectOf } from '../../../base/json.ts'
import type { Usage } from '../../../model/message.ts'
import { usageBy, usageOf } from '../../wire/usage.ts'
import { usageKeys } from '../../wire/usage-keys.ts'

/**
 * @returns undefined if there are no counts, and if there is none of output: Langfuse itself counts the text of an input to which no
 * output was recorded
 */
export function langfuseUsage({ usageDetails, usage, promptTokens, completionTokens }: JsonObject): Usage | undefined {
  const details = objectOf(usageDetails)
  if (details?.input !== undefined)
    return details.output === undefined ? undefined : usageBy(usageKeys.langfuse, details)
  // Before `usageDetails`, of 2024, there were three counts, under names that the public API still gives.
  const older = objectOf(usage)
  return usageOf({ input_tokens: older?.input ?? promptTokens, output_tokens: older?.output ?? completionTokens })
}
