import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { noCopied } from '../../src/model/run.ts'
import json from '../../src/reports/json.ts'
import { publishedSchema } from '../schema.ts'
import { simulation } from './arbitrary.ts'
import { options, sampleRun, simulationOf } from './samples.ts'

const { schema, violations } = publishedSchema('simulate')

/** The parts of a run that are not in the JSON. */
const printed = (data: unknown): string =>
  JSON.stringify(data, (key, value) =>
    ['exact', 'against', 'session', 'unpriced', 'terms'].includes(key) ? undefined : value,
  )

const problems = (text: string): unknown => violations(JSON.parse(text))

describe('docs/schema/simulate.schema.json', () => {
  it('accepts whatever the report prints', () => {
    fc.assert(
      fc.property(simulation, (data) => {
        expect(problems([...json.render(data, options)].join(''))).toEqual([])
      }),
      { numRuns: 40 },
    )
  })

  it('knows the blocks that a run may have', () => {
    const lost = { total: 120, mentionLost: 1, sourceLost: 4, selfSourced: 9 }
    const losses = {
      total: 812,
      selfSourced: 90,
      mentionLost: 12,
      mentionLostPercent: 1.48,
      sourceLost: 40,
      sourceLostPercent: 5.54,
    }
    const run = {
      ...sampleRun({ believedTokens: 5000 }),
      today: { ...sampleRun().today, headlineLost: 3, headlineTotal: 727, headlineLostOver: -3 },
      cost: { ...sampleRun().cost, recordedHitPercent: 90.1 },
      references: {
        ...losses,
        byClass: {
          content: lost,
          path: lost,
          url: lost,
          error: lost,
          id: lost,
          target: lost,
          identifier: lost,
          number: lost,
        },
        exchangesHit: 3,
        partlyLost: 2,
        rereads: { refresh: 4, redundant: 2, fault: 1, faultTokens: 5210, known: 9, foretold: 3 },
        headline: losses,
        named: losses,
        warm: losses,
        copied: { ...noCopied, requests: 2, lost: 1, shares: 750000 },
      },
      recorded: { requests: 41, inputTokens: 2410331, unexplainedCuts: 0 },
    }
    expect(problems([...json.render(simulationOf([run]), options)].join(''))).toEqual([])
    expect(problems(printed(simulationOf([{ ...run, cost: { unit: 'usd' } } as never])))).not.toEqual([])
  })

  it.each([
    ['an unknown key of a run', { typo: 1 }],
    ['a negative count', { requests: -1 }],
    ['a number as text', { fullTokens: '1' }],
    ['another provider', { provider: 'nobody' }],
    ['a cutoff without its line', { cutoff: { exchange: 1, message: 2 } }],
    ['an unknown fault', { validity: { ...sampleRun().validity, other: 1 } }],
  ])('refuses %s', (_, change) => {
    expect(problems(printed(simulationOf([{ ...sampleRun(), ...change } as never])))).not.toEqual([])
  })

  it('refuses an unknown key beside the runs, and another version', () => {
    expect(problems(printed({ ...simulationOf([]), more: 1 }))).not.toEqual([])
    expect(problems(printed({ ...simulationOf([]), schemaVersion: 2 }))).not.toEqual([])
  })

  it('has the keys of a run in the order they are printed in', () => {
    const printed = Object.keys(JSON.parse([...json.render(simulationOf([sampleRun()]), options)].join('')).runs[0])
    const known = Object.keys(schema.$defs.run.properties)
    expect(known.filter((key) => printed.includes(key))).toEqual(printed)
  })
})
