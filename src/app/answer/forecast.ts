/**
 * What a candidate would come to in sessions to come, as far as the recorded ones tell. Each session is one observation: money
 * is in few of them, so it matters how many sessions there really are. docs/recommend.md explains the rules, and docs/truth.md
 * has how often they were right.
 */
import { studentReach, studentShare } from '../../base/student.ts'

/** How far habits move from some sessions to later ones, as a share of the saving: a standard deviation. */
const drift = 0.25

/** Uses of one session are alike: by so much each counts less for every other one beside it. */
const alike = 0.075

/**
 * What other people's sessions lose more where a window is cut, and by how much more where it is cut to nothing; both as a share of
 * later uses, and worth so many uses of one's own.
 */
const prior = { share: 0.03, byDepth: 0.37, uses: 10 }

/** By session. Money is all in one unit, and 0 for a session that is not in the amounts. */
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
  /** Which share of the largest request has no room in the window: 0 where all has; absent for who asks for no prior. */
  readonly depth: Float64Array
  /** It takes something out of a window that the present setting leaves there. */
  readonly cuts: boolean
}

/** Saved, in percent of what was paid. */
export interface Saving {
  readonly percent: number
  /** In 95 of 100 sets of sessions to come it lies between these. Null where there are fewer than two sessions. */
  readonly low: number | null
  readonly high: number | null
  /** That it saves anything, from 0 to 1; 0 where there are fewer than two sessions. */
  readonly chance: number
  /** As many sessions of equal weight would tell as much. */
  readonly sessions: number
}

/** Later uses lost beyond those of the present setting, as a share of all. */
export interface ExtraLoss {
  /** In these sessions. */
  readonly measured: number
  /** To be expected: drawn towards what other people's sessions lose, where there are few uses. */
  readonly share: number
  readonly uses: number
}

/** @param sessions which of the sample count */
export function savingIn({ paid }: Pick<Sample, 'paid'>, tried: Tried, sessions: ArrayLike<number>): Saving {
  let [before, after, squares, error] = [0, 0, 0, 0]
  for (let nth = 0; nth < sessions.length; nth++) {
    const at = sessions[nth] as number
    const own = paid[at] as number
    before += own
    after += tried.paid[at] as number
    squares += own * own
    error += (tried.unsure[at] as number) ** 2
  }
  if (before === 0) return { percent: 0, low: null, high: null, chance: 0, sessions: 0 }
  const saved = 1 - after / before
  const effective = (before * before) / squares
  if (effective < 2) return { percent: 100 * saved, low: null, high: null, chance: 0, sessions: effective }
  let spread = 0
  for (let nth = 0; nth < sessions.length; nth++) {
    const at = sessions[nth] as number
    const own = paid[at] as number
    if (own > 0) spread += (own / before) * (1 - (tried.paid[at] as number) / own - saved) ** 2
  }
  const degrees = effective - 1
  const variance = spread / degrees + spread / effective
  const chance = variance > 0 ? studentShare(saved / Math.sqrt(variance), degrees) : Number(saved > 0)
  const reach = studentReach(degrees) * Math.sqrt(variance + (drift * saved) ** 2 + error / before ** 2)
  return {
    percent: 100 * saved,
    low: 100 * (saved - reach),
    high: 100 * Math.min(1, saved + reach),
    chance,
    sessions: effective,
  }
}

/** @param sessions which of the sample count */
export function extraLossIn(sample: Sample, tried: Tried, sessions: ArrayLike<number>): ExtraLoss {
  let [extra, uses, squares, paid, depth] = [0, 0, 0, 0, 0]
  for (let nth = 0; nth < sessions.length; nth++) {
    const at = sessions[nth] as number
    const own = sample.uses[at] as number
    extra += (tried.lost[at] as number) - (sample.lost[at] as number)
    uses += own
    squares += own * own
    paid += sample.paid[at] as number
    depth += (sample.paid[at] as number) * (tried.depth[at] as number)
  }
  const measured = uses === 0 ? 0 : extra / uses
  if (!tried.cuts) return { measured, share: measured, uses }
  const effective = uses === 0 ? 0 : uses / (1 + alike * (squares / uses - 1))
  const usual = prior.share + prior.byDepth * (paid === 0 ? 0 : depth / paid)
  const share = (measured * effective + usual * prior.uses) / (effective + prior.uses)
  return { measured, share, uses }
}
