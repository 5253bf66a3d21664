import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { composedInterval, intervalAround } from '../../src/models/intervals.ts'
import { preambles } from '../../src/models/preambles.data.ts'
import { ninetyPercent, type PreamblePrior } from '../../src/models/preambles.ts'

describe('intervalAround', () => {
  it('says of the error of a prediction what its reach says of what it predicts', () => {
    const { lowPercent, highPercent } = intervalAround(1000, 100)!
    expect(1000 / (1 + lowPercent / 100)).toBeCloseTo(1100, 0)
    expect(1000 / (1 + highPercent / 100)).toBeCloseTo(900, 0)
    expect(intervalAround(0, 5)).toBeNull()
  })
})

describe('composedInterval', () => {
  const somePrior = fc.record({
    tokens: fc.integer({ min: 500, max: 60_000 }),
    sd: fc.double({ min: 0.01, max: 1.5, noNaN: true }),
    degrees: fc.integer({ min: 2, max: 40 }),
    basis: fc.constantFrom('own' as const, 'program' as const),
    sessions: fc.integer({ min: 1, max: 99 }),
  })
  /** The window's least and most tokens, by what the interval says of a prediction's error. */
  const ends = (window: number, prior: PreamblePrior | null, estimator = 'auto') => {
    const { lowPercent, highPercent } = composedInterval(window, prior, estimator)!
    return { least: window / (1 + highPercent / 100), most: window / (1 + lowPercent / 100) }
  }

  it('is as wide as the preamble and the count beside it, whose squares add up', () => {
    fc.assert(
      fc.property(somePrior, fc.integer({ min: 0, max: 200_000 }), (prior, messages) => {
        const window = prior.tokens + messages
        const { low, high } = ninetyPercent(prior)
        const counted = 1.6449 * (preambles.recorded[0]!.percent / 100) * messages
        const { least, most } = ends(window, prior)
        // Percentages are rounded to two decimals.
        expect(Math.abs(window - least - Math.sqrt((prior.tokens - low) ** 2 + counted ** 2))).toBeLessThan(
          window / 5000,
        )
        const above = Math.sqrt((high - prior.tokens) ** 2 + counted ** 2)
        expect(Math.abs(most - window - above)).toBeLessThan(((window + above) ** 2 / window) * 1e-4)
      }),
    )
  })

  it('is narrower the more of a window is recorded, and narrowest where nothing is hidden', () => {
    const prior: PreamblePrior = { tokens: 30_000, sd: 0.3, degrees: 9, basis: 'program', sessions: 9 }
    const widths = [30_000, 60_000, 90_000].map(
      (window) => (ends(window, prior).most - ends(window, prior).least) / window,
    )
    expect(widths).toEqual(widths.toSorted((a, b) => b - a))
    const bare = ends(60_000, null)
    expect((bare.most - bare.least) / 60_000).toBeLessThan(widths[1]!)
  })

  it('is open upwards where a program is not known: nothing in the window stands for what may be hidden', () => {
    const prior: PreamblePrior = { tokens: 8000, sd: 1, degrees: 9, basis: 'all', sessions: 9 }
    const { least, most } = ends(10_000, prior)
    expect(least).toBeCloseTo(ends(10_000, null).least, 9)
    expect(most).toBeGreaterThan(18_000)
    expect(composedInterval(10_000, prior, 'auto')!.basis).toBe('all')
  })

  it('is none without a window, or for an estimator that was not measured', () => {
    expect(composedInterval(0, null, 'auto')).toBeNull()
    expect(composedInterval(Number.NaN, null, 'auto')).toBeNull()
    expect(composedInterval(1000, null, 'openai')).toBeNull()
  })
})
