/** Counts of lost references, and the rates of the two tiers. */
import { type LossCounts, type Losses, percent } from '../../model/run.ts'

export interface Counts {
  total: number
  mentionLost: number
  sourceLost: number
  selfSourced: number
}

export const none = (): Counts => ({ total: 0, mentionLost: 0, sourceLost: 0, selfSourced: 0 })

export function sumOf(parts: readonly LossCounts[]): Counts {
  const sum = none()
  for (const part of parts) {
    sum.total += part.total
    sum.mentionLost += part.mentionLost
    sum.sourceLost += part.sourceLost
    sum.selfSourced += part.selfSourced
  }
  return sum
}

/** The mention tier is of all; the source tier of those that have a source. */
export function withRates({ total, selfSourced, mentionLost, sourceLost }: LossCounts): Losses {
  return {
    total,
    selfSourced,
    mentionLost,
    mentionLostPercent: percent(mentionLost, total),
    sourceLost,
    sourceLostPercent: percent(sourceLost, total - selfSourced),
  }
}
