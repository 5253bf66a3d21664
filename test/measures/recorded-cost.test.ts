import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type CostTally, recordedCost, tallyOf, together } from '../../src/measures/recorded-cost.ts'
import { type ByKind, tokenKinds } from '../../src/model/spending.ts'

/** US dollars per million tokens, here. */
const prices: ByKind = { input: 0.5, cacheRead: 0.05, cacheWrite: 0.625, cacheWrite1h: 1, output: 3 }

const tokens: fc.Arbitrary<ByKind> = fc.record({
  input: fc.nat(5000),
  cacheRead: fc.nat(200_000),
  cacheWrite: fc.nat(10_000),
  cacheWrite1h: fc.nat(10_000),
  output: fc.nat(2000),
})

const costAt = (prices: ByKind, of: ByKind): ByKind =>
  Object.fromEntries(tokenKinds.map((kind) => [kind, (prices[kind] * of[kind]) / 1e6])) as ByKind
const sum = (cost: ByKind): number => tokenKinds.reduce((total, kind) => total + cost[kind], 0)

/** @param theirs the prices of the program's own table */
function tallies(calls: readonly ByKind[], theirs: ByKind): CostTally[] {
  return calls.map((of) => {
    const cost = costAt(prices, of)
    const recorded = Math.round(1e6 * sum(costAt(theirs, of))) / 1e6
    return tallyOf({ calls: 1, tokens: of, cost, pricedTerms: [] }, cost, recorded, true)
  })
}

const all = (some: readonly CostTally[]) => some.reduce(together)

describe('what a program recorded that calls cost', () => {
  it('is added up beside what they cost here, in any order', () => {
    fc.assert(
      fc.property(fc.array(tokens, { minLength: 1 }), fc.constantFrom(0.5, 1, 3), (calls, factor) => {
        const theirs = Object.fromEntries(tokenKinds.map((kind) => [kind, prices[kind] * factor])) as unknown as ByKind
        const some = tallies(calls, theirs)
        const row = recordedCost(all(some), 'pi', 'lamp')
        const here = calls.reduce((total, of) => total + sum(costAt(prices, of)), 0)
        expect(row).toMatchObject({ format: 'pi', model: 'lamp', calls: calls.length })
        expect(row.usd).toBeCloseTo(here, 5)
        expect(row.recordedUsd).toBeCloseTo(here * factor, 3)
        expect(all(some.toReversed())).toEqual(all(some))
      }),
    )
  })

  it('tells the kind of tokens that alone has another price in its table, and that price', () => {
    fc.assert(
      fc.property(
        fc.array(tokens, { minLength: 12, maxLength: 30 }),
        fc.constantFrom(...tokenKinds),
        fc.constantFrom(0, 2, 10),
        (calls, kind, factor) => {
          const theirs = { ...prices, [kind]: prices[kind] * factor }
          const row = recordedCost(all(tallies(calls, theirs)), 'pi', 'lamp')
          // Where the difference is below a hundredth of the whole, nothing is said of it.
          if (row.kind === null) return Math.abs(row.recordedUsd - row.usd) <= 0.0101 * row.usd
          return row.kind === kind && Math.abs((row.rate as number) - theirs[kind]) <= 0.02 * prices[kind] + 0.001
        },
      ),
    )
  })

  it('tells none where two kinds have another price, where all agrees, and of calls that are too few', () => {
    const calls = fc.sample(tokens, { numRuns: 20, seed: 1 })
    const kindOf = (theirs: ByKind, of = calls) => recordedCost(all(tallies(of, theirs)), 'pi', 'lamp').kind
    expect(kindOf({ ...prices, cacheRead: 0.5 })).toBe('cacheRead')
    expect(kindOf({ ...prices, cacheRead: 0.5 }, calls.slice(0, 2))).toBeNull()
    expect(kindOf({ ...prices, cacheRead: 0.5, output: 6 })).toBeNull()
    expect(kindOf(prices)).toBeNull()
  })

  it('takes no clue from a call whose output is estimated here', () => {
    const calls = fc.sample(tokens, { numRuns: 20, seed: 2 })
    const theirs = { ...prices, cacheRead: 0.5 }
    const of: ByKind = { ...(calls[0] as ByKind), output: 100_000 }
    const estimated = (tells: boolean) =>
      tallyOf({ calls: 1, tokens: of, cost: costAt(prices, of), pricedTerms: [] }, costAt(prices, of), 0.01, tells)
    const some = tallies(calls, theirs)
    expect(recordedCost(all([...some, estimated(false)]), 'pi', 'lamp').kind).toBe('cacheRead')
    expect(recordedCost(all([...some, estimated(true)]), 'pi', 'lamp').kind).toBeNull()
  })
})
