/** How much a ratio has changed between two samples, and how sure that is. */
import type { Interval } from './intervals.ts'
import { uniform } from './uniform.ts'

/** One observation of a ratio of sums: money and requests, or money and 1. Neither is below zero. */
export interface Observation {
  readonly part: number
  readonly whole: number
}

const draws = 1000
const tail = 0.025

/** No change that is looked for is larger, either way: a factor of 3,000. */
const most = 8
const halvings = 24

/**
 * By which factor the ratio of `after` is that of `before`, and the factors that cannot be excluded (95 %); null where there is nothing
 * on one side, and no interval where any factor above is possible.
 *
 * The interval is a permutation test turned round (Pitman 1937): it has each factor by which all of `after` can be divided so that
 * dealing the observations to both sides anew gives differences as large in more than 2.5 % of the deals, either way. A few observations
 * have most of the sum where it is money. There a bootstrap, which knows only the ones it has seen, holds too seldom: test/base/change.slow.test.ts.
 */
export function changeBetween(
  before: readonly Observation[],
  after: readonly Observation[],
  seed = 0x5eed,
): { readonly factor: number; readonly interval: Interval | null } | null {
  const [front, behind] = [sumOf(before), sumOf(after)]
  if (front.part <= 0 || behind.part <= 0 || front.whole <= 0 || behind.whole <= 0) return null
  const own = Math.log(behind.part / behind.whole / (front.part / front.whole))
  const deals = dealt(before, after, seed)
  const whole = front.whole + behind.whole
  /** The share of the deals whose difference is as far to one side as the observed one, with `after` divided by the exponential of `log`. */
  const beyond = (log: number, side: 1 | -1): number => {
    const scale = Math.exp(-log)
    const all = front.part + behind.part * scale
    const observed = side * (own - log)
    const count = deals.reduce((found, deal) => {
      const part = deal.ofBefore + deal.ofAfter * scale
      const log = Math.log(Math.max(0, all - part) / (whole - deal.whole) / (part / deal.whole))
      return found + Number(side * log >= observed - 1e-9)
    }, 1)
    return count / (draws + 1)
  }
  // The further off a factor is, the fewer deals are as far: upwards `after` is small once it is divided, downwards large.
  const end = (direction: 1 | -1): number | null => {
    const side = direction === 1 ? -1 : 1
    if (beyond(own + direction * most, side) > tail) return null
    let [inside, outside] = [0, most]
    for (let step = 0; step < halvings; step++) {
      const middle = (inside + outside) / 2
      if (beyond(own + direction * middle, side) > tail) inside = middle
      else outside = middle
    }
    return Math.exp(own + direction * outside)
  }
  const high = end(1)
  return { factor: Math.exp(own), interval: high === null ? null : { low: end(-1) ?? 0, high } }
}

function sumOf(observations: readonly Observation[]): Observation {
  return observations.reduce((sum, { part, whole }) => ({ part: sum.part + part, whole: sum.whole + whole }), {
    part: 0,
    whole: 0,
  })
}

/** What the first side gets of both samples, of as many deals as there are draws. */
interface Deal {
  readonly ofBefore: number
  readonly ofAfter: number
  readonly whole: number
}

function dealt(before: readonly Observation[], after: readonly Observation[], seed: number): Deal[] {
  const random = uniform(seed)
  const all = [...before, ...after]
  const order = Int32Array.from(all, (_, at) => at)
  return Array.from({ length: draws }, () => {
    let [ofBefore, ofAfter, whole] = [0, 0, 0]
    for (let at = 0; at < before.length; at++) {
      const other = at + Math.floor(random() * (order.length - at))
      const taken = order[other] as number
      order[other] = order[at] as number
      order[at] = taken
      const one = all[taken] as Observation
      if (taken < before.length) ofBefore += one.part
      else ofAfter += one.part
      whole += one.whole
    }
    return { ofBefore, ofAfter, whole }
  })
}
