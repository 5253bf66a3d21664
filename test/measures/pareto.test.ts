import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { cheapAndFull, paretoFront, recommend, type Setting, settingsOf } from '../../src/measures/pareto.ts'
import type { Cost, Run } from '../../src/model/run.ts'
import { sampleRun } from '../reports/samples.ts'

const clean = sampleRun().validity

function run(change: Partial<Omit<Run, 'cost'>> & { readonly cost?: Partial<Cost> }): Run {
  const { cost, ...rest } = change
  return sampleRun({ ...rest, cost: { ...sampleRun().cost, ...cost } })
}

describe('settingsOf', () => {
  it('adds up the runs of one policy, its knobs and its budget', () => {
    const settings = settingsOf([
      run({ cost: { input: 1, summaries: 0.5, inputFull: 4 }, sentTokens: 10, fullTokens: 20, peakTokens: 7 }),
      run({ params: { keepLast: 2 } }),
      run({
        cost: { input: 2, summaries: 0, inputFull: 3 },
        sentTokens: 5,
        fullTokens: 6,
        peakTokens: 9,
        validity: { ...clean, orphanCalls: 3 },
      }),
      run({ budget: 5 }),
    ])
    expect(settings.map(({ transcripts }) => transcripts)).toEqual([2, 1, 1])
    expect(settings[0]).toEqual({
      policy: 'ikigai',
      params: { keepLast: 1 },
      budget: 100_000,
      estimator: 'bytes',
      transcripts: 2,
      unit: 'usd',
      cost: 3.5,
      costFull: 7,
      costSavedPercent: 50,
      fullTokens: 26,
      sentTokens: 15,
      peakTokens: 9,
      faults: 3,
    })
  })

  it('counts shares where dollars and tokens have no sum', () => {
    const [setting] = settingsOf([
      run({ cost: { input: 1, summaries: 1, inputFull: 4 } }),
      run({ cost: { unit: 'input-token-equivalents', input: 3000, summaries: 0, inputFull: 4000 } }),
    ])
    expect(setting).toMatchObject({ unit: null, cost: 1.25, costFull: 2, costSavedPercent: 37.5 })
  })
})

const point = fc.record({ cost: fc.nat(12), sentTokens: fc.nat(12), peakTokens: fc.nat(12), faults: fc.nat(2) })
const points = fc.array(point, { maxLength: 30 }) as unknown as fc.Arbitrary<Setting[]>

describe('paretoFront', () => {
  it('leaves out exactly what another item beats', () => {
    fc.assert(
      fc.property(points, (settings) => {
        const front = cheapAndFull(settings)
        for (const one of settings) {
          let beaten = false
          for (const other of settings) {
            const asGood = other.cost <= one.cost && other.sentTokens >= one.sentTokens
            if (asGood && (other.cost < one.cost || other.sentTokens > one.sentTokens)) beaten = true
          }
          expect(front.includes(one)).toBe(!beaten)
        }
      }),
    )
  })

  it('keeps what is equal, and the order', () => {
    const items = [3, 1, 2, 1]
    expect(paretoFront(items, [(item) => item])).toEqual([1, 1])
    expect(paretoFront(items, [(item) => item, (item) => -item])).toEqual(items)
    expect(paretoFront([], [(item) => item])).toEqual([])
  })
})

describe('recommend', () => {
  it('names the cheapest that fits, and says why the others do not', () => {
    fc.assert(
      fc.property(points, fc.nat(12), (settings, budget) => {
        const { best, fitting, over, refused } = recommend(settings, budget)
        expect([...fitting, ...over, ...refused].length).toBe(settings.length)
        const least = Math.min(...settings.map(({ faults }) => faults))
        const could = settings.filter(({ peakTokens, faults }) => peakTokens <= budget && faults === least)
        expect(best === null).toBe(could.length === 0)
        if (!best) return
        expect(could).toContain(best)
        for (const other of could) {
          expect(other.cost).toBeGreaterThanOrEqual(best.cost)
          if (other.cost === best.cost) expect(other.sentTokens).toBeLessThanOrEqual(best.sentTokens)
        }
      }),
    )
  })

  it('takes no policy that breaks requests, however cheap', () => {
    const [cheap, sound] = settingsOf([
      run({ policy: 'cheap', cost: { input: 0 }, validity: { ...clean, orphanResults: 2 } }),
      run({ policy: 'sound' }),
    ])
    expect(recommend([cheap, sound] as Setting[], 100_000)).toMatchObject({ best: sound, refused: [cheap] })
    expect(recommend([sound] as Setting[], 1)).toMatchObject({ best: null, over: [sound] })
  })
})
