/**
 * The running token counts in a rollout. They are repeated whenever the rate limits are refreshed, so only a count that
 * has grown belongs to a response.
 */
import type { Usage } from '../../../model/message.ts'
import { type JsonObject, objectOf } from '../../wire/blocks.ts'
import { keys, someOf } from '../../wire/shape.ts'
import { tokens } from '../../wire/usage.ts'

/** Codex's counts: cached tokens are part of the input, reasoning is part of the output. */
export interface Counts {
  readonly input: number
  readonly cacheRead: number
  readonly output: number
}

const countsShape = keys({ input_tokens: 'any', cached_input_tokens: 'any', output_tokens: 'any' })

/** What a count must hold. */
export const infoShape = someOf({ last_token_usage: countsShape, total_token_usage: countsShape })

export class TokenCounts {
  /** Of all responses so far. */
  total: Counts = { input: 0, cacheRead: 0, output: 0 }

  /** @returns the usage of the response that this count is for, or undefined if it repeats an earlier count */
  next(info: JsonObject | undefined): Usage | undefined {
    const last = objectOf(info?.last_token_usage)
    const running = objectOf(info?.total_token_usage)
    const before = this.total
    if (running) {
      const total = countsOf(running)
      if (total.input === before.input && total.output === before.output) return undefined
      this.total = total
    }
    const response = last ? countsOf(last) : difference(this.total, before)
    return response.input !== 0 ? { ...response, cacheWrite: 0, cacheWrite1h: 0 } : undefined
  }
}

/** What Codex itself takes its history to be, where it writes that down in place of a response's usage; null elsewhere. */
export function ownTotal(info: JsonObject | undefined): number | null {
  const last = objectOf(info?.last_token_usage)
  return last && countsOf(last).input === 0 ? (tokens(last.total_tokens) ?? null) : null
}

function countsOf(usage: JsonObject): Counts {
  return {
    input: tokens(usage.input_tokens) ?? 0,
    cacheRead: tokens(usage.cached_input_tokens) ?? 0,
    output: tokens(usage.output_tokens) ?? 0,
  }
}

function difference(now: Counts, before: Counts): Counts {
  return {
    input: Math.max(0, now.input - before.input),
    cacheRead: Math.max(0, now.cacheRead - before.cacheRead),
    output: Math.max(0, now.output - before.output),
  }
}
