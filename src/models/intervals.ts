/**
 * How far predictions of windows are off in other transcripts, for those in which it cannot be tested. It was measured by
 * `node bench/truth/coverage.mjs`, so wide that it holds nine of ten requests of owners that it was not measured on.
 */
import type { ForesightTest, PredictionInterval } from '../model/run.ts'
import { intervals } from './intervals.data.ts'
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
