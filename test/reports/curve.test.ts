import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type CurveSettings, curveSources } from '../../src/app/analyse.ts'
import { choose } from '../../src/base/chosen.ts'
import auto from '../../src/estimators/auto.ts'
import type { Curve, CurvePoint } from '../../src/model/curve.ts'
import { addLosses, noCopied, percent } from '../../src/model/run.ts'
import { policies } from '../../src/policies/index.ts'
import { openFile } from '../../src/readers/lines/source.ts'
import { bar } from '../../src/reports/chart.ts'
import { curvesData } from '../../src/reports/columns/curve.ts'
import { renderCurves } from '../../src/reports/curve.ts'
import { widthOf } from '../../src/reports/text.ts'
import { publishedSchema } from '../schema.ts'

function point(budget: number, sent: number, lost: number, cost: number): CurvePoint {
  const losses = addLosses([{ total: 110, selfSourced: 10, mentionLost: 0, sourceLost: lost }])
  return {
    budget,
    fullTokens: 1000,
    sentTokens: sent,
    savedTokens: 1000 - sent,
    savedPercent: percent(1000 - sent, 1000),
    peakTokens: 10,
    overBudgetRequests: 0,
    overBudgetExchanges: 3,
    cost: {
      unit: 'usd',
      transcripts: 2,
      pricesAsOf: '2026-01-01',
      paid: cost,
      input: cost,
      inputFull: 2,
      output: 1,
      summaries: 0,
      savedPercent: 0,
      prefixBreaks: 0,
    },
    saved: { cost: 1.6 - cost, percent: percent(1.6 - cost, 1.6) },
    references: { ...losses, ...counts, headline: losses, named: losses, copied: noCopied },
  }
}

const counts = { exchangesHit: 0, partlyLost: 0, faults: 0, known: 0, foretold: 0 }

const curve: Curve = {
  policy: 'ikigai',
  params: { keepLast: 1 },
  estimator: 'bytes',
  method: 'one-pass',
  transcripts: 2,
  exchanges: 9,
  requests: 40,
  bill: null,
  baseline: { name: 'today', unit: 'usd', paid: 1.6, lost: 2, total: 100 },
  points: [point(8000, 200, 30, 0.5), point(64_000, 600, 1, 1), point(100_000, 800, 0, 1.4), point(0, 1000, 0, 2)],
  knee: { budget: 64_000, heldPercent: 99 },
}

function print(curves: readonly Curve[], width = 80): string {
  const text = renderCurves(
    { schemaVersion: 1, tolerance: { over: 'nothing', percent: 1 }, tolerancePercent: 1, curves, diagnostics: [] },
    { width, color: false },
  )
  return [...text].join('')
}

describe('the chart of a curve', () => {
  it('says the knee in one sentence', () => {
    const words = print([curve]).replaceAll(/\s+/g, ' ')
    expect(words).toContain('64k holds 99 % of what was used later; 100k, which holds all of it, costs 1.40x as much.')
  })

  it('says what is held so that it and the share lost add up to 100, and calls nothing less all', () => {
    const losing = (sourceLost: number, total: number) => {
      const losses = addLosses([{ total, selfSourced: 0, mentionLost: 0, sourceLost }])
      const references = { ...losses, ...counts, headline: losses, named: losses, copied: noCopied }
      return print([{ ...curve, points: [{ ...point(64_000, 600, 1, 1), references }] }])
    }
    expect(losing(6, 727)).toMatch(/^64k holds 99\.2 % of what was used later[\s\S]*0\.8 %/)
    expect(losing(1, 9000)).toContain('64k holds 99.9 % of what was used later')
  })

  it('marks the row of the knee, and only that', () => {
    const marked = print([curve])
      .split('\n')
      .filter((line) => line.startsWith('▸'))
    expect(marked).toHaveLength(1)
    expect(marked[0]).toMatch(/64k .*40\.0 % .*1\.0 % +\$1\.00 +-37\.5 +3$/)
  })

  it('says so when no budget is good enough, and when nothing was used again', () => {
    expect(print([{ ...curve, points: [point(8000, 200, 30, 0.5)], knee: null }])).toContain(
      'No budget here holds 99 % of what was used later; the best holds 70 %.',
    )
    const nothing = addLosses([])
    const bare = point(8000, 200, 0, 0.5)
    const references = { ...nothing, ...counts, headline: nothing, named: nothing, copied: noCopied }
    expect(print([{ ...curve, points: [{ ...bare, references }], knee: null }])).toContain(
      'no earlier content was used again',
    )
  })

  it('does without references', () => {
    const { references: _, ...bare } = point(8000, 200, 0, 0.5)
    const text = print([{ ...curve, points: [bare], knee: null }])
    expect(text).not.toContain('lost')
    expect(text).toMatch(/8k █+.*80\.0 % +\$0\.50 +-68\.8 +3\n/)
  })

  it('says of how many transcripts the cost is, where some have no known price', () => {
    expect(print([{ ...curve, transcripts: 3 }]).replace(/\s+/g, ' ')).toContain(
      'Prices are known for 2 of 3 transcripts: cost is of these, in USD',
    )
    expect(print([curve])).not.toContain('cost is of')
  })

  it('is never wider than the terminal', () => {
    for (const width of [60, 80, 120, 200]) {
      const widest = Math.max(...print([curve], width).split('\n').map(widthOf))
      expect(widest).toBeLessThanOrEqual(width)
    }
  })
})

