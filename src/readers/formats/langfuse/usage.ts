/** Langfuse's counts: a flat map of names that each program may add to. */
import type { Usage } from '../../../model/message.ts'
import { type JsonObject, objectOf } from '../../wire/blocks.ts'
import { tokens, usageOf } from '../../wire/usage.ts'

const reads = ['input_cached_tokens', 'input_cache_read', 'cache_read_input_tokens', 'prompt_details.cache_read']
const writes = [
  'input_cache_creation',
  'input_cache_creation_5m',
  'input_cache_creation_1h',
  'input_cache_write',
  'cache_creation_input_tokens',
  'prompt_details.cache_write',
]

/** What was read from a cache, or written to it, has one of these names. */
export function cachedShape(details: unknown): string | null {
  const known = [...reads, ...writes]
  const isOther = ([name, count]: [string, unknown]) => /cache/.test(name) && !known.includes(name) && Number(count) > 0
  return Object.entries(objectOf(details) ?? {}).some(isOther) ? (known[0] as string) : null
}

/**
 * @returns undefined if there are no counts, and if there is none of output: Langfuse itself counts the text of an input to which no
 * output was recorded
 */
export function langfuseUsage({ usageDetails, usage, promptTokens, completionTokens }: JsonObject): Usage | undefined {
  const details = objectOf(usageDetails)
  // Before `usageDetails`, of 2024, there were three counts, under names that the public API still gives.
  const older = objectOf(usage)
  if (details?.input === undefined) {
    return usageOf({ input_tokens: older?.input ?? promptTokens, output_tokens: older?.output ?? completionTokens })
  }
  const input = tokens(details.input)
  const output = tokens(details.output)
  if (input === undefined || output === undefined) return undefined
  const cacheRead = sumOf(details, reads)
  const cacheWrite = sumOf(details, writes)
  const within = details.total === input + output
  return {
    input: within ? input : input + sumOf(details, othersOf(details, /^(?:input_|cache_|prompt_details\.)/)),
    cacheRead,
    cacheWrite,
    cacheWrite1h: tokens(details.input_cache_creation_1h) ?? 0,
    output: within ? output : output + sumOf(details, othersOf(details, /^(?:output_|completion_details\.)/)),
  }
}

function othersOf(details: JsonObject, pattern: RegExp): string[] {
  return Object.keys(details).filter((key) => pattern.test(key))
}

function sumOf(details: JsonObject, names: readonly string[]): number {
  return names.reduce((sum, name) => sum + (tokens(details[name]) ?? 0), 0)
}
