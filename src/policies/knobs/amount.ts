/**
 * Tokens in relation to the budget: `0.8` is that share of it, `1-20k` what it has beside 20,000 tokens, and a number
 * over 1 is so many tokens, whatever the budget: `40k`.
 */
import { parseTokens } from '../../base/param.ts'
import type { Window } from '../policy.ts'

export interface Amount {
  /** Of the budget. */
  readonly share: number
  /** Tokens to add to the share; mostly negative. */
  readonly more: number
}

/** Undefined for a word that is none. */
export function amountOf(word = '1'): Amount | undefined {
  const tokens = parseTokens(word)
  if (tokens !== undefined && tokens > 1) return { share: 0, more: tokens }
  const [, share = '', less = '0'] = /^([\d.]+(?:e-\d+)?)(?:-(\w+))?$/.exec(word) ?? []
  const [part, reserve] = [share === '' ? Number.NaN : Number(share), parseTokens(less)]
  return part >= 0 && part <= 1 && reserve !== undefined ? { share: part, more: -reserve } : undefined
}

/** An amount without a share is the same at every budget. */
export function tokensOfAmount({ share, more }: Amount, window: Window): number {
  return share === 0 ? more : share * window.budget + more
}