describe('a bar', () => {
  it('is as long as its part, to an eighth of a cell, and padded', () => {
    fc.assert(
      fc.property(fc.double({ min: 0, max: 1, noNaN: true }), fc.integer({ min: 1, max: 60 }), (part, width) => {
        const drawn = bar(part, width)
        expect([...drawn]).toHaveLength(width)
        const eighths = [...drawn].reduce(
          (sum, cell) => sum + (cell === ' ' ? 0 : 0x2590 - (cell.codePointAt(0) ?? 0)),
          0,
        )
        expect(Math.abs(eighths - part * width * 8)).toBeLessThanOrEqual(1)
        expect(eighths > 0).toBe(part > 0)
      }),
    )
  })
})

describe('several curves', () => {
  const half: Curve = {
    ...curve,
    params: { keepLast: 1, target: 0.5 },
    points: [point(8000, 100, 40, 0.4), point(64_000, 500, 3, 0.9), point(100_000, 700, 1, 1.1), point(0, 1000, 0, 2)],
    knee: { budget: 100_000, heldPercent: 99 },
  }
  const whole = { ...curve, params: { keepLast: 1, target: 1 } }

  it('stand side by side in dollars, each with its own knee, and the baseline below', () => {
    const text = print([whole, half])
    expect(text).toContain('ikigai:target=1')
    expect(text).toContain('ikigai:target=0.5')
    expect(text).not.toContain('keepLast')
    expect(text).toMatch(/\n +64k▸ +\$1\.00 +-37\.5 +1\.0 % +\$0\.90 +-43\.8 +3\.0 %\n/)
    expect(text).toMatch(/\n +100k +\$1\.40 +-12\.5 +0\.0 %▸ +\$1\.10 +-31\.3 +1\.0 %\n/)
    expect(text).toMatch(/\n +none +\$2\.00 +\+25\.0 +0\.0 % +\$2\.00 +\+25\.0 +0\.0 %\n +today +\$1\.60 +2\.0 %\n/)
    expect(text).toContain('ikigai:target=0.5: 100k holds 99 %')
  })

  it.each([60, 80, 140])('fit into %d columns, however many they are', (width) => {
    const many = Array.from({ length: 9 }, (_, at) => ({ ...half, params: { target: at / 10 } }))
    const lines = print(many, width).split('\n')
    expect(lines.filter((line) => widthOf(line) > width)).toEqual([])
    for (let at = 0; at < 9; at++) expect(lines.join('\n')).toContain(`ikigai:target=${at === 0 ? 0 : at / 10}`)
  })
})

describe('docs/schema/curve.schema.json', () => {
  const { violations } = publishedSchema('curve')

  it.each([true, false])('accepts what files give, with references: %s', async (references) => {
    const plan = {
      policies: ['drop-oldest', 'summarise-oldest'].map((name) => choose(policies.get(name))),
      estimators: [choose(auto)],
      budgets: ['5%', '10%', 0] as const,
      references,
    }
    const curves = await curveSources([openFile('fixtures/claude-code/refactor.jsonl')], plan)
    const [first] = curves.curves
    const unpruned = first?.points.at(-1) as CurvePoint
    expect(first?.baseline.paid).toBeCloseTo(unpruned.cost.input, 6)
    expect(unpruned.saved).toEqual({ cost: 0, percent: 0 })
    expect(violations(JSON.parse(JSON.stringify(curvesData(curves))))).toEqual([])
    expect(violations({ ...(curvesData(curves) as object), curves: [{ ...first, knee: 1 }] })).not.toEqual([])
  })

  it('has a knee on top of what the baseline loses, if that is asked for', async () => {
    const plan = {
      policies: [choose(policies.get('drop-oldest'))],
      estimators: [choose(auto)],
      budgets: [12_000, 16_000, 0],
      references: true,
    }
    const kneeAt = async (tolerance: CurveSettings['tolerance'] & object) =>
      (await curveSources([openFile('fixtures/claude-code/refactor.jsonl')], plan, { tolerance })).curves[0]?.knee
        ?.budget
    expect(await kneeAt({ over: 'baseline', percent: 100 })).toBe(12_000)
    expect(await kneeAt({ over: 'baseline', percent: 0 })).toBe(0)
  })
})
