import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { uniform } from '../../src/base/uniform.ts'
import { aboutRecorded, type Counted } from '../../src/estimators/filter.ts'
import { reachOf, Smoother } from '../../src/estimators/smoother.ts'

const factor = { mean: 1, sd: 0.15 }
const thought = { mean: 1, sd: 0.2 }
const expected = [{ mean: 0, sd: 5000 }, factor, thought]

const filtered = (log: readonly Counted[], before = expected): Smoother => {
  const filter = new Smoother(before)
  for (const one of log) filter.update(one)
  return filter
}

/** Weighted least squares: each row says that the sum of some of the unknowns is a value, to a standard deviation. */
function solve(
  unknowns: number,
  rows: readonly { readonly of: ReadonlyMap<number, number>; value: number; sd: number }[],
) {
  const sums = Array.from({ length: unknowns }, () => new Array<number>(unknowns + 1).fill(0))
  for (const { of, value, sd } of rows) {
    for (const [row, factor] of of) {
      for (const [column, other] of of) sums[row]![column]! += (factor * other) / sd ** 2
      sums[row]![unknowns]! += (factor * value) / sd ** 2
    }
  }
  for (let at = 0; at < unknowns; at++) {
    const pivot = sums.findIndex((row, nth) => nth >= at && row[at] !== 0)
    ;[sums[at], sums[pivot]] = [sums[pivot]!, sums[at]!]
    for (const [nth, row] of sums.entries()) {
      if (nth === at) continue
      const factor = row[at]! / sums[at]![at]!
      for (let column = at; column <= unknowns; column++) row[column]! -= factor * sums[at]![column]!
    }
  }
  return sums.map((row, at) => row[unknowns]! / row[at]!)
}

describe('the filter', () => {
  it('comes to what least squares come to, over all requests at once', () => {
    const step = fc.record({ tokens: fc.integer({ min: 100, max: 6000 }), thinks: fc.integer({ min: 0, max: 2000 }) })
    fc.assert(
      fc.property(fc.array(step, { minLength: 2, maxLength: 12 }), fc.integer(), (steps, seed) => {
        const next = uniform(seed)
        let [tokens, beyond] = [0, 0]
        const log = steps.map((one): Counted => {
          tokens += one.tokens
          beyond += one.thinks
          return { tokens, beyond, input: 3000 + 1.05 * tokens + 0.5 * beyond + 60 * (next() - 0.5) }
        })
        // The unknowns: what was hidden in each request, the factor, the thought.
        const [factor, share] = [log.length, log.length + 1]
        const rows = [
          { of: new Map([[0, 1]]), value: 0, sd: 5000 },
          { of: new Map([[factor, 1]]), value: 1, sd: 0.15 },
          { of: new Map([[share, 1]]), value: 0.5, sd: 0.1 },
          ...log.map(({ tokens, beyond, input }, at) => ({
            of: new Map([
              [at, 1],
              [factor, tokens],
              [share, beyond],
            ]),
            value: input,
            sd: 30,
          })),
          ...log.slice(1).map(({ tokens }, at) => ({
            of: new Map([
              [at, -1],
              [at + 1, 1],
            ]),
            value: 0,
            sd: Math.hypot(0.12 * (tokens - log[at]!.tokens), 40),
          })),
        ]
        const filter = filtered(log, [...expected.slice(0, 2), { mean: 0.5, sd: 0.1 }])
        const solved = solve(log.length + 2, rows)
        expect(filter.factor).toBeCloseTo(solved[factor]!, 4)
        expect(filter.thought).toBeCloseTo(solved[share]!, 3)
        for (const [at, hidden] of filter.hiddenInEach().entries())
          expect(Math.abs(hidden - solved[at]!)).toBeLessThan(1)
      }),
    )
  })

  it('keeps to what is expected where nothing is recorded', () => {
    const { hidden, factor, thought } = filtered([])
    expect({ hidden, factor, thought }).toEqual({ hidden: 0, factor: 1, thought: 1 })
  })

  it('follows a change of tools at once', () => {
    const log = Array.from({ length: 20 }, (_, at) => ({ tokens: 500 * at, beyond: 0, input: 4000 + 500 * at }))
    const changed = [...log, { tokens: 10_000, beyond: 0, input: 34_000 }]
    expect(filtered(changed).predict({ tokens: 10_500, beyond: 0 })).toBeCloseTo(34_500, -2)
    const hidden = filtered(changed).hiddenInEach()
    expect(hidden[0]).toBeCloseTo(4000, -2)
    expect(hidden[19]).toBeCloseTo(4000, -2)
    expect(hidden[20]).toBeCloseTo(24_000, -2)
  })

  it('stays within bounds and finite on any figures', () => {
    const number = fc.double({ min: 0, max: 1e9, noNaN: true })
    const log = fc.array(
      fc.record({ input: fc.double({ min: 1, max: 1e9, noNaN: true }), tokens: number, beyond: number }),
    )
    fc.assert(
      fc.property(log, fc.double({ min: 0, max: 1e5, noNaN: true }), (log, sd) => {
        const filter = filtered(log, [{ mean: 500, sd }, factor, thought])
        const figures = [filter.hidden, reachOf(filter.spread, 500), ...filter.hiddenInEach()]
        expect(figures.every(Number.isFinite)).toBe(true)
        expect(filter.factor).toBeGreaterThanOrEqual(0.4)
        expect(filter.factor).toBeLessThanOrEqual(2)
        expect(filter.thought).toBeGreaterThanOrEqual(0)
        expect(filter.thought).toBeLessThanOrEqual(1)
      }),
    )
  })
})

