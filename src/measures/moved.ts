/**
 * Whether an agent compacts its history elsewhere from some day on: a change point among the sizes that it compacted
 * at.
 */
import { medianOf } from '../base/median.ts'
import { uniform } from '../base/uniform.ts'

/** A session that compacted by itself. */
export interface CompactedAt {
  /** Milliseconds since the epoch. */
  readonly time: number
  readonly tokens: number
}

/** From one day on an agent compacts elsewhere. */
export interface Moved {
  /** The beginning of that day, in UTC: milliseconds since the epoch. */
  readonly day: number
  readonly before: { readonly sessions: number; readonly tokens: number }
  readonly after: { readonly sessions: number; readonly tokens: number }
}

/** On each side. */
const fewest = 5

/**
 * Medians that are nearer to each other are no other setting: windows are compacted at some request behind their
 * threshold.
 */
const leastShare = 0.1

/** In so few of the shuffled orders may there be a change as clear. */
const draws = 999
const rarely = 0.01

const dayLength = 86_400_000

/**
 * The clearest change there is, if chance makes none as clear: of all days the one in front of which and from which on
 * the sizes differ most by their ranks (Pettitt 1979), held against the same sizes in shuffled order. Null where there
 * is none.
 */
export function movedIn(all: readonly CompactedAt[], seed = 0x5eed): Moved | null {
  const ordered = all.toSorted((a, b) => a.time - b.time || a.tokens - b.tokens)
  const days = ordered.map(({ time }) => Math.floor(time / dayLength))
  const splits = days.flatMap((day, at) =>
    at >= fewest && at <= ordered.length - fewest && day !== days[at - 1] ? [at] : [],
  )
  if (splits.length === 0) return null
  const ranks = ranksOf(ordered.map(({ tokens }) => tokens))
  const clearest = clearestOf(ranks, splits)
  const [front, behind] = [ordered.slice(0, clearest.at), ordered.slice(clearest.at)].map((side) => ({
    sessions: side.length,
    tokens: medianOf(side.map(({ tokens }) => tokens)) as number,
  })) as [Moved['before'], Moved['after']]
  if (Math.abs(behind.tokens - front.tokens) < leastShare * Math.max(front.tokens, behind.tokens)) return null
  const random = uniform(seed)
  let asClear = 1
  for (let draw = 0; draw < draws; draw++) {
    shuffle(ranks, random)
    if (clearestOf(ranks, splits).clearness >= clearest.clearness - 1e-9) asClear++
    if (asClear > rarely * (draws + 1)) return null
  }
  return { day: (days[clearest.at] as number) * dayLength, before: front, after: behind }
}

/**
 * From 0 on; equal values share the mean of theirs. Less their mean, so that any part of a random order comes to about
 * 0.
 */
function ranksOf(values: readonly number[]): Float64Array {
  const mean = (values.length - 1) / 2
  return Float64Array.from(values, (value) => {
    const below = values.filter((other) => other < value).length
    const same = values.filter((other) => other === value).length
    return below + (same - 1) / 2 - mean
  })
}

/**
 * Of the places at which the order can be split, the one with the largest difference of ranks for how many stand on
 * each side.
 */
function clearestOf(ranks: Float64Array, splits: readonly number[]): { at: number; clearness: number } {
  let [best, sum, done] = [{ at: 0, clearness: -1 }, 0, 0]
  for (const at of splits) {
    for (; done < at; done++) sum += ranks[done] as number
    const clearness = Math.abs(sum) / Math.sqrt(at * (ranks.length - at))
    if (clearness > best.clearness) best = { at, clearness }
  }
  return best
}

function shuffle(values: Float64Array, random: () => number): void {
  for (let at = values.length - 1; at > 0; at--) {
    const other = Math.floor(random() * (at + 1))
    const taken = values[at] as number
    values[at] = values[other] as number
    values[other] = taken
  }
}
