/** Decides which format a file has: each reader scores its first records. */
import type { Reader } from './reader.ts'
import { bodyOf } from './wire/bodies.ts'

/** How many records to score: real files can begin with dozens of records that any tool could have written. */
export const sampleSize = 50

/** The score from which on one record is enough: a head, a whole conversation, or what no other program writes. */
const certain = 0.9

/** In records: of so many a reader has to know one. One that skips nearly all of a file would make up a session of the rest. */
const mostForOne = 5

/**
 * The reader with the highest score, or null if none knows enough of the records.
 * @param isList the file is one list: a conversation may be as short as that
 */
export function voteFormat(readers: readonly Reader[], records: readonly unknown[], isList = false): Reader | null {
  let best: Reader | null = null
  let most = 0
  for (const reader of readers) {
    const scores = records.map((record) => reader.recognise(record))
    const votes = scores.reduce((sum, score) => sum + score, 0)
    if (votes <= most || !hasWitnesses(scores, records, isList)) continue
    best = reader
    most = votes
  }
  return best
}

/** A piece by itself, as a message or an item of one, may be part of anything: it takes two. */
function hasWitnesses(scores: readonly number[], records: readonly unknown[], isList: boolean): boolean {
  const known = scores.filter((score) => score > 0).length
  if (known * mostForOne < records.length) return false
  const isWhole = (score: number, at: number) => score >= certain || (score > 0 && bodyOf(records[at]) !== null)
  return known > 1 || isList || scores.some(isWhole)
}
