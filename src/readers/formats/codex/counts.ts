/**
 * The token counts in a rollout. Running counts are repeated whenever the rate limits are refreshed, so only one that has grown
 * belongs to a response. Since 0.151 a record of its own has the usage of each response, with its id; where both are written they
 * tell the same response.
 */

import { type JsonObject, objectOf, stringOf } from '../../../base/json.ts'
import type { Usage } from '../../../model/message.ts'
import { keys, someOf } from '../../wire/shape.ts'
import { tokens } from '../../wire/usage.ts'

/** Codex's counts: cached tokens are part of the input, and so are written ones; reasoning is part of the output. */
export interface Counts {
  readonly input: number
  readonly cacheRead: number
  readonly cacheWrite: number
  readonly output: number
}

export const countsShape = keys({ input_tokens: 'any', cached_input_tokens: 'any', output_tokens: 'any' })

/** What a count must hold. */
export const infoShape = someOf({ last_token_usage: countsShape, total_token_usage: countsShape })

export interface PlainCounts {
  readonly total: Counts
  readonly told: Told | null
  readonly response: string | undefined
}

/** The newest response that was told by one kind of record alone. */
interface Told {
  readonly by: 'count' | 'record'
  readonly counts: Counts
}

export class TokenCounts {
  /** Of all responses so far, as the running counts have it. */
  #total: Counts = { input: 0, cacheRead: 0, cacheWrite: 0, output: 0 }
  #told: Told | null = null
  /** The id of the newest record. */
  #response: string | undefined

  constructor(plain?: PlainCounts) {
    if (!plain) return
    this.#total = plain.total
    this.#told = plain.told
    this.#response = plain.response
  }

  get total(): Counts {
    return this.#total
  }

  get plain(): PlainCounts {
    return { total: this.#total, told: this.#told, response: this.#response }
  }

  /** @returns the usage of the response that this count is for, or undefined if that was told already */
  next(info: JsonObject | undefined): Usage | undefined {
    const last = objectOf(info?.last_token_usage)
    const running = objectOf(info?.total_token_usage)
    const before = this.#total
    if (running) {
      const total = countsOf(running)
      if (total.input === before.input && total.output === before.output) return undefined
      this.#total = total
    }
    return this.#usage('count', last ? countsOf(last) : difference(this.#total, before))
  }

  /** The same of a record of one response. */
  record(payload: JsonObject): Usage | undefined {
    const usage = objectOf(payload.usage)
    const id = stringOf(payload.response_id)
    if (!usage || (id !== undefined && id === this.#response)) return undefined
    this.#response = id
    return this.#usage('record', countsOf(usage))
  }

  #usage(by: Told['by'], counts: Counts): Usage | undefined {
    const told = this.#told
    const isTold = told !== null && told.by !== by && isSame(told.counts, counts)
    this.#told = isTold ? null : { by, counts }
    return isTold || counts.input === 0 ? undefined : { ...counts, cacheWrite1h: 0 }
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
    cacheWrite: tokens(usage.cache_write_input_tokens) ?? 0,
    output: tokens(usage.output_tokens) ?? 0,
  }
}

const kinds = ['input', 'cacheRead', 'cacheWrite', 'output'] as const

const isSame = (one: Counts, other: Counts): boolean => kinds.every((kind) => one[kind] === other[kind])

function difference(now: Counts, before: Counts): Counts {
  // A sum that has become smaller began anew.
  if (now.input < before.input) return now
  const grown = (kind: keyof Counts) => Math.max(0, now[kind] - before[kind])
  return {
    input: grown('input'),
    cacheRead: grown('cacheRead'),
    cacheWrite: grown('cacheWrite'),
    output: grown('output'),
  }
}
