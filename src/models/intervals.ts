/**
 * How far predictions of windows are off in other transcripts, for those in which it cannot be tested. It was measured by
 * `npm run truth` on transcripts that nothing was learned from: docs/truth.md.
 */
import type { ForesightTest, PredictionInterval } from '../model/run.ts'
import { intervals } from './intervals.data.ts'
import type { UsualInterval } from './table.ts'

/** The fewest transcripts that say something about a format. */
const fewest = 10

/** @returns that of the transcripts of the same format if there are enough, else of all; null if none was measured */
export function usualInterval(format: string, test: ForesightTest, estimator: string): PredictionInterval | null {
  const of = (program: string | null): UsualInterval | undefined =>
    intervals.table.find((row) => row.program === program && row.test === test && row.estimator === estimator)
  const own = of(format)
  const row = own && own.transcripts >= fewest ? own : of(null)
  if (!row) return null
  const basis = row === own ? 'format' : 'all'
  return { basis, transcripts: row.transcripts, lowPercent: row.low, highPercent: row.high }
}
