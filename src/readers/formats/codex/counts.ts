/**
 * The token counts in a rollout. Running counts are repeated whenever the rate limits are refreshed, so only one that has grown
 * belongs to a response. Since 0.151 a record of its own has the usage of each response, with its id; where both are written they
 * tell the same response.
 */

import { type JsonObject, objectOf, stringOf } from '../../../base/json.ts'
import type { Usage } from '../../../model/message.ts'
import { keys, someOf } from '../../wire/shape.ts'
import { noTokens, tokens, usageAt, usageBeyond } from '../../wire/usage.ts'

export const countsShape = keys({ input_tokens: 'any', cached_input_tokens: 'any', output_tokens: 'any' })

/** What a count must hold. */
export const infoShape = someOf({ last_token_usage: countsShape, total_token_usage: countsShape })

export interface PlainCounts {
  readonly total: Usage
  readonly told: Told | null
  readonly response: string | undefined
}

/** The newest response that was told by one kind of record alone. */
interface Told {
  readonly by: 'count' | 'record'
  readonly counts: Usage
}

export class TokenCounts {
  /** Of all responses so far, as the running counts have it. */
  #total: Usage = noTokens
  #told: Told | null = null
  /** The id of the newest record. */
  #response: string | undefined

  constructor(plain?: PlainCounts) {
    if (!plain) return
    this.#total = plain.total
    this.#told = plain.told
    this.#response = plain.response
  }

  get total(): Usage {
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

  #usage(by: Told['by'], counts: Usage): Usage | undefined {
    const told = this.#told
    const isTold = told !== null && told.by !== by && isSame(told.counts, counts)
    this.#told = isTold ? null : { by, counts }
    // The order of the keys is that of exports.
    const { cacheWrite1h, ...rest } = counts
    return isTold || counts.input === 0 ? undefined : { ...rest, cacheWrite1h }
  }
}

/** What Codex itself takes its history to be, where it writes that down in place of a response's usage; null elsewhere. */
export function ownTotal(info: JsonObject | undefined): number | null {
  const last = objectOf(info?.last_token_usage)
  return last && countsOf(last).input === 0 ? (tokens(last.total_tokens) ?? null) : null
}

/** Cached tokens are part of the input, and so are written ones; reasoning is part of the output. */
export const countsOf = (usage: JsonObject): Usage =>
  usageAt(usage, {
    input: 'input_tokens',
    cacheRead: 'cached_input_tokens',
    cacheWrite: 'cache_write_input_tokens',
    output: 'output_tokens',
    isBeside: false,
  })

function isSame(one: Usage, other: Usage): boolean {
  const { input, cacheRead, cacheWrite, output } = other
  return one.input === input && one.cacheRead === cacheRead && one.cacheWrite === cacheWrite && one.output === output
}

/** A sum that has become smaller began anew. */
const difference = (now: Usage, before: Usage): Usage => (now.input < before.input ? now : usageBeyond(now, before))
