/** How often the interval of a change holds what is true, where few sessions have most of the money. */
import { describe, expect, it } from 'vitest'
import { changeBetween, type Observation } from '../../src/base/change.ts'
import { uniform } from '../../src/base/uniform.ts'

const trials = 400
const random = uniform(11)

const normal = (): number => Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random())

/** Money of sessions: the logarithm's deviation is 1.5 among recorded sessions of Codex, and 1.9 of Claude Code. */
const sessions = (count: number, spread: number, factor: number): Observation[] =>
  Array.from({ length: count }, () => ({ part: factor * Math.exp(spread * normal()), whole: 1 }))

/** The percentiles of 400 bootstrap draws. */
function bootstrap(before: readonly Observation[], after: readonly Observation[]): { low: number; high: number } {
  const meanOf = (all: readonly Observation[]): number => {
    let sum = 0
    for (const _ of all) sum += (all[Math.floor(random() * all.length)] as Observation).part
    return sum / all.length
  }
  const drawn = Array.from({ length: 400 }, () => meanOf(after) / meanOf(before)).sort((a, b) => a - b)
  return { low: drawn[10] as number, high: drawn[389] as number }
}

describe('the interval of a change', () => {
  it.each([
    [10, 10, 1.5, 1],
    [30, 12, 1.9, 1],
    [30, 12, 1.9, 0.6],
    [40, 40, 1.5, 0.6],
  ])(
    'of %i and %i sessions holds what is true in 93 of 100 cases, and more often than a bootstrap',
    (front, behind, spread, factor) => {
      let [held, heldByBootstrap] = [0, 0]
      for (let trial = 0; trial < trials; trial++) {
        const [before, after] = [sessions(front, spread, 1), sessions(behind, spread, factor)]
        const { interval } = changeBetween(before, after, trial) ?? {}
        if (interval == null || (interval.low <= factor && factor <= interval.high)) held++
        const { low, high } = bootstrap(before, after)
        if (low <= factor && factor <= high) heldByBootstrap++
      }
      expect(held / trials).toBeGreaterThanOrEqual(0.93)
      expect(held).toBeGreaterThan(heldByBootstrap)
    },
  )

  it('finds that money was halved, in sessions of about the same length', () => {
    let found = 0
    for (let trial = 0; trial < 100; trial++) {
      const change = changeBetween(sessions(20, 0.5, 1), sessions(20, 0.5, 0.5), trial)
      if (change?.interval && change.interval.high < 1) found++
    }
    expect(found).toBeGreaterThanOrEqual(95)
  })
})
