/** Which format a file is: the readers vote on its first records. */
import type { Reader } from './reader.ts'

/** Number of records to look at: real files begin with up to dozens of records that any tool could have written. */
export const sampleSize = 50

/** The reader with the highest score, or null if none recognises any record. */
export function voteFormat(readers: readonly Reader[], records: readonly unknown[]): Reader | null {
  let best: Reader | null = null
  let most = 0
  for (const reader of readers) {
    const votes = records.reduce<number>((sum, record) => sum + reader.recognise(record), 0)
    if (votes > most) {
      best = reader
      most = votes
    }
  }
  return best
}
