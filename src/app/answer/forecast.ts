/**
 * What a candidate would come to in sessions to come, as far as the recorded ones tell. Each session is one observation: money
 * is in few of them, so it matters how many sessions there really are. docs/recommend.md explains the rules, and docs/truth.md
 * has how often they were right (`bench/truth/halves.mjs`).
 */
import { uniform } from '../../base/uniform.ts'

/** The quantile of the normal distribution for 90 %, both sides: one in twenty lies above, one in twenty below. */
const z = 1.6448536269514722

/**
 * Money is in few sessions, and the dearest is often still to come: intervals hold one session more, as dear as so many of the
 * dearest so far. It may save as little as the worst of those so far and nothing, or as much as the best and this share.
 */
const dearer = 2
const mostSaved = 0.75

/** Of the money, all in one unit, by session; 0 for a session that is not in the amounts. */
export interface Sample {
  /** What was paid. */
  readonly paid: Float64Array
  /** Later uses, and what the present setting would lose of them. */
  readonly uses: Float64Array
  readonly lost: Float64Array
}

/** What a candidate comes to, by session. */
export interface Tried {
  /** With what is read again. */
  readonly paid: Float64Array
  /** Of `paid`, how far the model may be off: a standard deviation. */
  readonly unsure: Float64Array
  readonly lost: Float64Array
  /** It takes something out of a window that the present setting leaves there. */
  readonly cuts: boolean
}

/** Saved, in percent of what was paid; in nine of ten sets of as many sessions to come it lies between `low` and `high`. */
export interface Saving {
  readonly percent: number
  readonly low: number
  readonly high: number
}

/** Later uses lost beyond those of the present setting, as a share of all; it is below `most` in nineteen of twenty such sets. */
export interface ExtraLoss {
  readonly share: number
  readonly most: number
}

/** @param sessions which of the sample count */
export function savingIn(sample: Sample, tried: Tried, sessions: ArrayLike<number>): Saving {
  const { paid } = sample
  let [before, after, squares, dearest] = [0, 0, 0, 0]
  for (let nth = 0; nth < sessions.length; nth++) {
    const at = sessions[nth] as number
    const own = paid[at] as number
    before += own
    after += tried.paid[at] as number
    squares += own * own
    dearest = Math.max(dearest, own)
  }
  if (before === 0) return { percent: 0, low: 0, high: 0 }
  const saved = 1 - after / before
  // As many sessions of equal weight would be as sure as these.
  const effective = (before * before) / squares
  let [spread, error, best, worst] = [0, 0, mostSaved, 0]
  for (let nth = 0; nth < sessions.length; nth++) {
    const at = sessions[nth] as number
    const own = paid[at] as number
    if (own === 0) continue
    const share = 1 - (tried.paid[at] as number) / own
    spread += (own / before) * (share - saved) ** 2
    error += ((tried.unsure[at] as number) / before) ** 2
    // A session of a few cents may save or cost anything, and says nothing of a dear one.
    if (own < before / 100) continue
    best = Math.max(best, share)
    worst = Math.min(worst, share)
  }
  const variance = spread / Math.max(0.5, effective - 1) + error
  const reach = z * Math.sqrt(variance)
  const unseen = (dearer * dearest) / (before + dearer * dearest)
  return {
    percent: 100 * saved,
    low: 100 * (saved - reach - unseen * Math.max(0, saved - worst)),
    high: 100 * Math.min(1, saved + reach + unseen * Math.max(0, best - saved)),
  }
}

/** @param sessions which of the sample count */
export function extraLossIn(sample: Sample, tried: Tried, sessions: ArrayLike<number>): ExtraLoss {
  const beyond = (at: number): number => (tried.lost[at] as number) - (sample.lost[at] as number)
  let [extra, uses, largest] = [0, 0, 0]
  for (let nth = 0; nth < sessions.length; nth++) {
    const at = sessions[nth] as number
    const own = sample.uses[at] as number
    extra += beyond(at)
    uses += own
    largest = Math.max(largest, own)
  }
  if (uses === 0) return { share: 0, most: tried.cuts ? 1 : 0 }
  const share = extra / uses
  let [squares, worst] = [0, 0]
  for (let nth = 0; nth < sessions.length; nth++) {
    const at = sessions[nth] as number
    const own = sample.uses[at] as number
    squares += (beyond(at) - share * own) ** 2
    if (own >= uses / 100) worst = Math.max(worst, beyond(at) / own)
  }
  // Where nothing was lost yet, the next use may be the first.
  const variance = Math.max(squares * (sessions.length / Math.max(1, sessions.length - 1)), tried.cuts ? 1 : 0)
  // One session more, as large as the largest, may lose as much as the worst.
  const unseen = largest / (uses + largest)
  return { share, most: share + (z * Math.sqrt(variance)) / uses + unseen * Math.max(0, worst - share) }
}

/** Two random halves of so many sessions, as many times as there are draws; always the same for the same number and seed. */
export function* halves(sessions: number, draws: number, seed = 0x5eed): Generator<readonly [Int32Array, Int32Array]> {
  const random = uniform(seed)
  const order = Int32Array.from({ length: sessions }, (_, at) => at)
  const half = sessions >> 1
  for (let draw = 0; draw < draws; draw++) {
    for (let at = sessions - 1; at > 0; at--) {
      const other = Math.floor(random() * (at + 1))
      const taken = order[at] as number
      order[at] = order[other] as number
      order[other] = taken
    }
    yield [order.slice(0, half), order.slice(half)]
  }
}
