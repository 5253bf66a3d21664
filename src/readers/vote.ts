/** Decides which format a file has: each reader scores its first records. */
import type { Reader } from './reader.ts'

/** How many records to score: real files can begin with dozens of records that any tool could have written. */
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
