/**
 * What the providers' APIs say they counted, in each one's own spelling, as canonical usage. A count that is recorded and
 * is none (text, a fraction, a negative number) is NaN here, and so is every sum with it: the writer of the transcript
 * leaves such usage out and names its line, in one place for all readers.
 */
import type { Usage } from '../../model/message.ts'
import { objectOf } from './blocks.ts'

/**
 * Ten times the largest context window on the market (10 M tokens, Llama 4 Scout). A count beyond it is no request's: it
 * would become a preamble of that size.
 */
const mostTokens = 1e8

/** Whether it can be what a provider counted for one request: what is read from the cache is part of the input. */
export function isSound({ input, cacheRead, cacheWrite, cacheWrite1h, output }: Usage): boolean {
  const counts = [input, cacheRead, cacheWrite, cacheWrite1h, output]
  return counts.every((count) => count >= 0 && count <= mostTokens) && cacheRead <= input && cacheWrite1h <= cacheWrite
}

/** @returns undefined for what is no usage: it takes a count of input tokens to be one */
export function usageOf(value: unknown): Usage | undefined {
  const usage = objectOf(value)
  return usage && (openaiUsage(usage) ?? anthropicUsage(usage) ?? clineUsage(usage))
}

type Counts = Readonly<Record<string, unknown>>

/** OpenAI Chat Completions and what speaks like it: cached tokens are part of `prompt_tokens`. */
function openaiUsage(usage: Counts): Usage | undefined {
  const input = tokens(usage.prompt_tokens)
  if (input === undefined) return undefined
  return {
    input,
    cacheRead: tokens(objectOf(usage.prompt_tokens_details)?.cached_tokens) ?? 0,
    cacheWrite: tokens(usage.cache_creation_input_tokens) ?? 0,
    cacheWrite1h: 0,
    output: tokens(usage.completion_tokens) ?? 0,
  }
}

/** Anthropic Messages: cached tokens are counted beside `input_tokens`. */
function anthropicUsage(usage: Counts): Usage | undefined {
  const input = tokens(usage.input_tokens)
  if (input === undefined) return undefined
  const cacheRead = tokens(usage.cache_read_input_tokens) ?? 0
  const cacheWrite = tokens(usage.cache_creation_input_tokens) ?? 0
  return {
    input: input + cacheRead + cacheWrite,
    cacheRead,
    cacheWrite,
    cacheWrite1h: tokens(objectOf(usage.cache_creation)?.ephemeral_1h_input_tokens) ?? 0,
    output: tokens(usage.output_tokens) ?? 0,
  }
}

/** Cline's `metrics`: Anthropic's counts in other words. */
function clineUsage(usage: Counts): Usage | undefined {
  const input = tokens(usage.inputTokens)
  if (input === undefined) return undefined
  const cacheRead = tokens(usage.cacheReadTokens) ?? 0
  const cacheWrite = tokens(usage.cacheWriteTokens) ?? 0
  return {
    input: input + cacheRead + cacheWrite,
    cacheRead,
    cacheWrite,
    cacheWrite1h: 0,
    output: tokens(usage.outputTokens) ?? 0,
  }
}

/**
 * The counts of pi's responses: cached tokens are counted beside `input`.
 *
 * @returns undefined also where all counts are zero, which is how a request that was never answered is written
 */
export function piUsage(value: unknown): Usage | undefined {
  const usage = objectOf(value)
  const cacheRead = tokens(usage?.cacheRead) ?? 0
  const cacheWrite = tokens(usage?.cacheWrite) ?? 0
  const input = (tokens(usage?.input) ?? 0) + cacheRead + cacheWrite
  const output = tokens(usage?.output) ?? 0
  return input + output !== 0 ? { input, cacheRead, cacheWrite, cacheWrite1h: 0, output } : undefined
}

/** @returns undefined where nothing is recorded, NaN where it is no count */
export function tokens(value: unknown): number | undefined {
  if (value === undefined || value === null) return undefined
  return Number.isSafeInteger(value) && (value as number) >= 0 ? (value as number) : Number.NaN
}
