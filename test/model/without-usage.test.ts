import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { intervalBases, type PredictionInterval } from '../../src/model/run.ts'
import { WithoutUsageSum } from '../../src/model/without-usage.ts'

const someRun = fc.record({
  foresightTest: fc.constantFrom('no-usage' as const, 'half' as const),
  sentTokens: fc.integer({ min: 1, max: 1e6 }),
  predictionInterval: fc.option(
    fc.record({
      basis: fc.constantFrom(...intervalBases),
      transcripts: fc.integer({ min: 1, max: 40 }),
      lowPercent: fc.double({ min: -90, max: 0, noNaN: true }),
      highPercent: fc.double({ min: 0, max: 300, noNaN: true }),
    }) as fc.Arbitrary<PredictionInterval>,
  ),
})

describe('what is not borne out by usage', () => {
  it('is between the sums of the ends: a prediction is so far off of what it predicts', () => {
    fc.assert(
      fc.property(fc.array(someRun, { minLength: 1, maxLength: 6 }), (runs) => {
        const sum = new WithoutUsageSum()
        for (const run of runs) sum.add(run)
        const counted = runs.flatMap(({ foresightTest, sentTokens, predictionInterval }) =>
          foresightTest === 'no-usage' && predictionInterval ? [{ sentTokens, ...predictionInterval }] : [],
        )
        const { total } = sum
        if (counted.length === 0) {
          expect(total).toBeNull()
          return
        }
        const tokens = counted.reduce((all, run) => all + run.sentTokens, 0)
        const [least, most] = [1 + total!.lowPercent / 100, 1 + total!.highPercent / 100].map((part) => part * tokens)
        // If all were the least that they may be, their predictions would be off by the high ends.
        const expected = counted.map((run) => [
          (run.sentTokens * 100) / (100 + run.highPercent),
          (run.sentTokens * 100) / (100 + run.lowPercent),
        ])
        expect(total!.transcripts).toBe(counted.length)
        const sessionsOf = (of: string) => counted.filter(({ basis }) => basis === of).map((run) => run.transcripts)
        expect(total!.basis).toEqual(
          intervalBases.flatMap((of) => {
            const [fewest, ...more] = sessionsOf(of).sort((a, b) => a - b)
            return fewest === undefined
              ? []
              : [{ of, transcripts: more.length + 1, fewest, most: more.at(-1) ?? fewest }]
          }),
        )
        expect(Math.abs(least! - expected.reduce((all, [end]) => all + end!, 0))).toBeLessThan(tokens * 1e-4)
        expect(Math.abs(most! - expected.reduce((all, [, end]) => all + end!, 0))).toBeLessThan(tokens * 1e-4)
      }),
    )
  })
})
