/** Mutable counts of lost references. */
import type { LossCounts } from '../model/run.ts'

export type Counts = { -readonly [key in keyof LossCounts]: number }

export const none = (): Counts => ({ total: 0, mentionLost: 0, sourceLost: 0, selfSourced: 0 })