describe('on simulated logs the filter', () => {
  /** A log of an agent whose preamble is recorded but for `hidden` tokens; tools come in the midst of some. */
  function logOf(next: () => number): { log: Counted[]; recorded: number } {
    const recorded = 2000 + 10_000 * next()
    const [hidden, factor] = [-300 + 750 * next(), 0.8 + 0.45 * next()]
    const [requests, tools] = [8 + Math.floor(60 * next()), next() < 0.3 ? 1500 * next() : 0]
    let tokens = 0
    const log = Array.from({ length: requests }, (_, at): Counted => {
      tokens += Math.round(3000 * next() ** 3) + 20
      const added = at > requests / 4 ? tools : 0
      return { tokens, beyond: 0, input: recorded + hidden + added + factor * tokens + 40 * (next() - 0.5) }
    })
    return { log, recorded }
  }
  const logs = Array.from({ length: 600 }, (_, seed) => logOf(uniform(seed)))
  const judged = logs.map(({ log, recorded }) => {
    const half = log.length >> 1
    const filter = filtered(log.slice(0, half), [aboutRecorded(recorded), factor, thought])
    return log.slice(half).map((one) => {
      const off = filter.predict(one) - one.input
      return {
        filter: Math.abs(off) / one.input,
        estimate: Math.abs(recorded + one.tokens - one.input) / one.input,
        holds: Math.abs(off) <= reachOf(filter.spread, one.tokens),
      }
    })
  })
  const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length

  it('is hardly ever worse than the estimate alone', () => {
    const worse = judged.filter(
      (log) => mean(log.map(({ filter }) => filter)) > mean(log.map(({ estimate }) => estimate)) + 0.005,
    )
    expect(worse.length / judged.length).toBeLessThanOrEqual(0.06)
    expect(mean(judged.flat().map(({ filter }) => filter))).toBeLessThan(
      mean(judged.flat().map(({ estimate }) => estimate)) / 3,
    )
  })

  it('says how far off it may be, and is so nine times of ten', () => {
    const held = mean(judged.flat().map(({ holds }) => Number(holds)))
    expect(held).toBeGreaterThanOrEqual(0.88)
  })
})
