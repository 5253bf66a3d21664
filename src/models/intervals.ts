/**
 * How far windows may be off that nobody counted, where that cannot be tested: by what the transcript's own usage leaves open, and
 * without any composed of what a window is made of.
 */
import { z90 } from '../base/intervals.ts'
import { type PredictionInterval, roundPercent } from '../model/run.ts'
import { preambles } from './preambles.data.ts'
import { ninetyPercent, type PreamblePrior } from './preambles.ts'

/** Where nine of ten windows are that lie as near to what is predicted as the transcript's own usage says. @param reach tokens */
export function intervalAround(window: number, reach: number): PredictionInterval | null {
  return window > 0 ? { basis: 'transcript', transcripts: 1, ...percents(window, reach, reach) } : null
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
    ...percents(window, below, above),
  }
}

/** The error of a prediction in percent of what it predicts, where that may be so many tokens below and above. */
function percents(
  window: number,
  below: number,
  above: number,
): Pick<PredictionInterval, 'lowPercent' | 'highPercent'> {
  return {
    lowPercent: roundPercent((100 * window) / (window + above) - 100),
    highPercent: roundPercent((100 * window) / (window - Math.min(below, 0.99 * window)) - 100),
  }
}

const basisOf = { own: 'own', program: 'format', all: 'all' } as const
