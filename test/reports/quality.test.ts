/** What is said of an endpoint, in words. */
import { describe, expect, it } from 'vitest'
import type { EndpointQuality, QualityBand } from '../../src/model/quality.ts'
import { renderQuality } from '../../src/reports/quality.ts'
import { endpointWords } from '../../src/reports/quality-words.ts'

const band = (from: number, to: number | null, low: number | null, high: number | null): QualityBand => ({
  ...{ from, to, observations: 400, level: 4, sessions: 12, low, high },
  ...(low === null || high === null
    ? { difference: null, fitted: null }
    : { difference: (low + high) / 2, fitted: (low + high) / 2 }),
})
const quality = (change: Partial<EndpointQuality>): EndpointQuality => ({
  endpoint: 'failed',
  unit: 'points',
  observations: 1200,
  events: 48,
  risesFrom: null,
  bands: [band(0, 50_000, null, null), band(50_000, 75_000, -1, 2), band(75_000, null, -1, 6)],
  compactions: { compactions: 0, sessions: 0, difference: null, low: null, high: null },
  ...change,
})

describe('endpointWords', () => {
  it.each<[what: string, change: Partial<EndpointQuality>, words: string[]]>([
    [
      'what is excluded, and up to where',
      {},
      [
        'Failed tool calls: no rise seen; a rise of more than +2.0 points is ruled out up to 75k, and one of more than +6.0 up to 75k and above.',
      ],
    ],
    [
      'a bound that is the same everywhere once',
      { bands: [band(0, 50_000, null, null), band(50_000, 75_000, -1, 2), band(75_000, 100_000, -1, 2)] },
      ['Failed tool calls: no rise seen; a rise of more than +2.0 points is ruled out up to 100k.'],
    ],
    [
      'any rise where less is sure',
      { bands: [band(50_000, 75_000, -3, -1), band(75_000, 100_000, -2, 4)] },
      ['Failed tool calls: no rise seen; any rise is ruled out up to 75k, and one of more than +4.0 up to 100k.'],
    ],
    [
      'where it rises',
      { risesFrom: 75_000, bands: [band(0, 50_000, null, null), band(75_000, 100_000, 1, 6)] },
      ['Failed tool calls: surely worse from 75k on: +3.5 points there, at least +1.0.'],
    ],
    [
      'that more output is not worse',
      { endpoint: 'output', unit: 'percent', events: null, risesFrom: 75_000, bands: [band(75_000, 100_000, 10, 30)] },
      ['Output of a request: surely more from 75k on: +20 percent there, at least +10.'],
    ],
    [
      'that too little tells',
      { bands: [band(0, 50_000, null, null)] },
      ['Failed tool calls: too few to say (48 in 1,200 calls).'],
    ],
    [
      'what is around compactions',
      {
        bands: [],
        events: null,
        compactions: { compactions: 30, sessions: 12, difference: 2, low: 0.5, high: 3.5 },
      },
      [
        'Failed tool calls: too few to say (1,200 calls).',
        'Right before 30 compactions, compared with right after: +2.0 points (+0.5 to +3.5).',
      ],
    ],
  ])('says %s', (_, change, words) => {
    expect(endpointWords(quality(change))).toEqual(words)
  })
})

describe('the chart', () => {
  const result = {
    ...{ schemaVersion: 1 as const, transcripts: 20, sessions: 18, requests: 900, withoutSize: 3, seed: 1 },
    diagnostics: [],
  }

  it.each([60, 80, 140])('is no wider than %d columns', (width) => {
    const endpoints = [quality({}), quality({ endpoint: 'output', unit: 'percent', events: null })]
    const text = [...renderQuality({ ...result, endpoints }, { width, color: false })].join('')
    for (const line of text.split('\n')) expect(line.length).toBeLessThanOrEqual(width)
  })

  it('draws each band with its ends, its curve, and where nothing differs', () => {
    const text = [...renderQuality({ ...result, endpoints: [quality({})] }, { width: 80, color: false })].join('')
    const [first, second] = text.split('\n').filter((line) => line.includes('●')) as [string, string]
    const ends = (line: string) => ['├', '┼', '●', '┤'].map((mark) => line.indexOf(mark))
    expect(ends(first)).toEqual(ends(first).toSorted((a, b) => a - b))
    expect(first.indexOf('├')).toBe(second.indexOf('├'))
    expect(first.indexOf('┤')).toBeLessThan(second.indexOf('┤'))
  })
})
