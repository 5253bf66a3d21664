/**
 * How far windows may be off in a transcript in which that cannot be tested. Where it recorded a little usage, as far as in
 * other transcripts: measured by `node bench/truth/coverage.mjs`, so wide that it holds nine of ten requests of owners that it
 * was not measured on. Where it recorded none, composed of what a window is made of.
 */
import { z90 } from '../base/intervals.ts'
import { type ForesightTest, type PredictionInterval, roundPercent } from '../model/run.ts'
import { intervals } from './intervals.data.ts'
import { preambles } from './preambles.data.ts'
import { ninetyPercent, type PreamblePrior } from './preambles.ts'
import type { UsualInterval } from './table.ts'

/** @returns that of the transcripts of the same format where there were enough, else of all; null if none was measured */
export function usualInterval(format: string, test: ForesightTest, estimator: string): PredictionInterval | null {
  const of = (program: string | null): UsualInterval | undefined =>
    intervals.table.find((row) => row.program === program && row.test === test && row.estimator === estimator)
  const own = of(format)
  const row = own ?? of(null)
  if (!row) return null
  const basis = row === own ? 'format' : 'all'
  return { basis, transcripts: row.transcripts, lowPercent: row.low, highPercent: row.high }
}

/**
 * Where nine of ten windows are that no usage tells: as far off as the preamble that was taken for usual, and as the count of
 * what is recorded. The two have nothing to do with each other, so their squares add up on either side.
 *
 * @param window tokens
 * @param prior of what is hidden of the preamble; where it is of all programs, nothing stands in the window for it; null where
 *   nothing is hidden
 * @returns null for an estimator that was not measured, and where there is no window
 */
export function composedInterval(
  window: number,
  prior: PreamblePrior | null,
  estimator: string,
): PredictionInterval | null {
  const spread = preambles.recorded.find((row) => row.estimator === estimator)
  if (spread === undefined || !(window > 0)) return null
  const counted = prior === null || prior.basis === 'all' ? 0 : Math.min(window, prior.tokens)
  const { low, high } = prior === null ? { low: 0, high: 0 } : ninetyPercent(prior)
  const reach = (z90 * spread.percent * (window - counted)) / 100
  const below = Math.hypot(counted - Math.min(counted, low), reach)
  const above = Math.hypot(Math.max(counted, high) - counted, reach)
  return {
    basis: prior === null ? 'all' : basisOf[prior.basis],
    transcripts: prior?.sessions ?? preambles.table.at(-1)!.sessions,
    lowPercent: roundPercent((100 * window) / (window + above) - 100),
    highPercent: roundPercent((100 * window) / (window - Math.min(below, 0.99 * window)) - 100),
  }
}

const basisOf = { own: 'own', program: 'format', all: 'all' } as const
